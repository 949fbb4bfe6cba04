"""Start a match with an absent player and read the resulting messages."""

from simcord import MemberActor

from tests.bot.messages import Message, button_ids, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import take_turn


def display_name(person: MemberActor) -> str:
    return person.name.capitalize()


def absence_question(sim: SimGuild) -> Message:
    return next(message for message in reversed(sim.public()) if "What now?" in words_of(message))


def notices(sim: SimGuild) -> list[str]:
    lines = (words_of(message) for message in sim.public() if not button_ids(message))
    return [line.removeprefix("-# ") for line in lines if line.startswith("-# ")]


async def start_with_absent_player(
    sim: SimGuild, *people: MemberActor, turns: int = 0, **options: object
) -> tuple[MemberActor, list[MemberActor]]:
    await sim.table(*people, **{"clock": "1d", **options})
    for _ in range(turns):
        await take_turn(sim, sim.to_move())
    mover = sim.to_move()
    await sim.wait(hours=19.5)
    await sim.wait(hours=5)
    return mover, [person for person in people if person.id != mover.id]
