"""Channels without permissions for the bot, and deleted channels."""

import discord
from simcord import ChannelHandle

from tests.bot.simulated_guild import SimGuild


def without(sim: SimGuild, *permissions: str) -> ChannelHandle:
    """Create a channel in which the bot lacks these permissions."""
    me = sim.guild.me
    assert me is not None
    denied = discord.PermissionOverwrite(**dict.fromkeys(permissions, False))
    return sim.guild.create_text_channel("cellar", overwrites={me: denied})


async def lose(sim: SimGuild, channel: ChannelHandle) -> None:
    """Delete a channel, with the permissions of the bot."""
    doomed = sim.client.get_channel(channel.id)
    await doomed.delete()
    await sim.env.settle()
