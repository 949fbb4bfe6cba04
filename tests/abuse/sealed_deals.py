"""Sealed duplicate deals."""

import re

from simcord import MemberActor

from tests.bot.messages import told
from tests.bot.simulated_guild import BLOCKED, SimGuild

NAME = re.compile(r"deal:([a-z]+-[a-z]+)")


async def sealed(sim: SimGuild, who: MemberActor, *, number: int = BLOCKED, **options: object) -> str:
    """Have a player seal a deal; return its name."""
    sim.deals.wanted = [number]
    said = told(await who.slash(sim.channel, "tiles-deal new", target=10, **options))
    found = NAME.search(said)
    assert found is not None, said
    return found.group(1)
