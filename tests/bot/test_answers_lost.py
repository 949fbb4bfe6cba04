"""The answer to what somebody asked for gets lost. Nobody reads "try again" about what was done."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from random import Random

import pytest

from bot.base import requests
from bot.commands import first_answer, opening
from bot.playground.person import Person
from data.words import words
from tests.bot.parlour import Json, Parlour, labels, parlour, words_of

ANSWER = "PATCH /api/v10/webhooks"
EN = words("en")
AGAIN = "Try again"


def begins(key: str) -> str:
    """The first sentence of what is said then."""
    return EN(key, reference="").partition(". ")[0]


DONE, PERHAPS, BROKEN = begins("no.DONE_UNSAID"), begins("no.PERHAPS_DONE"), begins("no.BROKEN")


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        yield found


async def told(house: Parlour, person: Person, interaction: str) -> Json:
    """What somebody reads in the end, when the first answer was refused or lost."""

    outcome = await person.outcome(interaction)
    async with asyncio.timeout(300):
        for pause in itertools.repeat(0.02):
            found = await person.message(house.place, outcome["message_id"])
            if words_of(found).startswith((DONE, PERHAPS, BROKEN)):
                break
            await asyncio.sleep(pause)
    assert (AGAIN in words_of(found)) == words_of(found).startswith(BROKEN)
    return found


def lose(house: Parlour, how: str) -> None:
    """The next answer."""
    if how == "refused":
        house.faults.next_status(ANSWER, 400, code=50035)
    elif how == "a 429 in front of Discord":
        house.faults.next_page(ANSWER, 429)
    else:
        house.faults.lose_answers(1.0, Random(1), part=ANSWER, times=1)


async def typed(house: Parlour, mover: Person) -> str:
    offered = await mover.autocomplete(house.place, "tiles", "play", focused="tile", tile="")
    tile = offered[0]["value"]
    places = await mover.autocomplete(house.place, "tiles", "play", focused="place", tile=tile, place="")
    return await mover.slash(house.place, "tiles", "play", tile=tile, place=places[0]["value"])


@pytest.mark.parametrize("how", ["refused", "a 429 in front of Discord", "the connection breaks"])
async def test_a_move_whose_answer_is_lost_is_told_as_done_with_a_way_to_see_it(
    house: Parlour, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_answer, "SOON", 0.0)  # it is acknowledged, and answered after that
    before = await house.table()
    mover = await house.mover()
    interaction = typed(house, mover)
    lose(house, how)
    found = await told(house, mover, await interaction)
    assert words_of(found).startswith(DONE)
    assert (await house.head()).seq > before.seq
    await mover.click(found, label="My hand")
    await mover.wait_for(house.place, lambda one: "Your hand" in words_of(one))


async def test_a_table_that_is_open_is_not_asked_for_again(house: Parlour) -> None:
    lose(house, "refused")
    found = await told(house, house.ada, await house.ada.slash(house.place, "tiles", "new", seats=2))
    assert words_of(found).startswith(DONE)
    assert (await house.head()).state == "lobby"


async def test_a_setting_that_was_kept_may_be_done(house: Parlour) -> None:
    lose(house, "refused")
    found = await told(house, house.ada, await house.ada.slash(house.place, "tiles", "settings", remind=False))
    assert words_of(found).startswith(PERHAPS)
    assert not (await house.client.services.people.preferences(int(house.ada.id))).remind


async def test_whoever_only_looked_may_look_again(house: Parlour) -> None:
    await house.table()
    mover = await house.mover()
    (waiting,) = [person for person in house.people.values() if person is not mover]
    lose(house, "refused")
    found = await told(house, waiting, await waiting.slash(house.place, "tiles", "hand"))
    assert words_of(found).startswith(BROKEN)


async def test_what_another_process_has_done_is_told_as_done(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.table()
    mover = await house.mover()
    store = house.client.services.store
    really = store.seen_request

    async def noted(interaction_id: int) -> tuple[int, int] | None:
        return await really(interaction_id) or (1, 1)

    async def breaks(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(store, "seen_request", noted)
    monkeypatch.setattr(house.client.services.acts, "act", breaks)
    found = await told(house, mover, await typed(house, mover))
    assert words_of(found).startswith(DONE)


async def test_nobody_waits_for_their_answer_as_long_as_discord_makes_boards_wait(
    house: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "SHOWN", 0.2)
    house.faults.next_status("POST /api/v10/channels", 429, retry_after=3.0, scope="global")
    opened = await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "new", seats=2))
    assert words_of(opened).startswith("Your table is open")
    assert await house.boards() == [], "Discord is still waited for"
    await house.quiet()
    assert len(await house.boards()) == 1
    assert "Join" in labels((await house.boards())[0])
    assert requests.ANSWER > 3.0, "nothing of ours was over"
