"""Channels without permissions for the bot, and deleted channels."""

import discord
from simcord import ChannelHandle
from simcord.backend.models import Overwrite

from tests.bot.simulated_guild import SimGuild


def create_restricted_channel(sim: SimGuild, *permissions: str) -> ChannelHandle:
    """Create a channel in which the bot lacks these permissions."""
    me = sim.guild.me
    denied = discord.PermissionOverwrite(**dict.fromkeys(permissions, False))
    return sim.guild.create_text_channel("cellar", overwrites={me: denied})


def hide_channel(sim: SimGuild, channel: ChannelHandle) -> None:
    """Hide a channel from everyone who has no permission of their own."""
    deny = discord.Permissions(view_channel=True).value
    sim.env.backend.set_overwrite(channel.id, Overwrite(sim.guild.id, 0, deny=deny))


async def delete_channel(sim: SimGuild, channel: ChannelHandle) -> None:
    """Delete a channel, with the permissions of the bot."""
    client_channel = sim.client.get_channel(channel.id)
    await client_channel.delete()
    await sim.env.settle()
