"""Channels that are closed to the bot or go away."""

import discord
from simcord import ChannelHandle

from tests.bot.house import House


def without(house: House, *permissions: str) -> ChannelHandle:
    """A channel in which the bot may not do these things."""
    me = house.guild.me
    assert me is not None
    denied = discord.PermissionOverwrite(**dict.fromkeys(permissions, False))
    return house.guild.create_text_channel("cellar", overwrites={me: denied})


async def lose(house: House, channel: ChannelHandle) -> None:
    """A channel is deleted; by the bot's own account, which in this server may."""
    doomed = house.client.get_channel(channel.id)
    await doomed.delete()
    await house.env.settle()
