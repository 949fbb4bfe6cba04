"""A press in one's own message, or a move that is typed, is answered by one request, where the answer is there at once;
and whatever becomes of that request, a move is made once and told.
"""

import asyncio
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest

from bot.core import context
from bot.playground.person import Person
from bot.tables import hand_commands, messages
from render.table.hand import hand_picture
from tests.bot.parlour import Json, Parlour, labels, parlour, walk, words_of
from tests.wording import says

CALLBACK = "/callback"
ORIGINAL = "/messages/@original"
NEVER = 3600.0


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        yield found


async def hand(house: Parlour) -> tuple[Person, Json]:
    await house.table()
    mover = await house.mover()
    await house.store.users.set_person(int(mover.id), quick=False, now=1)
    (call,) = await house.calls()
    shown = await house.answered(mover, await mover.click(call, label="My hand"))
    (menu,) = [one for one in walk(shown["components"]) if one["type"] == 3][:1]
    looked = await mover.select(shown, [menu["options"][0]["value"]])
    shown = await house.answered(mover, looked)
    assert play(shown)
    house.faults.lines.clear()
    return mover, shown


def play(shown: Json) -> str:
    return next(label for label in labels(shown) if label.startswith("Play "))


def answers(house: Parlour) -> list[str]:
    return [
        CALLBACK if line.endswith(CALLBACK) else ORIGINAL
        for line in house.faults.lines
        if line.endswith((CALLBACK, ORIGINAL))
    ]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((context, "OLD"), (context, "SOON"), (hand_commands, "SOON")):
        monkeypatch.setattr(module, name, NEVER)


@pytest.mark.usefixtures("at_once")
async def test_what_is_answered_at_once_is_one_request(house: Parlour) -> None:
    mover, shown = await hand(house)
    before = await house.head()
    told = await house.answered(mover, await mover.click(shown, label=play(shown)))
    assert words_of(told).startswith("You played ")
    assert told["id"] == shown["id"], "in place of what was pressed"
    assert answers(house) == [CALLBACK]
    assert (await house.head()).seq > before.seq


@pytest.mark.usefixtures("at_once")
async def test_move_that_is_typed_is_answered_by_one_request_before_anybody_else_is_shown_it(house: Parlour) -> None:
    await house.table()
    await house.mover()
    house.faults.lines.clear()
    assert (await house.place_tile()).startswith("You played ")
    lines = [line for line in house.faults.lines if "/interactions/" in line or "/messages/" in line]
    shown = next(at for at, line in enumerate(lines) if line.startswith("PATCH") and f"/channels/{house.place}" in line)
    assert answers(house)[-1] == CALLBACK
    assert ORIGINAL not in answers(house)
    assert lines[shown - 1].endswith(CALLBACK)


async def test_what_takes_longer_is_acknowledged_first(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, shown = await hand(house)
    acknowledged = asyncio.Event()
    monkeypatch.setattr(context, "SOON", 0.0)
    drawn = messages.drawn

    async def slowly(draw: Any, *given: Any, **more: Any) -> Any:
        if draw is hand_picture:
            await acknowledged.wait()
        return await drawn(draw, *given, **more)

    monkeypatch.setattr(messages, "drawn", slowly)
    interaction = await mover.click(shown, label=play(shown))
    async with asyncio.timeout(300):
        while not answers(house):  # noqa: ASYNC110 - the local Discord tells nobody
            await asyncio.sleep(0.01)
    acknowledged.set()
    await mover.wait_for(house.place, lambda one: words_of(one).startswith("You played "))
    assert interaction
    assert answers(house) == [CALLBACK, ORIGINAL]


@pytest.mark.usefixtures("at_once")
async def test_answer_of_which_nobody_knows_whether_it_arrived_is_given_once(house: Parlour) -> None:
    mover, shown = await hand(house)
    before = await house.head()
    house.faults.lose_answers(1.0, Random(1), part=CALLBACK, times=1)
    await mover.click(shown, label=play(shown))
    await mover.wait_for(house.place, lambda one: words_of(one).startswith("You played "))
    await house.quiet()
    assert house.faults.lost == 1
    said = [one for one in await mover.messages(house.place) if words_of(one).startswith("You played ")]
    assert [one["id"] for one in said] == [shown["id"]]
    assert (await house.head()).seq > before.seq


@pytest.mark.usefixtures("at_once")
async def test_answer_that_is_refused_is_told_of_and_move_is_made(house: Parlour) -> None:
    mover, shown = await hand(house)
    before = await house.head()
    house.faults.next_status(CALLBACK, 400, code=50035)
    await mover.click(shown, label=play(shown))
    await mover.wait_for(house.place, lambda one: says(words_of(one), "no.DONE_UNSAID"))
    assert (await house.head()).seq > before.seq


async def test_old_interaction_acts_only_after_acknowledgement(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, shown = await hand(house)
    monkeypatch.setattr(context, "OLD", -60.0)
    before = await house.head()
    house.faults.next_status(CALLBACK, 404, code=10062)
    await mover.click(shown, label=play(shown))
    async with asyncio.timeout(300):
        while not answers(house):  # noqa: ASYNC110 - the local Discord tells nobody
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    assert (await house.head()).seq == before.seq
    assert answers(house) == [CALLBACK]
