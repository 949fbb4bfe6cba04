"""The hand message of a player is updated on every turn."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.core.names import SeatNames
from bot.playground.person import PageUser
from bot.sending.live_hands import TRACKED_MS
from bot.tables.hand_views import build_turn_over_view
from bot.tables.service import Table
from data.store.store import Store
from data.words import load_words
from engine.board.tiles import format_tile_notation
from engine.match.actions import Resign
from engine.match.player_view import view_for
from engine.table.commands import TakeAction
from tests.bot.local_bot import Json, LocalBot, labels, run_local_bot, walk, words_of
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA
from tests.wording import says

PRIVATE = 64
YOUR_TURN = "### Your turn"


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        yield found


async def private_messages(sim: LocalBot, person: PageUser) -> list[Json]:
    found = await person.fetch_messages(sim.place, 100)
    return [one for one in found if one["flags"] & PRIVATE and "Your table is open" not in words_of(one)]


async def wait_for_hand(sim: LocalBot, person: PageUser, fits: Callable[[Json], object] = lambda one: True) -> Json:
    async with asyncio.timeout(300):
        while True:
            await sim.quiet()
            shown = await private_messages(sim, person)
            assert len(shown) <= 1, "there is a pile of them"
            if shown and fits(shown[0]):
                return shown[0]
            await asyncio.sleep(0.02)


def is_own_turn(shown: Json) -> bool:
    return YOUR_TURN in words_of(shown)


def choices(shown: Json) -> list[Json]:
    moving = ("by:play:", "by:move:", "by:tile:", "by:draw:", "by:pass:", "by:choose:")
    return [one for one in walk(shown["components"]) if str(one.get("custom_id", "")).startswith(moving)]


async def open_hand(sim: LocalBot, person: PageUser) -> Json:
    (board,) = await sim.boards()
    return await sim.answered(person, await person.click(board, label="My hand"))


async def start_match(sim: LocalBot, **options: object) -> tuple[PageUser, PageUser]:
    await sim.table(**options)
    mover = await sim.mover()
    return mover, sim.grace if mover is sim.ada else sim.ada


async def choose_first_move(sim: LocalBot, person: PageUser, hand: Json) -> Json:
    menu = next(one for one in walk(hand["components"]) if one["type"] == 3)
    return await sim.answered(person, await person.select(hand, [menu["options"][0]["value"]]))


async def take_turn(sim: LocalBot, person: PageUser, hand: Json) -> int:
    shown = await choose_first_move(sim, person, hand)
    presses = 1
    play = next((label for label in labels(shown) if label.startswith("Play ") and label[5] in "+-−0"), None)
    if play is not None:
        await sim.answered(person, await person.click(shown, label=play))
        presses += 1
    await sim.quiet()
    return presses


@pytest.mark.parametrize(("quick", "presses"), [(False, 2), (True, 1)], ids=["asked", "without asking"])
async def test_turn_takes_two_clicks_or_one_without_asking(sim: LocalBot, quick: bool, presses: int) -> None:
    await sim.table()
    for person in (sim.ada, sim.grace):
        await sim.store.users.set_person(int(person.id), quick=quick, now=1)
    ids = {person.id: (await open_hand(sim, person))["id"] for person in (sim.ada, sim.grace)}
    for _ in range(6):
        mover = await sim.mover()
        hand = await wait_for_hand(sim, mover, is_own_turn)
        assert hand["id"] == ids[mover.id]
        assert await take_turn(sim, mover, hand) == presses
        waits = await wait_for_hand(sim, mover, lambda one: not is_own_turn(one))
        assert choices(waits) == []
        assert says(words_of(waits), "hand.comes")
        await sim.stands()


async def test_hand_is_shown_again_after_computer_move(sim: LocalBot) -> None:
    await sim.answered(sim.ada, await sim.ada.use_command(sim.place, "tiles", "help", guided=True))
    first = await wait_for_hand(sim, sim.ada, is_own_turn)
    await take_turn(sim, sim.ada, first)

    again = await wait_for_hand(sim, sim.ada, is_own_turn)
    assert "**A corner match.**" in words_of(again)
    await take_turn(sim, sim.ada, again)
    third = await wait_for_hand(sim, sim.ada, lambda one: is_own_turn(one) and "**Computer** played" in words_of(one))
    assert first["id"] == again["id"] == third["id"]
    assert "**Ada** played" in words_of(third), "it tells all that has happened since one looked"


async def test_hand_is_not_shown_before_previous_move_settles(sim: LocalBot) -> None:
    first, second = await start_match(sim)
    hands = {person.id: await open_hand(sim, person) for person in (first, second)}
    await take_turn(sim, first, hands[first.id])
    assert (await sim.client.services.tables.load(1)).state.tentative_turn is not None

    waiting_hand = await wait_for_hand(sim, second)
    assert not is_own_turn(waiting_hand)
    assert choices(waiting_hand) == []
    await sim.stands()
    assert choices(await wait_for_hand(sim, second, is_own_turn)) != []


async def test_only_newest_hand_stays(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    before = await open_hand(sim, mover)
    after = await open_hand(sim, mover)

    shown = await wait_for_hand(sim, mover, lambda one: one["id"] == after["id"])
    assert shown["id"] != before["id"]
    # The text board is another message and stays.
    (board,) = await sim.boards()
    await sim.answered(mover, await mover.click(board, label="Text board"))
    await sim.quiet()
    assert len(await private_messages(sim, mover)) == 2


async def test_typed_move_removes_choices_from_hand(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    hand = await open_hand(sim, mover)
    assert choices(hand)
    await sim.place_tile()

    shown = await mover.fetch_message(sim.place, hand["id"])
    assert choices(shown) == []
    assert not is_own_turn(shown)


async def test_hand_is_cleared_after_typed_move_until_next_turn(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    hand = await open_hand(sim, mover)
    live_hands = sim.client.services.live_hands
    with live_hands.hold_updates(int(mover.id)):  # the answer is open until the next turn
        await sim.move()
        while await sim.mover() is not mover:
            await sim.move()
    await sim.quiet()

    shown = await mover.fetch_message(sim.place, hand["id"])
    assert choices(shown) == []
    assert not is_own_turn(shown)


async def test_open_preview_is_not_replaced_by_refresh(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    hand = await open_hand(sim, mover)
    preview = await choose_first_move(sim, mover, hand)
    sim.client.services.announcer.refresh(1)
    await sim.quiet()

    assert await mover.fetch_message(sim.place, hand["id"]) == preview


async def test_expired_hand_is_replaced_by_new_message(sim: LocalBot) -> None:
    first, second = await start_match(sim, by_hand=True)  # a player without a legal move has a turn too
    old = await open_hand(sim, second)
    await open_hand(sim, first)
    sim.skipped[0] += TRACKED_MS + 1
    sim.faults.lines.clear()
    await take_turn(sim, first, await open_hand(sim, first))
    await sim.stands()
    assert not any(f"/messages/{old['id']}" in line for line in sim.faults.lines)

    fresh = await open_hand(sim, second)
    assert fresh["id"] != old["id"]
    assert is_own_turn(fresh)


async def test_dismissed_hand_is_not_shown_again(sim: LocalBot) -> None:
    first, second = await start_match(sim, by_hand=True)  # a player without a legal move has a turn too
    await second.dismiss(await open_hand(sim, second))
    await take_turn(sim, first, await open_hand(sim, first))
    await sim.stands()

    assert await private_messages(sim, second) == []
    assert is_own_turn(await open_hand(sim, second))


async def test_undo_shows_choices_at_once(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    await take_turn(sim, mover, await open_hand(sim, mover))
    waits = await wait_for_hand(sim, mover, lambda one: "Take back" in labels(one))
    await sim.answered(mover, await mover.click(waits, label="Take back"))

    assert choices(await wait_for_hand(sim, mover, is_own_turn)) != []


async def test_hand_of_finished_match_names_winner_without_choices(sim: LocalBot) -> None:
    mover, other = await start_match(sim)
    await open_hand(sim, mover)
    await open_hand(sim, other)
    await sim.client.services.acts.act(1, TakeAction(int(other.id), Resign))
    sim.client.services.announcer.refresh(1)

    for person in (mover, other):
        shown = await wait_for_hand(sim, person, lambda one: "### The match is over" in words_of(one))
        assert choices(shown) == []
        assert f"**{mover.name}** won with" in words_of(shown)
    match = (await sim.client.services.tables.load(1)).match
    assert [view_for(match, seat).moves for seat in (0, 1)] == [(), ()]


async def test_hand_of_closed_table_says_closed(sim: LocalBot) -> None:
    await sim.answered(sim.ada, await sim.ada.use_command(sim.place, "tiles", "help", guided=True))
    await wait_for_hand(sim, sim.ada, is_own_turn)
    await sim.ada.use_command(sim.place, "tiles", "leave")

    await sim.ada.wait_for_message(
        sim.place, lambda one: one["flags"] & PRIVATE and says(words_of(one), "lobby.closed")
    )
    assert not any(choices(one) for one in await private_messages(sim, sim.ada))


async def test_each_player_is_shown_only_own_hand(sim: LocalBot) -> None:
    await sim.table()
    for person in (sim.ada, sim.grace):
        await open_hand(sim, person)
    for _ in range(4):
        mover = await sim.mover()
        shown = await wait_for_hand(sim, mover, is_own_turn)
        table = await sim.client.services.tables.load(1)
        seat = table.find_seat(int(mover.id))
        assert seat is not None
        (alt,) = [item["description"] for one in walk(shown["components"]) for item in one.get("items", [])]
        held = re.match(r"Your hand: ([^.]*)\.", alt)
        assert sorted(held[1].split(", ")) == sorted(map(format_tile_notation, table.match.seats[seat].hand))
        await take_turn(sim, mover, shown)
        await sim.stands()


async def test_interaction_tokens_are_not_stored(sim: LocalBot, url: str) -> None:
    await sim.table()
    await take_turn(sim, mover := await sim.mover(), await open_hand(sim, mover))
    await sim.stands()

    tokens = [one.token.encode() for one in sim.discord.interactions.list_recent()]
    database = Path(url.removeprefix("sqlite:///"))
    held = b"".join(file.read_bytes() for file in database.parent.glob(f"{database.name}*"))
    assert len(tokens) > 3
    assert b"TurnBegan".lower() in held.lower(), "this is where it is kept what happened"
    assert not any(token in held for token in tokens)


NAMES = SeatNames(("Ada", "Computer"), ("Ada", "Computer"))
UNTIL = 9_000_000


async def _ignore_moves(_match_id: int) -> None:
    """Ignore the moves of the computers."""


def render_waiting_hand(table: Table) -> object:
    seat = table.find_seat(ADA)
    assert seat is not None
    view = build_turn_over_view(
        table, view_for(table.match, seat), NAMES, load_words("en"), note="", quick=False, until=UNTIL
    )
    return view.to_components()  # type: ignore[no-untyped-call]


async def test_waiting_hand_is_unchanged_by_computer_move(store: Store) -> None:
    timed_table = TimedTable(store)
    number = (await timed_table.open(seats=2, computers=1)).head.match_id
    await timed_table.computers.play(number, _ignore_moves)
    before = await timed_table.place(number)
    after = await timed_table.computers.play(number, _ignore_moves)
    assert before.match.turn != after.match.turn
    assert render_waiting_hand(before) == render_waiting_hand(after)
