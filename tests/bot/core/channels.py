"""Channels that are closed to the bot or go away."""

import discord
from simcord import ChannelHandle

from tests.bot.simulated_guild import SimGuild


def without(sim: SimGuild, *permissions: str) -> ChannelHandle:
    """A channel in which the bot may not do these things."""
    me = sim.guild.me
    assert me is not None
    denied = discord.PermissionOverwrite(**dict.fromkeys(permissions, False))
    return sim.guild.create_text_channel("cellar", overwrites={me: denied})


async def lose(sim: SimGuild, channel: ChannelHandle) -> None:
    """A channel is deleted; by the bot's own account, which in this server may."""
    doomed = sim.client.get_channel(channel.id)
    await doomed.delete()
    await sim.env.settle()
