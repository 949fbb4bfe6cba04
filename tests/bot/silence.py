"""A player whose time runs out, and what the channel says then."""

from __future__ import annotations

from simcord import MemberActor

from tests.bot.house import House
from tests.bot.presses import take_turn
from tests.bot.reading import Message, button_ids, words_of


def name(person: MemberActor) -> str:
    """What somebody is called."""
    return person.name.capitalize()


def question(house: House) -> Message:
    """The newest question about a silent player."""
    return next(message for message in reversed(house.public()) if "What now?" in words_of(message))


def notices(house: House) -> list[str]:
    """The small lines about who is there."""
    lines = (words_of(message) for message in house.public() if not button_ids(message))
    return [line.removeprefix("-# ") for line in lines if line.startswith("-# ")]


async def silent(
    house: House, *people: MemberActor, turns: int = 0, **options: object
) -> tuple[MemberActor, list[MemberActor]]:
    """At a table with a day a turn somebody lets it run out, after some turns; who, and the others."""
    await house.table(*people, **{"clock": "1d", **options})
    for _ in range(turns):
        await take_turn(house, house.to_move())
    mover = house.to_move()
    await house.wait(hours=19.5)
    await house.wait(hours=5)
    return mover, [person for person in people if person.id != mover.id]
