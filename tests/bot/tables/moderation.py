"""Moderator commands in a simulated server."""

from tests.bot.member import Member
from tests.bot.simulated_guild import SimGuild


async def change_settings(sim: SimGuild, mary: Member, **settings: object) -> str:
    """Change settings of the server; return the settings that the answer lists."""
    return await mary.read_command("tiles-admin settings", **settings)
