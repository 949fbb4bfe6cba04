"""The hand stays with its owner."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.core.names import Names
from bot.playground.person import Person
from bot.sending.live_hands import LIFE
from bot.tables.hand_views import turn_over_view
from bot.tables.service import Table
from data.store.store import Store
from data.words import words
from engine.board.tiles import tile_text
from engine.match.actions import Resign
from engine.match.player_view import view_for
from engine.table.commands import Act
from tests.bot.desk import ADA
from tests.bot.parlour import Json, Parlour, labels, parlour, walk, words_of
from tests.bot.waiting_room import WaitingRoom
from tests.wording import says

PRIVATE = 64
YOURS = "### Your turn"


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        yield found


async def private(house: Parlour, person: Person) -> list[Json]:
    found = await person.messages(house.place, 100)
    return [one for one in found if one["flags"] & PRIVATE and "Your table is open" not in words_of(one)]


async def the_hand(house: Parlour, person: Person, fits: Callable[[Json], object] = lambda one: True) -> Json:
    async with asyncio.timeout(300):
        while True:
            await house.quiet()
            shown = await private(house, person)
            assert len(shown) <= 1, "there is a pile of them"
            if shown and fits(shown[0]):
                return shown[0]
            await asyncio.sleep(0.02)


def is_mine(shown: Json) -> bool:
    return YOURS in words_of(shown)


def choices(shown: Json) -> list[Json]:
    moving = ("by:play:", "by:move:", "by:tile:", "by:draw:", "by:pass:", "by:choose:")
    return [one for one in walk(shown["components"]) if str(one.get("custom_id", "")).startswith(moving)]


async def look(house: Parlour, person: Person) -> Json:
    (board,) = await house.boards()
    return await house.answered(person, await person.click(board, label="My hand"))


async def seated(house: Parlour, **options: object) -> tuple[Person, Person]:
    await house.table(**options)
    mover = await house.mover()
    return mover, house.grace if mover is house.ada else house.ada


async def choose(house: Parlour, person: Person, hand: Json) -> Json:
    menu = next(one for one in walk(hand["components"]) if one["type"] == 3)
    return await house.answered(person, await person.select(hand, [menu["options"][0]["value"]]))


async def take_turn(house: Parlour, person: Person, hand: Json) -> int:
    shown = await choose(house, person, hand)
    presses = 1
    play = next((label for label in labels(shown) if label.startswith("Play ") and label[5] in "+-−0"), None)
    if play is not None:
        await house.answered(person, await person.click(shown, label=play))
        presses += 1
    await house.quiet()
    return presses


@pytest.mark.parametrize(("quick", "presses"), [(False, 2), (True, 1)], ids=["asked", "without asking"])
async def test_turn_takes_two_clicks_or_one_without_asking(house: Parlour, quick: bool, presses: int) -> None:
    await house.table()
    for person in (house.ada, house.grace):
        await house.store.users.set_person(int(person.id), quick=quick, now=1)
    ids = {person.id: (await look(house, person))["id"] for person in (house.ada, house.grace)}
    for _ in range(6):
        mover = await house.mover()
        hand = await the_hand(house, mover, is_mine)
        assert hand["id"] == ids[mover.id]
        assert await take_turn(house, mover, hand) == presses
        waits = await the_hand(house, mover, lambda one: not is_mine(one))
        assert choices(waits) == []
        assert says(words_of(waits), "hand.comes")
        await house.stands()


async def test_computer_answers_and_hand_is_there_again(house: Parlour) -> None:
    await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "help", guided=True))
    first = await the_hand(house, house.ada, is_mine)
    await take_turn(house, house.ada, first)

    again = await the_hand(house, house.ada, is_mine)
    assert "**A corner match.**" in words_of(again)
    await take_turn(house, house.ada, again)
    third = await the_hand(house, house.ada, lambda one: is_mine(one) and "**Computer** played" in words_of(one))
    assert first["id"] == again["id"] == third["id"]
    assert "**Ada** played" in words_of(third), "it tells all that has happened since one looked"


async def test_nothing_is_shown_before_turn_before_stands(house: Parlour) -> None:
    first, second = await seated(house)
    hands = {person.id: await look(house, person) for person in (first, second)}
    await take_turn(house, first, hands[first.id])
    assert (await house.client.services.tables.load(1)).state.unsettled is not None

    waiting = await the_hand(house, second)
    assert not is_mine(waiting)
    assert choices(waiting) == []
    await house.stands()
    assert choices(await the_hand(house, second, is_mine)) != []


async def test_only_newest_stays(house: Parlour) -> None:
    mover, _ = await seated(house)
    before = await look(house, mover)
    after = await look(house, mover)

    shown = await the_hand(house, mover, lambda one: one["id"] == after["id"])
    assert shown["id"] != before["id"]
    # The table in words is something else, and stays beside it.
    (board,) = await house.boards()
    await house.answered(mover, await mover.click(board, label="Text board"))
    await house.quiet()
    assert len(await private(house, mover)) == 2


async def test_what_is_played_by_typing_leaves_no_choice_in_message(house: Parlour) -> None:
    mover, _ = await seated(house)
    hand = await look(house, mover)
    assert choices(hand)
    await house.place_tile()

    shown = await mover.message(house.place, hand["id"])
    assert choices(shown) == []
    assert not is_mine(shown)


async def test_hand_is_cleared_after_typed_move_until_next_turn(house: Parlour) -> None:
    mover, _ = await seated(house)
    hand = await look(house, mover)
    live_hands = house.client.services.live_hands
    with live_hands.answering(int(mover.id)):  # it lasts until others have moved
        await house.move()
        while await house.mover() is not mover:
            await house.move()
    await house.quiet()

    shown = await mover.message(house.place, hand["id"])
    assert choices(shown) == []
    assert not is_mine(shown)


async def test_what_somebody_looks_at_is_left_alone_until_something_happens(house: Parlour) -> None:
    mover, _ = await seated(house)
    hand = await look(house, mover)
    preview = await choose(house, mover, hand)
    house.client.services.announcer.refresh(1)
    await house.quiet()

    assert await mover.message(house.place, hand["id"]) == preview


async def test_when_its_time_is_over_press_brings_another(house: Parlour) -> None:
    first, second = await seated(house, by_hand=True)  # a player without a legal move has a turn too
    old = await look(house, second)
    await look(house, first)
    house.skipped[0] += LIFE + 1
    house.faults.lines.clear()
    await take_turn(house, first, await look(house, first))
    await house.stands()
    assert not any(f"/messages/{old['id']}" in line for line in house.faults.lines)

    fresh = await look(house, second)
    assert fresh["id"] != old["id"]
    assert is_mine(fresh)


async def test_message_that_was_put_away_is_forgotten(house: Parlour) -> None:
    first, second = await seated(house, by_hand=True)  # a player without a legal move has a turn too
    await second.dismiss(await look(house, second))
    await take_turn(house, first, await look(house, first))
    await house.stands()

    assert await private(house, second) == []
    assert is_mine(await look(house, second))


async def test_what_take_back_gives_back_is_there_at_once(house: Parlour) -> None:
    mover, _ = await seated(house)
    await take_turn(house, mover, await look(house, mover))
    waits = await the_hand(house, mover, lambda one: "Undo" in labels(one))
    await house.answered(mover, await mover.click(waits, label="Undo"))

    assert choices(await the_hand(house, mover, is_mine)) != []


async def test_at_end_nothing_can_be_chosen_and_it_says_who_won(house: Parlour) -> None:
    mover, other = await seated(house)
    await look(house, mover)
    await look(house, other)
    await house.client.services.acts.act(1, Act(int(other.id), Resign))
    house.client.services.announcer.refresh(1)

    for person in (mover, other):
        shown = await the_hand(house, person, lambda one: "### The match is over" in words_of(one))
        assert choices(shown) == []
        assert f"**{mover.name}** won with" in words_of(shown)
    match = (await house.client.services.tables.load(1)).match
    assert [view_for(match, seat).moves for seat in (0, 1)] == [(), ()]


async def test_table_that_is_closed_says_so_there(house: Parlour) -> None:
    await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "help", guided=True))
    await the_hand(house, house.ada, is_mine)
    await house.ada.slash(house.place, "tiles", "leave")

    await house.ada.wait_for(house.place, lambda one: one["flags"] & PRIVATE and "table was closed" in words_of(one))
    assert not any(choices(one) for one in await private(house, house.ada))


async def test_everybody_is_shown_their_own_hand_and_no_other(house: Parlour) -> None:
    await house.table()
    for person in (house.ada, house.grace):
        await look(house, person)
    for _ in range(4):
        mover = await house.mover()
        shown = await the_hand(house, mover, is_mine)
        table = await house.client.services.tables.load(1)
        seat = table.seat_of(int(mover.id))
        assert seat is not None
        (alt,) = [item["description"] for one in walk(shown["components"]) for item in one.get("items", [])]
        held = re.match(r"Your hand: ([^.]*)\.", alt)
        assert sorted(held[1].split(", ")) == sorted(map(tile_text, table.match.seats[seat].hand))
        await take_turn(house, mover, shown)
        await house.stands()


async def test_tokens_are_kept_in_memory_alone(house: Parlour, url: str) -> None:
    await house.table()
    await take_turn(house, mover := await house.mover(), await look(house, mover))
    await house.stands()

    tokens = [one.token.encode() for one in house.discord.interactions.recent()]
    database = Path(url.removeprefix("sqlite:///"))
    held = b"".join(file.read_bytes() for file in database.parent.glob(f"{database.name}*"))
    assert len(tokens) > 3
    assert b"TurnBegan".lower() in held.lower(), "this is where it is kept what happened"
    assert not any(token in held for token in tokens)


NAMES = Names(("Ada", "Computer"), ("Ada", "Computer"))
UNTIL = 9_000_000


async def _nobody(_match_id: int) -> None:
    """Ignore what the computers do."""


def waiting(table: Table) -> object:
    seat = table.seat_of(ADA)
    assert seat is not None
    view = turn_over_view(table, view_for(table.match, seat), NAMES, words("en"), note="", quick=False, until=UNTIL)
    return view.to_components()  # type: ignore[no-untyped-call]


async def test_waiting_hand_rendered_before_and_after_computers_move_is_equal(store: Store) -> None:
    room = WaitingRoom(store)
    number = (await room.open(seats=2, computers=1)).head.match_id
    await room.computers.play(number, _nobody)
    before = await room.place(number)
    after = await room.computers.play(number, _nobody)
    assert before.match.turn != after.match.turn
    assert waiting(before) == waiting(after)
