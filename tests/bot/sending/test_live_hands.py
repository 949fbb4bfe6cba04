"""The hand message of a player is updated on every turn."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

from bot.core.names import SeatNames
from bot.sending.live_hands import TRACKED_MS
from bot.tables.hand_views import build_turn_over_view
from bot.tables.service import Table
from data.store.store import Store
from data.words import load_words
from engine.board.tiles import format_tile_notation
from engine.match.actions import Resign
from engine.match.player_view import view_for
from engine.table.commands import TakeAction
from tests.bot.local_bot import Json, LocalBot, list_button_labels, list_components, read_text
from tests.bot.sending.posts import EPHEMERAL_FLAG, fetch_private_messages
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA
from tests.playground.page_user import PageUser
from tests.wording import has_sentence

YOUR_TURN = "### Your turn"


async def wait_for_hand(sim: LocalBot, person: PageUser, fits: Callable[[Json], object] = lambda one: True) -> Json:
    async with asyncio.timeout(300):
        while True:
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
    return await sim.click(person, board, "My hand")


async def start_match(sim: LocalBot, **options: object) -> tuple[PageUser, PageUser]:
    await sim.start_table(**options)
    mover = await sim.get_mover()
    return mover, sim.grace if mover is sim.ada else sim.ada


async def choose_first_move(sim: LocalBot, person: PageUser, hand: Json) -> Json:
    menu = next(one for one in list_components(hand["components"]) if one["type"] == 3)
    return await sim.wait_for_answer(person, await person.select(hand, [menu["options"][0]["value"]]))


async def take_turn(sim: LocalBot, person: PageUser, hand: Json) -> None:
    """Press the button of the best move."""
    best = next(one for one in list_move_buttons(hand) if one["custom_id"].startswith("by:play:"))
    await sim.click(person, hand, best["label"])
    await sim.wait_until_idle()


async def test_turn_takes_one_click(stage: LocalBot) -> None:
    ids = {person.id: (await open_hand(stage, person))["id"] for person in (stage.ada, stage.grace)}
    for _ in range(6):
        mover = await stage.get_mover()
        hand = await wait_for_hand(stage, mover, is_own_turn)
        assert hand["id"] == ids[mover.id]
        await take_turn(stage, mover, hand)
        waiting_hand = await wait_for_hand(stage, mover, lambda one: not is_own_turn(one))
        assert list_move_buttons(waiting_hand) == []
        assert has_sentence(read_text(waiting_hand), "hand.comes")
        await stage.settle_turn()


async def test_hand_is_shown_again_after_computer_move(local: LocalBot) -> None:
    await local.use_command(local.ada, "tiles", "help", guided=True)
    first = await wait_for_hand(local, local.ada, is_own_turn)
    await take_turn(local, local.ada, first)

    second_hand = await wait_for_hand(local, local.ada, is_own_turn)
    assert "**A corner match.**" in read_text(second_hand)
    await take_turn(local, local.ada, second_hand)
    third_hand = await wait_for_hand(
        local, local.ada, lambda one: is_own_turn(one) and "**Computer** played" in read_text(one)
    )
    assert first["id"] == second_hand["id"] == third_hand["id"]
    assert has_sentence(read_text(third_hand), "hand.played_at"), "it tells all that has happened since one looked"
    assert "**Ada** played" not in read_text(third_hand)


async def test_hand_is_shown_while_previous_move_can_be_undone(local: LocalBot) -> None:
    first, second = await start_match(local)
    hands = {person.id: await open_hand(local, person) for person in (first, second)}
    await take_turn(local, first, hands[first.id])
    undo_offer = await wait_for_hand(local, first, lambda one: "Take back" in list_button_labels(one))
    assert has_sentence(read_text(await wait_for_hand(local, second, is_own_turn)), "hand.other_may_undo")
    await local.click(first, undo_offer, "Take back")
    waiting_hand = await wait_for_hand(local, second, lambda one: not is_own_turn(one))
    assert list_move_buttons(waiting_hand) == []
    assert has_sentence(read_text(waiting_hand), "event.undone", name=f"**{first.name}**")

    await take_turn(local, first, await wait_for_hand(local, first, is_own_turn))
    shown = await wait_for_hand(local, second, is_own_turn)
    assert (await local.client.services.tables.load(1)).state.tentative_turn is not None
    await local.settle_turn()
    assert await wait_for_hand(local, second) == shown, "it needs no second edit"
    assert list_move_buttons(shown) != []
    await take_turn(local, second, shown)
    assert not is_own_turn(await wait_for_hand(local, second)), "buttons from before it settled are valid"


async def test_only_newest_hand_stays(local: LocalBot) -> None:
    mover, _ = await start_match(local)
    before = await open_hand(local, mover)
    after = await open_hand(local, mover)

    newest_hand = await wait_for_hand(local, mover, lambda one: one["id"] == after["id"])
    assert newest_hand["id"] != before["id"]
    # The text board is another message and stays.
    (board,) = await local.list_boards()
    await local.click(mover, board, "Text board")
    await local.wait_until_idle()
    assert len(await fetch_private_messages(local, mover)) == 2


async def test_typed_move_removes_choices_from_hand(local: LocalBot) -> None:
    mover, _ = await start_match(local)
    hand = await open_hand(local, mover)
    assert list_move_buttons(hand)
    await local.place_tile()

    edited_hand = await mover.fetch_message(local.channel_id, hand["id"])
    assert list_move_buttons(edited_hand) == []
    assert not is_own_turn(edited_hand)


async def test_hand_is_cleared_after_typed_move_until_next_turn(local: LocalBot) -> None:
    mover, _ = await start_match(local)
    hand = await open_hand(local, mover)
    live_hands = local.client.services.live_hands
    with live_hands.hold_updates(int(mover.id)):  # the answer is still being sent when the next turn begins
        await local.move()
        while await local.get_mover() is not mover:
            await local.move()
    await local.wait_until_idle()

    edited_hand = await mover.fetch_message(local.channel_id, hand["id"])
    assert list_move_buttons(edited_hand) == []
    assert not is_own_turn(edited_hand)


async def test_open_preview_is_not_replaced_by_refresh(local: LocalBot) -> None:
    mover, _ = await start_match(local)
    hand = await open_hand(local, mover)
    preview = await choose_first_move(local, mover, hand)
    local.client.services.announcer.refresh(1)
    await local.wait_until_idle()

    assert await mover.fetch_message(local.channel_id, hand["id"]) == preview


async def test_expired_hand_is_replaced_by_new_message(local: LocalBot) -> None:
    first, second = await start_match(local, by_hand=True)  # a player without a legal move has a turn too
    old_hand = await open_hand(local, second)
    await open_hand(local, first)
    local.skipped[0] += TRACKED_MS + 1
    local.faults.requests.clear()
    await take_turn(local, first, await open_hand(local, first))
    await local.settle_turn()
    assert not any(f"/messages/{old_hand['id']}" in line for line in local.faults.requests)

    new_hand = await open_hand(local, second)
    assert new_hand["id"] != old_hand["id"]
    assert is_own_turn(new_hand)


async def test_dismissed_hand_is_not_shown_again(local: LocalBot) -> None:
    first, second = await start_match(local, by_hand=True)  # a player without a legal move has a turn too
    await second.dismiss(await open_hand(local, second))
    await take_turn(local, first, await open_hand(local, first))
    await local.settle_turn()

    assert await fetch_private_messages(local, second) == []
    assert is_own_turn(await open_hand(local, second))


async def test_undo_shows_choices_at_once(local: LocalBot) -> None:
    mover, _ = await start_match(local)
    await take_turn(local, mover, await open_hand(local, mover))
    waiting_hand = await wait_for_hand(local, mover, lambda one: "Take back" in list_button_labels(one))
    await local.click(mover, waiting_hand, "Take back")

    assert list_move_buttons(await wait_for_hand(local, mover, is_own_turn)) != []


async def test_hand_of_finished_match_names_winner_without_choices(local: LocalBot) -> None:
    mover, other = await start_match(local)
    await open_hand(local, mover)
    await open_hand(local, other)
    await local.client.services.acts.act(1, TakeAction(int(other.id), Resign))
    local.client.services.announcer.refresh(1)

    for person in (mover, other):
        final_hand = await wait_for_hand(local, person, lambda one: "Rematch" in list_button_labels(one))
        assert list_move_buttons(final_hand) == []
        assert has_sentence(read_text(final_hand), "end.title", name=mover.name)
        assert "match.png" in str(final_hand["attachments"])
    match = (await local.client.services.tables.load(1)).match
    assert [view_for(match, seat).moves for seat in (0, 1)] == [(), ()]


async def test_hand_of_closed_table_says_closed(local: LocalBot) -> None:
    await local.use_command(local.ada, "tiles", "help", guided=True)
    await wait_for_hand(local, local.ada, is_own_turn)
    await local.ada.use_command(local.channel_id, "tiles", "leave")

    await local.ada.wait_for_message(
        local.channel_id, lambda one: one["flags"] & EPHEMERAL_FLAG and has_sentence(read_text(one), "lobby.closed")
    )
    assert not any(list_move_buttons(one) for one in await fetch_private_messages(local, local.ada))


async def test_each_player_is_shown_only_own_hand(stage: LocalBot) -> None:
    for person in (stage.ada, stage.grace):
        await open_hand(stage, person)
    for _ in range(4):
        mover = await stage.get_mover()
        hand = await wait_for_hand(stage, mover, is_own_turn)
        table = await stage.client.services.tables.load(1)
        seat = table.find_seat(int(mover.id))
        assert seat is not None
        (alt,) = [item["description"] for one in list_components(hand["components"]) for item in one.get("items", [])]
        hand_text = re.match(r"Your hand: ([^.]*)\.", alt)
        assert sorted(hand_text[1].split(", ")) == sorted(map(format_tile_notation, table.match.seats[seat].hand))
        await take_turn(stage, mover, hand)
        await stage.settle_turn()


async def test_interaction_tokens_are_not_stored(stage: LocalBot, url: str) -> None:
    await take_turn(stage, mover := await stage.get_mover(), await open_hand(stage, mover))
    await stage.settle_turn()

    tokens = [one.token.encode() for one in stage.discord.interactions.list_recent()]
    database = Path(url.removeprefix("sqlite:///"))
    database_bytes = b"".join(file.read_bytes() for file in database.parent.glob(f"{database.name}*"))
    assert len(tokens) > 3
    assert b"TurnBegan".lower() in database_bytes.lower(), "this is where it is kept what happened"
    assert not any(token in database_bytes for token in tokens)


NAMES = SeatNames(("Ada", "Computer"), ("Ada", "Computer"))
VALID_UNTIL = 9_000_000


def render_waiting_hand(table: Table) -> object:
    seat = table.find_seat(ADA)
    assert seat is not None
    view = build_turn_over_view(table, view_for(table.match, seat), NAMES, load_words("en"), note="", until=VALID_UNTIL)
    return view.to_components()


async def test_waiting_hand_is_unchanged_by_computer_move(store: Store) -> None:
    timed_table = TimedTable(store)
    number = (await timed_table.open(seats=2, computers=1)).head.match_id
    await timed_table.play_computers(number)
    before = await timed_table.play_tentatively(number)
    after = await timed_table.play_computers(number)
    assert before.match.turn != after.match.turn
    assert render_waiting_hand(before) == render_waiting_hand(after)


async def test_hand_without_move_is_shown_while_previous_move_can_be_undone(local: LocalBot) -> None:
    local.deals.next_numbers = [2]
    first, second = await start_match(local)
    hands = {person.id: await open_hand(local, person) for person in (first, second)}
    await take_turn(local, first, hands[first.id])
    shown = await wait_for_hand(local, second, is_own_turn)
    assert has_sentence(read_text(shown), "hand.must_draw")
