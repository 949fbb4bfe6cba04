"""Duplicate deals that are sealed until their time is over."""

import re

from simcord import MemberActor

from tests.bot.house import BLOCKED, House
from tests.bot.reading import told

NAME = re.compile(r"deal:([a-z]+-[a-z]+)")


async def sealed(house: House, who: MemberActor, *, number: int = BLOCKED, **options: object) -> str:
    """Have a player seal a deal; return its name."""
    house.deals.wanted = [number]
    said = told(await who.slash(house.channel, "tiles-deal new", target=10, **options))
    found = NAME.search(said)
    assert found is not None, said
    return found.group(1)
