"""Whoever types has one private answer before them and no pile: the newest takes the place of the one before it."""

from collections.abc import AsyncIterator

import pytest

from bot.playground.person import Person
from bot.sending.live_hands import LIFE, MOST_KNOWN, PassingAnswers
from tests.bot.parlour import Json, Parlour, labels, parlour, words_of

PRIVATE = 64


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        await found.table()
        yield found


async def private(house: Parlour, person: Person) -> list[Json]:
    await house.quiet()
    found = await person.messages(house.place, 100)
    return [one for one in found if one["flags"] & PRIVATE and "Your table is open" not in words_of(one)]


async def typed(house: Parlour, person: Person, *path: str, **options: object) -> Json:
    return await house.answered(person, await person.slash(house.place, "tiles", *path, **options))


async def test_whoever_types_their_moves_keeps_last_answer_alone(house: Parlour) -> None:
    for _ in range(6):
        told = await house.move()
    assert told.startswith("You played ")
    for person in (house.ada, house.grace):
        (answer,) = await private(house, person)
        assert words_of(answer).startswith("You played ")


async def test_refusal_goes_when_next_answer_comes(house: Parlour) -> None:
    mover = await house.mover()
    for wrong in ("9-9-9", "x"):
        refused = await typed(house, mover, "play", tile=wrong)
    (left,) = await private(house, mover)
    assert words_of(left) == words_of(refused)
    told = await house.place_tile()
    (left,) = await private(house, mover)
    assert words_of(left) == told


async def test_refusal_leaves_answer_before_it_while_its_undo_is_good(house: Parlour) -> None:
    mover = await house.mover()
    told = await house.place_tile()
    (answer,) = await private(house, mover)
    assert "Undo" in labels(answer)
    for _ in range(2):
        refused = await typed(house, mover, "play", tile="0-0-0")
        assert [words_of(one) for one in await private(house, mover)] == [told, words_of(refused)], "one of each"
    await mover.click(answer, label="Undo")
    await mover.wait_for(house.place, lambda one: one["id"] == answer["id"] and "Undo" not in labels(one))
    await house.place_tile()
    assert len(await private(house, mover)) == 2, "what became the hand, and the newest; the refusal is gone"


async def test_refusal_takes_answer_away_once_its_undo_is_no_good(house: Parlour) -> None:
    mover = await house.mover()
    await house.move()
    refused = await typed(house, mover, "play", tile="0-0-0")
    assert [words_of(one) for one in await private(house, mover)] == [words_of(refused)]


async def test_each_kind_has_one_and_hand_stays_with_its_owner(house: Parlour) -> None:
    mover = await house.mover()
    hand = await typed(house, mover, "hand")
    for look in ("board", "scores", "rules"):
        await typed(house, mover, look)
        newest = await typed(house, mover, look)
        assert [one["id"] for one in await private(house, mover)][-1] == newest["id"]
    assert len(await private(house, mover)) == 4
    await house.place_tile()
    assert hand["id"] in [one["id"] for one in await private(house, mover)]
    again = await typed(house, mover, "hand")
    left = [words_of(one) for one in await private(house, mover)]
    assert words_of(again) in left
    assert len(left) == 5


async def test_answer_that_became_hand_is_not_taken_away(house: Parlour) -> None:
    mover = await house.mover()
    await house.place_tile()
    (told,) = await private(house, mover)
    await house.answered(mover, await mover.click(told, label="My hand"))
    newest = await typed(house, mover, "draw")
    assert [one["id"] for one in await private(house, mover)] == [told["id"], newest["id"]]


async def test_what_cannot_be_taken_away_any_more_is_left_alone(house: Parlour) -> None:
    mover = await house.mover()
    old = await typed(house, mover, "board")
    house.skipped[0] += LIFE + 1
    house.faults.lines.clear()
    newest = await typed(house, mover, "board")
    assert [one["id"] for one in await private(house, mover)] == [old["id"], newest["id"]]
    assert not any(line.startswith("DELETE") for line in house.faults.lines)


async def test_what_somebody_put_away_themselves_is_no_trouble(house: Parlour) -> None:
    mover = await house.mover()
    await mover.dismiss(await typed(house, mover, "board"))
    newest = await typed(house, mover, "board")
    assert [one["id"] for one in await private(house, mover)] == [newest["id"]]


async def test_so_many_are_known_and_nothing_of_whoever_is_forgotten() -> None:
    answers, webhook = PassingAnswers(lambda: 0), object()
    for number in range(MOST_KNOWN + 10):
        await answers.came(number, 1, "board", number, webhook)  # type: ignore[arg-type]
    answers.forget(MOST_KNOWN)
    assert len(answers) == MOST_KNOWN - 1
