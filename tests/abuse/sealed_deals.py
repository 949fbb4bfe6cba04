"""Sealed duplicate deals."""

import re

from simcord import ChannelHandle

from tests.bot.member import Member
from tests.bot.simulated_guild import BLOCKED_DEAL, SimGuild

DEAL_NAME = re.compile(r"deal:([a-z]+-[a-z]+)")


async def seal_deal(sim: SimGuild, player: Member, *, number: int = BLOCKED_DEAL, **options: object) -> str:
    """Have a player seal a deal; return its name."""
    sim.deals.next_numbers = [number]
    answer = await player.read_command("tiles-deal new", target=10, **options)
    found = DEAL_NAME.search(answer)
    assert found is not None, answer
    return found.group(1)


async def open_sealed_table(
    sim: SimGuild, deal: str, host: Member, *others: Member, channel: ChannelHandle | None = None
) -> None:
    """Have the host open a table of a deal, and the others join."""
    await host.slash(channel or sim.channel, "tiles new", deal=deal)
    for other in others:
        await other.click(sim.get_board(channel), label="Join")
