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
from tests.bot.local_bot import Json, LocalBot, list_button_labels, list_components, read_text, run_local_bot
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA
from tests.wording import has_sentence

EPHEMERAL_FLAG = 64
YOUR_TURN = "### Your turn"


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        yield found


async def fetch_private_messages(sim: LocalBot, person: PageUser) -> list[Json]:
    found = await person.fetch_messages(sim.channel_id, 100)
    return [one for one in found if one["flags"] & EPHEMERAL_FLAG and "Your table is open" not in read_text(one)]


async def wait_for_hand(sim: LocalBot, person: PageUser, fits: Callable[[Json], object] = lambda one: True) -> Json:
    async with asyncio.timeout(300):
        while True:
            await sim.wait_until_idle()
            messages = await fetch_private_messages(sim, person)
            assert len(messages) <= 1, "there is a pile of them"
            if messages and fits(messages[0]):
                return messages[0]
            await asyncio.sleep(0.02)


def is_own_turn(message: Json) -> bool:
    return YOUR_TURN in read_text(message)


def list_move_buttons(message: Json) -> list[Json]:
    move_ids = ("by:play:", "by:move:", "by:tile:", "by:draw:", "by:pass:", "by:choose:")
    return [one for one in list_components(message["components"]) if str(one.get("custom_id", "")).startswith(move_ids)]


async def open_hand(sim: LocalBot, person: PageUser) -> Json:
    (board,) = await sim.list_boards()
    return await sim.wait_for_answer(person, await person.click(board, label="My hand"))


async def start_match(sim: LocalBot, **options: object) -> tuple[PageUser, PageUser]:
    await sim.start_table(**options)
    mover = await sim.get_mover()
    return mover, sim.grace if mover is sim.ada else sim.ada


async def choose_first_move(sim: LocalBot, person: PageUser, hand: Json) -> Json:
    menu = next(one for one in list_components(hand["components"]) if one["type"] == 3)
    return await sim.wait_for_answer(person, await person.select(hand, [menu["options"][0]["value"]]))


async def take_turn(sim: LocalBot, person: PageUser, hand: Json) -> int:
    preview = await choose_first_move(sim, person, hand)
    presses = 1
    play = next(
        (label for label in list_button_labels(preview) if label.startswith("Play ") and label[5] in "+-−0"), None
    )
    if play is not None:
        await sim.wait_for_answer(person, await person.click(preview, label=play))
        presses += 1
    await sim.wait_until_idle()
    return presses


@pytest.mark.parametrize(("quick", "presses"), [(False, 2), (True, 1)], ids=["asked", "without asking"])
async def test_turn_takes_two_clicks_or_one_without_asking(sim: LocalBot, quick: bool, presses: int) -> None:
    await sim.start_table()
    for person in (sim.ada, sim.grace):
        await sim.store.users.set_person(int(person.id), quick=quick, now=1)
    ids = {person.id: (await open_hand(sim, person))["id"] for person in (sim.ada, sim.grace)}
    for _ in range(6):
        mover = await sim.get_mover()
        hand = await wait_for_hand(sim, mover, is_own_turn)
        assert hand["id"] == ids[mover.id]
        assert await take_turn(sim, mover, hand) == presses
        waiting_hand = await wait_for_hand(sim, mover, lambda one: not is_own_turn(one))
        assert list_move_buttons(waiting_hand) == []
        assert has_sentence(read_text(waiting_hand), "hand.comes")
        await sim.settle_turn()


async def test_hand_is_shown_again_after_computer_move(sim: LocalBot) -> None:
    await sim.wait_for_answer(sim.ada, await sim.ada.use_command(sim.channel_id, "tiles", "help", guided=True))
    first = await wait_for_hand(sim, sim.ada, is_own_turn)
    await take_turn(sim, sim.ada, first)

    second_hand = await wait_for_hand(sim, sim.ada, is_own_turn)
    assert "**A corner match.**" in read_text(second_hand)
    await take_turn(sim, sim.ada, second_hand)
    third_hand = await wait_for_hand(
        sim, sim.ada, lambda one: is_own_turn(one) and "**Computer** played" in read_text(one)
    )
    assert first["id"] == second_hand["id"] == third_hand["id"]
    assert "**Ada** played" in read_text(third_hand), "it tells all that has happened since one looked"


async def test_hand_is_not_shown_before_previous_move_settles(sim: LocalBot) -> None:
    first, second = await start_match(sim)
    hands = {person.id: await open_hand(sim, person) for person in (first, second)}
    await take_turn(sim, first, hands[first.id])
    assert (await sim.client.services.tables.load(1)).state.tentative_turn is not None

    waiting_hand = await wait_for_hand(sim, second)
    assert not is_own_turn(waiting_hand)
    assert list_move_buttons(waiting_hand) == []
    await sim.settle_turn()
    assert list_move_buttons(await wait_for_hand(sim, second, is_own_turn)) != []


async def test_only_newest_hand_stays(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    before = await open_hand(sim, mover)
    after = await open_hand(sim, mover)

    newest_hand = await wait_for_hand(sim, mover, lambda one: one["id"] == after["id"])
    assert newest_hand["id"] != before["id"]
    # The text board is another message and stays.
    (board,) = await sim.list_boards()
    await sim.wait_for_answer(mover, await mover.click(board, label="Text board"))
    await sim.wait_until_idle()
    assert len(await fetch_private_messages(sim, mover)) == 2


async def test_typed_move_removes_choices_from_hand(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    hand = await open_hand(sim, mover)
    assert list_move_buttons(hand)
    await sim.place_tile()

    edited_hand = await mover.fetch_message(sim.channel_id, hand["id"])
    assert list_move_buttons(edited_hand) == []
    assert not is_own_turn(edited_hand)


async def test_hand_is_cleared_after_typed_move_until_next_turn(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    hand = await open_hand(sim, mover)
    live_hands = sim.client.services.live_hands
    with live_hands.hold_updates(int(mover.id)):  # the answer is open until the next turn
        await sim.move()
        while await sim.get_mover() is not mover:
            await sim.move()
    await sim.wait_until_idle()

    edited_hand = await mover.fetch_message(sim.channel_id, hand["id"])
    assert list_move_buttons(edited_hand) == []
    assert not is_own_turn(edited_hand)


async def test_open_preview_is_not_replaced_by_refresh(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    hand = await open_hand(sim, mover)
    preview = await choose_first_move(sim, mover, hand)
    sim.client.services.announcer.refresh(1)
    await sim.wait_until_idle()

    assert await mover.fetch_message(sim.channel_id, hand["id"]) == preview


async def test_expired_hand_is_replaced_by_new_message(sim: LocalBot) -> None:
    first, second = await start_match(sim, by_hand=True)  # a player without a legal move has a turn too
    old_hand = await open_hand(sim, second)
    await open_hand(sim, first)
    sim.skipped[0] += TRACKED_MS + 1
    sim.faults.requests.clear()
    await take_turn(sim, first, await open_hand(sim, first))
    await sim.settle_turn()
    assert not any(f"/messages/{old_hand['id']}" in line for line in sim.faults.requests)

    new_hand = await open_hand(sim, second)
    assert new_hand["id"] != old_hand["id"]
    assert is_own_turn(new_hand)


async def test_dismissed_hand_is_not_shown_again(sim: LocalBot) -> None:
    first, second = await start_match(sim, by_hand=True)  # a player without a legal move has a turn too
    await second.dismiss(await open_hand(sim, second))
    await take_turn(sim, first, await open_hand(sim, first))
    await sim.settle_turn()

    assert await fetch_private_messages(sim, second) == []
    assert is_own_turn(await open_hand(sim, second))


async def test_undo_shows_choices_at_once(sim: LocalBot) -> None:
    mover, _ = await start_match(sim)
    await take_turn(sim, mover, await open_hand(sim, mover))
    waiting_hand = await wait_for_hand(sim, mover, lambda one: "Take back" in list_button_labels(one))
    await sim.wait_for_answer(mover, await mover.click(waiting_hand, label="Take back"))

    assert list_move_buttons(await wait_for_hand(sim, mover, is_own_turn)) != []


async def test_hand_of_finished_match_names_winner_without_choices(sim: LocalBot) -> None:
    mover, other = await start_match(sim)
    await open_hand(sim, mover)
    await open_hand(sim, other)
    await sim.client.services.acts.act(1, TakeAction(int(other.id), Resign))
    sim.client.services.announcer.refresh(1)

    for person in (mover, other):
        final_hand = await wait_for_hand(sim, person, lambda one: "### The match is over" in read_text(one))
        assert list_move_buttons(final_hand) == []
        assert f"**{mover.name}** won with" in read_text(final_hand)
    match = (await sim.client.services.tables.load(1)).match
    assert [view_for(match, seat).moves for seat in (0, 1)] == [(), ()]


async def test_hand_of_closed_table_says_closed(sim: LocalBot) -> None:
    await sim.wait_for_answer(sim.ada, await sim.ada.use_command(sim.channel_id, "tiles", "help", guided=True))
    await wait_for_hand(sim, sim.ada, is_own_turn)
    await sim.ada.use_command(sim.channel_id, "tiles", "leave")

    await sim.ada.wait_for_message(
        sim.channel_id, lambda one: one["flags"] & EPHEMERAL_FLAG and has_sentence(read_text(one), "lobby.closed")
    )
    assert not any(list_move_buttons(one) for one in await fetch_private_messages(sim, sim.ada))


async def test_each_player_is_shown_only_own_hand(sim: LocalBot) -> None:
    await sim.start_table()
    for person in (sim.ada, sim.grace):
        await open_hand(sim, person)
    for _ in range(4):
        mover = await sim.get_mover()
        hand = await wait_for_hand(sim, mover, is_own_turn)
        table = await sim.client.services.tables.load(1)
        seat = table.find_seat(int(mover.id))
        assert seat is not None
        (alt,) = [item["description"] for one in list_components(hand["components"]) for item in one.get("items", [])]
        hand_text = re.match(r"Your hand: ([^.]*)\.", alt)
        assert sorted(hand_text[1].split(", ")) == sorted(map(format_tile_notation, table.match.seats[seat].hand))
        await take_turn(sim, mover, hand)
        await sim.settle_turn()


async def test_interaction_tokens_are_not_stored(sim: LocalBot, url: str) -> None:
    await sim.start_table()
    await take_turn(sim, mover := await sim.get_mover(), await open_hand(sim, mover))
    await sim.settle_turn()

    tokens = [one.token.encode() for one in sim.discord.interactions.list_recent()]
    database = Path(url.removeprefix("sqlite:///"))
    database_bytes = b"".join(file.read_bytes() for file in database.parent.glob(f"{database.name}*"))
    assert len(tokens) > 3
    assert b"TurnBegan".lower() in database_bytes.lower(), "this is where it is kept what happened"
    assert not any(token in database_bytes for token in tokens)


NAMES = SeatNames(("Ada", "Computer"), ("Ada", "Computer"))
VALID_UNTIL = 9_000_000


async def _ignore_moves(_match_id: int) -> None:
    """Ignore the moves of the computers."""


def render_waiting_hand(table: Table) -> object:
    seat = table.find_seat(ADA)
    assert seat is not None
    view = build_turn_over_view(table, view_for(table.match, seat), NAMES, load_words("en"), note="", until=VALID_UNTIL)
    return view.to_components()  # type: ignore[no-untyped-call]


async def test_waiting_hand_is_unchanged_by_computer_move(store: Store) -> None:
    timed_table = TimedTable(store)
    number = (await timed_table.open(seats=2, computers=1)).head.match_id
    await timed_table.computers.play(number, _ignore_moves)
    before = await timed_table.play_tentatively(number)
    after = await timed_table.computers.play(number, _ignore_moves)
    assert before.match.turn != after.match.turn
    assert render_waiting_hand(before) == render_waiting_hand(after)
