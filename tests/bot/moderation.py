"""What a moderator does in a simulated server."""

from simcord import MemberActor

from tests.bot.house import House
from tests.bot.reading import told


async def set_here(house: House, mary: MemberActor, **settings: object) -> str:
    """Change settings of the server; return the settings that the answer lists."""
    return told(await mary.slash(house.channel, "tiles-admin settings", **settings))
