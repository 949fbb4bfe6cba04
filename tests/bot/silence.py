"""A player whose time runs out, and what the channel says then."""

from simcord import MemberActor

from tests.bot.house import House
from tests.bot.presses import take_turn
from tests.bot.reading import Message, button_ids, words_of


def name(person: MemberActor) -> str:
    return person.name.capitalize()


def question(house: House) -> Message:
    return next(message for message in reversed(house.public()) if "What now?" in words_of(message))


def notices(house: House) -> list[str]:
    lines = (words_of(message) for message in house.public() if not button_ids(message))
    return [line.removeprefix("-# ") for line in lines if line.startswith("-# ")]


async def silent(
    house: House, *people: MemberActor, turns: int = 0, **options: object
) -> tuple[MemberActor, list[MemberActor]]:
    await house.table(*people, **{"clock": "1d", **options})
    for _ in range(turns):
        await take_turn(house, house.to_move())
    mover = house.to_move()
    await house.wait(hours=19.5)
    await house.wait(hours=5)
    return mover, [person for person in people if person.id != mover.id]
