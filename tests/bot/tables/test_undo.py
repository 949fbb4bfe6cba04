"""Undo: by button, by `/tiles undo`, or by agreement of the other players."""

import re

import pytest
from simcord import MemberActor

from bot.client import SWEEP_INTERVAL
from data.rulebook import load_rules
from engine.match.events import Undone
from engine.match.state import find_last_placement
from engine.table.table_state import MAX_UNDOS
from engine.table.terms import UNDO_SPANS
from tests.bot.local_bot import run_local_bot
from tests.bot.messages import button_ids, menus, pictures, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.agreements import ask_to_undo, play_tile, play_undoable_tile, seat_after_opening
from tests.bot.tables.stacked_deals import dealt, played, store_match
from tests.wording import en, says

TOO_LATE = en("why.TOO_LATE_TO_TAKE_BACK", tile="1-5-5")


async def test_answer_to_tile_has_undo_button(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await seat_after_opening(sim, ada, grace)
    before = await sim.match()
    answer = await play_tile(sim, grace, "1-5-5")
    assert "Take back" in button_ids(answer)
    assert says(words_of(answer), "hand.may_undo", name="Ada")
    assert sim.calls() == [], "nobody is called to a turn that may not begin"
    assert says(words_of(sim.board()), "clock.unsettled", name="Grace", next="Ada")

    back = private(await grace.click(answer, label="Take back"))

    assert words_of(back).startswith(en("hand.undone", tile="1-5-5", total="0") + "\n### Your turn · 4 tiles")
    assert menus(back), "and another move can be chosen"
    assert "Take back" not in button_ids(back)
    after = await sim.match()
    assert (after.turn, after.seats[1].hand, list(after.board.placed)) == (
        before.turn,
        before.seats[1].hand,
        list(before.board.placed),
    )
    assert en("event.undone", name="**Grace**", tile="1-5-5", total="0") in words_of(sim.board())
    assert await sim.turn() is grace
    assert sim.calls() == [], "whoever took it back is there"


async def test_undo_command_works_and_scores_list_both_events(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await play_undoable_tile(sim, ada, grace)
    said = told(await grace.slash(sim.channel, "tiles undo"))
    assert said.startswith(en("hand.undone", tile="1-5-5", total="0"))
    scores = told(await ada.slash(sim.channel, "tiles scores"))
    placed = en("event.placed", name="**Grace**", tile="1-5-5", arithmetic="**+11**", total="11")
    assert placed + "\n" + en("event.undone", name="**Grace**", tile="1-5-5", total="0") in scores
    assert "Grace 0" in scores


async def test_undone_tile_can_be_played_at_other_place(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await seat_after_opening(sim, ada, grace)
    first = await sim.play_by_menu(grace, stands=False)
    hand = private(await grace.click(first, label="Take back"))
    preview = private(await grace.select(hand, [menus(hand)[0].options[-1].value]))
    label = next(label for label in button_ids(preview) if label.startswith("Play +"))
    assert words_of(private(await grace.click(preview, label=label))).startswith("You played ")
    assert await sim.turn() is ada


async def test_undo_button_clicked_twice_undoes_one_tile(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    copied = await sim.post(button_ids(answer)["Take back"])
    await grace.click(copied, label="Button 0")
    after = await sim.standing()
    again = told(await grace.click(copied, label="Button 0"))
    assert again.startswith(en("no.STALE"))
    assert await sim.standing() == after
    assert sum(isinstance(event, Undone) for event in (await sim.loaded()).events) == 1


async def test_undo_by_other_player_is_refused(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    copied = await sim.post(button_ids(answer)["Take back"])
    before = await sim.standing()
    assert told(await linus.click(copied, label="Button 0")).startswith(en("no.NOT_SEATED"))
    assert await sim.standing() == before
    placed = (await sim.match()).board.placed
    assert told(await ada.click(copied, label="Button 0")).startswith(en("no.STALE"))
    refused = private(await ada.slash(sim.channel, "tiles undo"))
    assert words_of(refused).startswith(en("why.NOTHING_TO_TAKE_BACK"))
    assert "Rules §10, Taking back" in told(await ada.click(refused, label="Why not?"))
    assert (await sim.match()).board.placed == placed


async def test_undo_button_works_after_restart(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    await sim.restart()
    assert told(await grace.click(answer, label="Take back")).startswith(en("hand.undone", tile="1-5-5", total="0"))


async def test_undo_after_next_tile_offers_question(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    await play_tile(sim, ada, "3-5-5")
    await sim.stands()
    before = await sim.standing()
    assert told(await grace.click(answer, label="Take back")).startswith(en("no.STALE"))
    offer = private(await grace.slash(sim.channel, "tiles undo"))
    assert words_of(offer) == en("agree.too_late", why=TOO_LATE)
    assert list(button_ids(offer)) == ["Ask the others"]
    assert await sim.standing() == before, "nobody has been asked yet"


async def test_agreed_undo_removes_all_later_tiles(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ask_to_undo(sim, ada, grace)
    question = en("agree.undo", name="Grace", tile="1-5-5")
    assert question in words_of(sim.board())
    call = sim.calls()[-1]
    assert [user.id for user in call.mentions] == [ada.id]
    assert question in words_of(call)
    assert says(words_of(call), "agree.waiting", names="Ada")

    agreed = told(await ada.click(sim.board(), label="Agree"))

    assert agreed == en("agree.done_undo", tile="1-5-5")
    match = await sim.match()
    assert match.turn == 1
    assert len(match.board.placed) == 1
    board = words_of(sim.board())
    assert says(board, "event.undone_agreed", name="**Grace**", tile="1-5-5", totals="Ada 25 · Grace 0")
    assert question not in board
    assert "Agree" not in button_ids(sim.board())
    assert sim.to_move() is grace


async def test_declined_undo_cannot_be_asked_again_at_once(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ask_to_undo(sim, ada, grace)
    before = (await sim.match()).board.placed
    assert told(await ada.click(sim.calls()[-1], label="No")) == en("agree.declined")
    assert (await sim.match()).board.placed == before
    assert any(words_of(one) == en("agree.said_no_undo", person="**Ada**") for one in sim.public())
    assert not says(words_of(sim.board()), "agree.undo")

    offer = private(await grace.slash(sim.channel, "tiles undo"))
    again = told(await grace.click(offer, label="Ask the others"))
    assert again.startswith(en("no.ASKED_BEFORE"))


async def test_move_withdraws_undo_question(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ask_to_undo(sim, ada, grace)
    answers = button_ids(sim.calls()[-1])
    await sim.play_by_typing(grace)
    assert not says(words_of(sim.board()), "agree.undo")
    old = await sim.post(answers["Agree"], answers["No"])
    before = await sim.standing()
    for label in ("Button 0", "Button 1"):
        assert told(await ada.click(old, label=label)).startswith(en("no.PROPOSAL_OVER"))
    assert await sim.standing() == before


async def test_undo_after_draw_is_refused(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await play_undoable_tile(sim, ada, grace, "555 014 001", by_hand=True)
    if (await sim.match()).list_legal_moves(0):
        pytest.fail("Ada should have to draw")
    await ada.slash(sim.channel, "tiles draw")
    assert told(await grace.slash(sim.channel, "tiles undo")).startswith(en("why.NOTHING_TO_TAKE_BACK"))
    forged = await sim.post("by:undo:1|ask")
    before = await sim.standing()
    said = told(await grace.click(forged, label="Button 0"))
    assert said.startswith(en("why.NOTHING_TO_TAKE_BACK"))
    assert await sim.standing() == before


async def test_undo_removes_bonus_of_tile(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    log, _ = played(
        dealt(load_rules("quad-ominos"), "4455 2244 5555 0000", "4445 1244 2555 0355"), "1,0=4445", "1,1=2244"
    )
    await store_match(sim, log, ada, grace)
    choice = private(await grace.slash(sim.channel, "tiles play", tile="1-2-4-4", place="0,1"))
    taken = private(await grace.click(choice, label="+25 points"))
    assert words_of(taken).startswith(en("hand.chose_points", points="+25", total="53"))
    back = told(await grace.click(taken, label="Take back"))
    assert back.startswith(en("hand.undone", tile="1-2-4-4", total="17"))
    assert await sim.turn() is grace


async def test_undo_after_computer_move_is_refused(sim: SimGuild, ada: MemberActor) -> None:
    await sim.table(ada, computers=1)
    for _ in range(12):
        hand = await sim.play_by_menu(ada, stands=False)
        assert "Take back" not in button_ids(hand), "a computer answers at once"
        await sim.wait()
        match = await sim.match()
        if match.turn == 0 and find_last_placement(match.undo_stack, 0):
            break
    else:
        pytest.fail("the computer always drew")
    before = await sim.standing()
    said = told(await ada.slash(sim.channel, "tiles undo"))
    assert said.startswith(en("no.NOBODY_TO_AGREE"))
    forged = await sim.post(f"by:undo:{(await sim.head()).match_id}|ask")
    assert told(await ada.click(forged, label="Button 0")).startswith(en("no.NOBODY_TO_AGREE"))
    assert (await sim.standing())[0] == before[0]


async def test_tile_settles_after_delay(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    answer = await play_undoable_tile(sim, ada, grace)
    await sim.wait(seconds=UNDO_SPANS["relaxed"] / 1000 - 2)
    assert sim.calls() == []
    await sim.wait(seconds=2.5)
    assert sim.to_move() is ada
    assert not says(words_of(sim.board()), "clock.unsettled")
    assert told(await grace.click(answer, label="Take back")).startswith(en("no.STALE"))


async def test_tile_settles_once_next_player_opens_hand(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await play_undoable_tile(sim, ada, grace)
    assert "Your turn" in words_of(await sim.hand(ada))
    assert await sim.turn() is ada
    assert sim.calls() == [], "Ada knows"
    assert told(await grace.slash(sim.channel, "tiles undo")).startswith(TOO_LATE)


async def test_tile_settles_after_restart(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await play_undoable_tile(sim, ada, grace)
    await sim.restart()
    await sim.wait(seconds=UNDO_SPANS["relaxed"] / 1000 + 2 * SWEEP_INTERVAL)
    assert sim.to_move() is ada


async def test_undo_calls_no_player_and_has_limit(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await seat_after_opening(sim, ada, grace)
    for _ in range(MAX_UNDOS):
        answer = await play_tile(sim, grace, "1-5-5")
        assert told(await grace.click(answer, label="Take back")).startswith(en("hand.undone", tile="1-5-5", total="0"))
        assert sim.calls() == []
    answer = await play_tile(sim, grace, "1-5-5")
    assert "Take back" not in button_ids(answer)
    assert sim.to_move() is ada
    assert told(await grace.slash(sim.channel, "tiles undo")).startswith(TOO_LATE)


async def test_next_player_can_draw_before_tile_settles(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await play_undoable_tile(sim, ada, grace, "555 014 001", by_hand=True)
    assert told(await ada.click(sim.board(), label="Draw")).startswith("You drew ")


async def test_tile_at_idle_live_table_settles_after_seconds(url: str) -> None:
    async with run_local_bot(url) as local:
        await local.table(clock="live 5m")
        mover = await local.mover()
        await local.place_tile()
        assert await local.calls() == []
        (other,) = [person for person in local.people.values() if person is not mover]
        call = await other.wait_for_message(local.place, lambda one: one["mentions"])
        assert [user["id"] for user in call["mentions"]] == [other.id]


async def test_unsettled_tile_hides_whether_next_must_draw(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    shown, settled = [], []
    for hand in ("555 355 014 001", "555 003 014 001"):
        sim.channel = sim.guild.create_text_channel(f"with-{hand[4:7]}")
        answer = await play_undoable_tile(sim, ada, grace, hand)
        scores = await grace.slash(sim.channel, "tiles scores")
        seen = [answer, sim.board(), private(scores)]
        shown.append([CHANGING_TEXT.sub("", words_of(one)) for one in seen] + [list(button_ids(one)) for one in seen])
        shown[-1] += [pictures(one) for one in seen] + [[len(sim.calls()), len(sim.public())]]
        await sim.stands()
        settled.append("could not play" in words_of(sim.board()) or "drew" in words_of(sim.board()))
    assert shown[0] == shown[1]
    assert settled == [False, True], "in the second channel she has to"


CHANGING_TEXT = re.compile(r"<t:\d+:T>|Table \d+ · move \d+.*")
