"""Moderator commands in a simulated server."""

from simcord import MemberActor

from tests.bot.messages import read_private_text
from tests.bot.simulated_guild import SimGuild


async def change_settings(sim: SimGuild, mary: MemberActor, **settings: object) -> str:
    """Change settings of the server; return the settings that the answer lists."""
    return read_private_text(await mary.slash(sim.channel, "tiles-admin settings", **settings))
