"""Start a match with an absent player and read the resulting messages."""

from tests.bot.member import Member
from tests.bot.messages import Message, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import take_turn


def get_display_name(person: Member) -> str:
    return person.name.capitalize()


def find_absence_question(sim: SimGuild) -> Message:
    return next(message for message in reversed(sim.list_public_messages()) if "What now?" in read_text(message))


def list_notices(sim: SimGuild) -> list[str]:
    lines = (read_text(message) for message in sim.list_public_messages() if not read_button_ids(message))
    return [line.removeprefix("-# ") for line in lines if line.startswith("-# ")]


async def start_with_absent_player(
    sim: SimGuild, *members: Member, turns: int = 0, **options: object
) -> tuple[Member, list[Member]]:
    await sim.start_table(*members, **{"clock": "1d", **options})
    for _ in range(turns):
        await take_turn(sim, sim.get_called_player())
    mover = sim.get_called_player()
    await sim.wait(hours=19.5)
    await sim.wait(hours=5)
    return mover, [person for person in members if person.id != mover.id]
