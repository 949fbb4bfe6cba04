"""Undo: by button, by `/tiles undo`, or by agreement of the other players."""

import re

import pytest

from bot.client import SWEEP_INTERVAL
from data.rulebook import load_rules
from engine.match.events import Undone
from engine.match.state import find_last_placement
from engine.table.table_state import MAX_UNDOS
from engine.table.terms import UNDO_SPANS
from tests.bot.local_bot import LocalBot
from tests.bot.member import Member
from tests.bot.messages import (
    find_play_label,
    get_private_answer,
    list_alt_texts,
    list_menus,
    read_button_ids,
    read_text,
)
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.agreements import ask_to_undo, play_tile, play_undoable_tile, seat_after_opening
from tests.bot.tables.stacked_deals import play_moves, stack_deal, store_match
from tests.wording import en, has_sentence

TOO_LATE = en("why.TOO_LATE_TO_TAKE_BACK", tile="1-5-5")


async def test_answer_to_tile_has_undo_button(sim: SimGuild, ada: Member, grace: Member) -> None:
    await seat_after_opening(sim, ada, grace)
    before = await sim.replay_match()
    answer = await play_tile(sim, grace, "1-5-5")
    assert "Take back" in read_button_ids(answer)
    assert has_sentence(read_text(answer), "hand.may_undo", name="Ada")
    assert sim.list_calls() == [], "nobody is called to a turn that may not begin"
    assert has_sentence(sim.read_board(), "clock.unsettled", name="Grace", next="Ada")

    back = await grace.open_click(answer, "Take back")

    assert read_text(back).startswith(en("hand.undone", tile="1-5-5", total="0") + "\n### Your turn · 4 tiles")
    assert list_menus(back), "and another move can be chosen"
    assert "Take back" not in read_button_ids(back)
    after = await sim.replay_match()
    assert (after.turn, after.seats[1].hand, list(after.board.placed)) == (
        before.turn,
        before.seats[1].hand,
        list(before.board.placed),
    )
    assert en("event.undone", name="**Grace**", tile="1-5-5", total="0") in sim.read_board()
    assert await sim.load_turn_player() is grace
    assert sim.list_calls() == [], "whoever took it back is there"


async def test_undo_command_works_and_scores_list_both_events(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_undoable_tile(sim, ada, grace)
    answer = await grace.read_command("tiles undo")
    assert answer.startswith(en("hand.undone", tile="1-5-5", total="0"))
    scores = await ada.read_command("tiles scores")
    placed_text = en("event.placed", name="**Grace**", tile="1-5-5", arithmetic="**+11**", total="11")
    assert placed_text + "\n" + en("event.undone", name="**Grace**", tile="1-5-5", total="0") in scores
    assert "Grace 0" in scores


async def test_undone_tile_can_be_played_at_other_place(sim: SimGuild, ada: Member, grace: Member) -> None:
    await seat_after_opening(sim, ada, grace)
    first = await sim.play_by_menu(grace, settle=False)
    hand = await grace.open_click(first, "Take back")
    preview = await grace.open_select(hand, list_menus(hand)[0].options[-1].value)
    label = find_play_label(preview)
    assert (await grace.read_click(preview, label)).startswith("You played ")
    assert await sim.load_turn_player() is ada


async def test_undo_button_clicked_twice_undoes_one_tile(sim: SimGuild, ada: Member, grace: Member) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    copied_message = await sim.post(read_button_ids(answer)["Take back"])
    await grace.click(copied_message, label="Button 0")
    after = await sim.take_snapshot()
    second_answer = await grace.read_click(copied_message, "Button 0")
    assert second_answer.startswith(en("no.STALE"))
    assert await sim.take_snapshot() == after
    assert sum(isinstance(event, Undone) for event in (await sim.load_stored_match()).events) == 1


async def test_undo_by_other_player_is_refused(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    copied_message = await sim.post(read_button_ids(answer)["Take back"])
    before = await sim.take_snapshot()
    assert (await linus.read_click(copied_message, "Button 0")).startswith(en("no.NOT_SEATED"))
    assert await sim.take_snapshot() == before
    placed_tiles = (await sim.replay_match()).board.placed
    assert (await ada.read_click(copied_message, "Button 0")).startswith(en("why.NOTHING_TO_TAKE_BACK"))
    refused = await ada.open_command("tiles undo")
    assert read_text(refused).startswith(en("why.NOTHING_TO_TAKE_BACK"))
    assert "Rules §10, Taking back" in await ada.read_click(refused, "Why not?")
    assert (await sim.replay_match()).board.placed == placed_tiles


async def test_undo_button_works_after_restart(sim: SimGuild, ada: Member, grace: Member) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    await sim.restart()
    assert (await grace.read_click(answer, "Take back")).startswith(en("hand.undone", tile="1-5-5", total="0"))


async def test_undo_after_next_tile_offers_question(sim: SimGuild, ada: Member, grace: Member) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    await play_tile(sim, ada, "3-5-5")
    await sim.settle_turns()
    before = await sim.take_snapshot()
    assert (await grace.read_click(answer, "Take back")).startswith(en("no.STALE"))
    offer = await grace.open_command("tiles undo")
    assert read_text(offer) == en("agree.too_late", why=TOO_LATE)
    assert list(read_button_ids(offer)) == ["Ask the others"]
    assert await sim.take_snapshot() == before, "nobody has been asked yet"


async def test_agreed_undo_removes_all_later_tiles(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ask_to_undo(sim, ada, grace)
    question = en("agree.undo", name="Grace", tile="1-5-5")
    assert question in sim.read_board()
    call = sim.list_calls()[-1]
    assert [user.id for user in call.mentions] == [ada.id]
    assert question in read_text(call)
    assert has_sentence(read_text(call), "agree.waiting", names="Ada")

    answer = await ada.read_click(sim.get_board(), "Agree")

    assert answer == en("agree.done_undo", tile="1-5-5")
    match = await sim.replay_match()
    assert match.turn == 1
    assert len(match.board.placed) == 1
    board = sim.read_board()
    assert has_sentence(board, "event.undone_agreed", name="**Grace**", tile="1-5-5", totals="Ada 25 · Grace 0")
    assert question not in board
    assert "Agree" not in read_button_ids(sim.get_board())
    assert sim.get_called_player() is grace


async def test_declined_undo_cannot_be_asked_again_at_once(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ask_to_undo(sim, ada, grace)
    before = (await sim.replay_match()).board.placed
    assert await ada.read_click(sim.list_calls()[-1], "No") == en("agree.declined")
    assert (await sim.replay_match()).board.placed == before
    assert any(read_text(one) == en("agree.said_no_undo", person="**Ada**") for one in sim.list_public_messages())
    assert not has_sentence(sim.read_board(), "agree.undo")

    offer = await grace.open_command("tiles undo")
    second_answer = await grace.read_click(offer, "Ask the others")
    assert second_answer.startswith(en("no.ASKED_BEFORE"))


async def test_move_withdraws_undo_question(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ask_to_undo(sim, ada, grace)
    answers = read_button_ids(sim.list_calls()[-1])
    await sim.play_by_typing(grace)
    assert not has_sentence(sim.read_board(), "agree.undo")
    old_message = await sim.post(answers["Agree"], answers["No"])
    before = await sim.take_snapshot()
    for label in ("Button 0", "Button 1"):
        assert (await ada.read_click(old_message, label)).startswith(en("no.PROPOSAL_OVER"))
    assert await sim.take_snapshot() == before


async def test_undo_after_draw_is_refused(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_undoable_tile(sim, ada, grace, "555 014 001", by_hand=True)
    if (await sim.replay_match()).list_legal_moves(0):
        pytest.fail("Ada should have to draw")
    await ada.use_command("tiles draw")
    assert (await grace.read_command("tiles undo")).startswith(en("why.NOTHING_TO_TAKE_BACK"))
    forged = await sim.post("by:undo:1|ask")
    before = await sim.take_snapshot()
    answer = await grace.read_click(forged, "Button 0")
    assert answer.startswith(en("why.NOTHING_TO_TAKE_BACK"))
    assert await sim.take_snapshot() == before


async def test_undo_removes_bonus_of_tile(sim: SimGuild, ada: Member, grace: Member) -> None:
    log, _ = play_moves(
        stack_deal(load_rules("quad-ominos"), "4455 2244 5555 0000", "4445 1244 2555 0355"), "1,0=4445", "1,1=2244"
    )
    await store_match(sim, log, ada, grace)
    choice = await grace.open_command("tiles play", tile="1-2-4-4", place="0,1")
    bonus_answer = await grace.open_click(choice, "+25 points")
    assert read_text(bonus_answer).startswith(en("hand.chose_points", points="+25", total="53"))
    back = await grace.read_click(bonus_answer, "Take back")
    assert back.startswith(en("hand.undone", tile="1-2-4-4", total="17"))
    assert await sim.load_turn_player() is grace


async def test_undo_after_computer_move_is_refused(sim: SimGuild, ada: Member) -> None:
    await sim.start_table(ada, computers=1)
    for _ in range(12):
        hand = await sim.play_by_menu(ada, settle=False)
        assert "Take back" not in read_button_ids(hand), "a computer answers at once"
        await sim.wait()
        match = await sim.replay_match()
        if match.turn == 0 and find_last_placement(match.undo_stack, 0):
            break
    else:
        pytest.fail("the computer always drew")
    before = await sim.take_snapshot()
    answer = await ada.read_command("tiles undo")
    assert answer.startswith(en("no.NOBODY_TO_AGREE"))
    forged = await sim.post(f"by:undo:{(await sim.load_head()).match_id}|ask")
    assert (await ada.read_click(forged, "Button 0")).startswith(en("no.NOBODY_TO_AGREE"))
    assert (await sim.take_snapshot())[0] == before[0]


async def test_tile_settles_after_delay(sim: SimGuild, ada: Member, grace: Member) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    await sim.wait(seconds=UNDO_SPANS["relaxed"] / 1000 - 2)
    assert sim.list_calls() == []
    await sim.wait(seconds=2.5)
    assert sim.get_called_player() is ada
    assert not has_sentence(sim.read_board(), "clock.unsettled")
    assert has_sentence(await grace.read_click(answer, "Take back"), "agree.too_late")


async def test_tile_settles_once_next_player_opens_hand(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_undoable_tile(sim, ada, grace)
    assert "Your turn" in read_text(await sim.open_hand(ada))
    assert await sim.load_turn_player() is ada
    assert sim.list_calls() == [], "Ada knows"
    assert (await grace.read_command("tiles undo")).startswith(TOO_LATE)


async def test_tile_settles_after_restart(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_undoable_tile(sim, ada, grace)
    await sim.restart()
    await sim.wait(seconds=UNDO_SPANS["relaxed"] / 1000 + 2 * SWEEP_INTERVAL)
    assert sim.get_called_player() is ada


async def test_undo_calls_no_player_and_has_limit(sim: SimGuild, ada: Member, grace: Member) -> None:
    await seat_after_opening(sim, ada, grace)
    for _ in range(MAX_UNDOS):
        answer = await play_tile(sim, grace, "1-5-5")
        assert (await grace.read_click(answer, "Take back")).startswith(en("hand.undone", tile="1-5-5", total="0"))
        assert sim.list_calls() == []
    answer = await play_tile(sim, grace, "1-5-5")
    assert "Take back" not in read_button_ids(answer)
    assert sim.get_called_player() is ada
    assert (await grace.read_command("tiles undo")).startswith(TOO_LATE)


async def test_next_player_can_draw_before_tile_settles(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_undoable_tile(sim, ada, grace, "555 014 001", by_hand=True)
    assert (await ada.read_click(sim.get_board(), "Draw")).startswith("You drew ")


async def test_tile_at_idle_live_table_settles_after_seconds(local: LocalBot) -> None:
    await local.start_table(clock="live 5m")
    mover = await local.get_mover()
    await local.place_tile()
    assert await local.list_calls() == []
    (other,) = [person for person in local.people.values() if person is not mover]
    call = await other.wait_for_message(local.channel_id, lambda one: one["mentions"])
    assert [user["id"] for user in call["mentions"]] == [other.id]


async def test_unsettled_tile_hides_whether_next_must_draw(sim: SimGuild, ada: Member, grace: Member) -> None:
    messages, settled = [], []
    for hand in ("555 355 014 001", "555 003 014 001"):
        sim.channel = ada.channel = grace.channel = sim.guild.create_text_channel(f"with-{hand[4:7]}")
        answer = await play_undoable_tile(sim, ada, grace, hand)
        scores = await grace.use_command("tiles scores")
        visible_messages = [answer, sim.get_board(), get_private_answer(scores)]
        messages.append(
            [CHANGING_TEXT.sub("", read_text(one)) for one in visible_messages]
            + [list(read_button_ids(one)) for one in visible_messages]
        )
        messages[-1] += [list_alt_texts(one) for one in visible_messages] + [
            [len(sim.list_calls()), len(sim.list_public_messages())]
        ]
        await sim.settle_turns()
        settled.append("could not play" in sim.read_board() or "drew" in sim.read_board())
    assert messages[0] == messages[1]
    assert settled == [False, True], "in the second channel she has to"


CHANGING_TEXT = re.compile(r"<t:\d+:T>|Table \d+ · move \d+.*")
