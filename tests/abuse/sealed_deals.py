"""Sealed duplicate deals."""

import re

from simcord import MemberActor

from tests.bot.messages import read_private_text
from tests.bot.simulated_guild import BLOCKED_DEAL, SimGuild

DEAL_NAME = re.compile(r"deal:([a-z]+-[a-z]+)")


async def seal_deal(sim: SimGuild, player: MemberActor, *, number: int = BLOCKED_DEAL, **options: object) -> str:
    """Have a player seal a deal; return its name."""
    sim.deals.next_numbers = [number]
    answer = read_private_text(await player.slash(sim.channel, "tiles-deal new", target=10, **options))
    found = DEAL_NAME.search(answer)
    assert found is not None, answer
    return found.group(1)
