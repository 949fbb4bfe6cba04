"""Channels without permissions for the bot, and deleted channels."""

import discord
from simcord import ChannelHandle

from tests.bot.simulated_guild import SimGuild


def create_restricted_channel(sim: SimGuild, *permissions: str) -> ChannelHandle:
    """Create a channel in which the bot lacks these permissions."""
    me = sim.guild.me
    denied = discord.PermissionOverwrite(**dict.fromkeys(permissions, False))
    return sim.guild.create_text_channel("cellar", overwrites={me: denied})


async def delete_channel(sim: SimGuild, channel: ChannelHandle) -> None:
    """Delete a channel, with the permissions of the bot."""
    client_channel = sim.client.get_channel(channel.id)
    await client_channel.delete()
    await sim.env.settle()
