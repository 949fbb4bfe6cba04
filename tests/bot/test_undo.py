"""Taking a tile back as people do it: by the button of one's own answer, by `/tiles undo`, or by asking the others."""

import re

import pytest
from simcord import MemberActor

from bot.client import SWEEP
from data.rulebook import rules
from engine.match.events import Undone
from engine.match.state import last_placement
from engine.table.table_state import MOST_TAKEN_BACK
from engine.table.terms import SETTLES
from tests.bot.agreements import ask_to_undo, play, sit, undoable
from tests.bot.house import House
from tests.bot.parlour import parlour
from tests.bot.reading import button_ids, menus, pictures, private, told, words_of
from tests.bot.stacked import dealt, played, seated
from tests.wording import en, says

STANDS = en("why.TOO_LATE_TO_TAKE_BACK", tile="1-5-5")


async def test_answer_to_tile_has_undo_button(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await sit(house, ada, grace)
    before = await house.match()
    answer = await play(house, grace, "1-5-5")
    assert "Undo" in button_ids(answer)
    assert says(words_of(answer), "hand.may_undo", name="Ada")
    assert house.calls() == [], "nobody is called to a turn that may not begin"
    assert says(words_of(house.board()), "clock.unsettled", name="Grace", next="Ada")

    back = private(await grace.click(answer, label="Undo"))

    assert words_of(back).startswith(en("hand.undone", tile="1-5-5", total="0") + "\n### Your turn · 4 tiles")
    assert menus(back), "and another move can be chosen"
    assert "Undo" not in button_ids(back)
    after = await house.match()
    assert (after.turn, after.seats[1].hand, list(after.board.placed)) == (
        before.turn,
        before.seats[1].hand,
        list(before.board.placed),
    )
    assert en("event.undone", name="**Grace**", tile="1-5-5", total="0") in words_of(house.board())
    assert await house.turn() is grace
    assert house.calls() == [], "whoever took it back is there"


async def test_it_is_typed_too_and_scores_tell_both(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await undoable(house, ada, grace)
    said = told(await grace.slash(house.channel, "tiles undo"))
    assert said.startswith(en("hand.undone", tile="1-5-5", total="0"))
    scores = told(await ada.slash(house.channel, "tiles scores"))
    placed = en("event.placed", name="**Grace**", tile="1-5-5", arithmetic="**+11**", total="11")
    assert placed + "\n" + en("event.undone", name="**Grace**", tile="1-5-5", total="0") in scores
    assert "Grace 0" in scores


async def test_tile_taken_back_is_played_elsewhere(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await sit(house, ada, grace)
    first = await house.play_by_menu(grace, stands=False)
    hand = private(await grace.click(first, label="Undo"))
    preview = private(await grace.select(hand, [menus(hand)[0].options[-1].value]))
    label = next(label for label in button_ids(preview) if label.startswith("Play +"))
    assert words_of(private(await grace.click(preview, label=label))).startswith("You played ")
    assert await house.turn() is ada


async def test_button_pressed_twice_takes_one_tile_back(house: House, ada: MemberActor, grace: MemberActor) -> None:
    answer = await undoable(house, ada, grace)
    copied = await house.post(button_ids(answer)["Undo"])
    await grace.click(copied, label="Button 0")
    after = await house.standing()
    again = told(await grace.click(copied, label="Button 0"))
    assert again.startswith(en("no.STALE"))
    assert await house.standing() == after
    assert sum(isinstance(event, Undone) for event in (await house.loaded()).events) == 1


async def test_nobody_else_can_press_it(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    answer = await undoable(house, ada, grace)
    copied = await house.post(button_ids(answer)["Undo"])
    before = await house.standing()
    assert told(await linus.click(copied, label="Button 0")).startswith(en("no.NOT_SEATED"))
    assert await house.standing() == before
    placed = (await house.match()).board.placed
    assert told(await ada.click(copied, label="Button 0")).startswith(en("no.STALE"))
    refused = private(await ada.slash(house.channel, "tiles undo"))
    assert words_of(refused).startswith(en("why.NOTHING_TO_TAKE_BACK"))
    assert "Rules §10, Taking back" in told(await ada.click(refused, label="Why not?"))
    assert (await house.match()).board.placed == placed


async def test_undo_button_works_after_restart(house: House, ada: MemberActor, grace: MemberActor) -> None:
    answer = await undoable(house, ada, grace)
    await house.restart()
    assert told(await grace.click(answer, label="Undo")).startswith(en("hand.undone", tile="1-5-5", total="0"))


async def test_undo_after_next_tile_offers_to_ask(house: House, ada: MemberActor, grace: MemberActor) -> None:
    answer = await undoable(house, ada, grace)
    await play(house, ada, "3-5-5")
    await house.stands()
    before = await house.standing()
    assert told(await grace.click(answer, label="Undo")).startswith(en("no.STALE"))
    offer = private(await grace.slash(house.channel, "tiles undo"))
    assert words_of(offer) == en("agree.too_late", why=STANDS)
    assert list(button_ids(offer)) == ["Ask the others"]
    assert await house.standing() == before, "nobody has been asked yet"


async def test_agreement_takes_back_all_later_tiles(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ask_to_undo(house, ada, grace)
    question = en("agree.undo", name="Grace", tile="1-5-5")
    assert question in words_of(house.board())
    call = house.calls()[-1]
    assert [user.id for user in call.mentions] == [ada.id]
    assert question in words_of(call)
    assert says(words_of(call), "agree.waiting", names="Ada")

    agreed = told(await ada.click(house.board(), label="Agree"))

    assert agreed == en("agree.done_undo", tile="1-5-5")
    match = await house.match()
    assert match.turn == 1
    assert len(match.board.placed) == 1
    board = words_of(house.board())
    assert says(board, "event.undone_agreed", name="**Grace**", tile="1-5-5", totals="Ada 25 · Grace 0")
    assert question not in board
    assert "Agree" not in button_ids(house.board())
    assert house.to_move() is grace


async def test_refused_undo_is_not_asked_again_at_once(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ask_to_undo(house, ada, grace)
    before = (await house.match()).board.placed
    assert told(await ada.click(house.calls()[-1], label="No")) == en("agree.declined")
    assert (await house.match()).board.placed == before
    assert any(words_of(one) == en("agree.said_no_undo", person="**Ada**") for one in house.public())
    assert not says(words_of(house.board()), "agree.undo")

    offer = private(await grace.slash(house.channel, "tiles undo"))
    again = told(await grace.click(offer, label="Ask the others"))
    assert again.startswith(en("no.ASKED_BEFORE"))


async def test_move_withdraws_question(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ask_to_undo(house, ada, grace)
    answers = button_ids(house.calls()[-1])
    await house.play_by_typing(grace)
    assert not says(words_of(house.board()), "agree.undo")
    old = await house.post(answers["Agree"], answers["No"])
    before = await house.standing()
    for label in ("Button 0", "Button 1"):
        assert told(await ada.click(old, label=label)).startswith(en("no.PROPOSAL_OVER"))
    assert await house.standing() == before


async def test_after_draw_nobody_can_agree_to_it(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await undoable(house, ada, grace, "555 014 001", by_hand=True)
    if (await house.match()).legal(0):
        pytest.fail("Ada should have to draw")
    await ada.slash(house.channel, "tiles draw")
    assert told(await grace.slash(house.channel, "tiles undo")).startswith(en("why.NOTHING_TO_TAKE_BACK"))
    forged = await house.post("by:undo:1|ask")
    before = await house.standing()
    said = told(await grace.click(forged, label="Button 0"))
    assert said.startswith(en("why.NOTHING_TO_TAKE_BACK"))
    assert await house.standing() == before


async def test_bonus_goes_back_with_its_tile(house: House, ada: MemberActor, grace: MemberActor) -> None:
    log, _ = played(dealt(rules("quad-ominos"), "4455 2244 5555 0000", "4445 1244 2555 0355"), "1,0=4445", "1,1=2244")
    await seated(house, log, ada, grace)
    choice = private(await grace.slash(house.channel, "tiles play", tile="1-2-4-4", place="0,1"))
    taken = private(await grace.click(choice, label="+25 points"))
    assert words_of(taken).startswith(en("hand.chose_points", points="+25", total="53"))
    back = told(await grace.click(taken, label="Undo"))
    assert back.startswith(en("hand.undone", tile="1-2-4-4", total="17"))
    assert await house.turn() is grace


async def test_what_computer_has_answered_stands_where_nobody_can_agree(house: House, ada: MemberActor) -> None:
    await house.table(ada, computers=1)
    for _ in range(12):
        hand = await house.play_by_menu(ada, stands=False)
        assert "Undo" not in button_ids(hand), "a computer answers at once"
        await house.wait()
        match = await house.match()
        if match.turn == 0 and last_placement(match.behind, 0):
            break
    else:
        pytest.fail("the computer always drew")
    before = await house.standing()
    said = told(await ada.slash(house.channel, "tiles undo"))
    assert said.startswith(en("no.NOBODY_TO_AGREE"))
    forged = await house.post(f"by:undo:{(await house.head()).match_id}|ask")
    assert told(await ada.click(forged, label="Button 0")).startswith(en("no.NOBODY_TO_AGREE"))
    assert (await house.standing())[0] == before[0]


async def test_tile_stands_after_while_by_itself(house: House, ada: MemberActor, grace: MemberActor) -> None:
    answer = await undoable(house, ada, grace)
    await house.wait(seconds=SETTLES["relaxed"] / 1000 - 2)
    assert house.calls() == []
    await house.wait(seconds=2.5)
    assert house.to_move() is ada
    assert not says(words_of(house.board()), "clock.unsettled")
    assert told(await grace.click(answer, label="Undo")).startswith(en("no.STALE"))


async def test_tile_stands_once_next_player_looks(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await undoable(house, ada, grace)
    assert "Your turn" in words_of(await house.hand(ada))
    assert await house.turn() is ada
    assert house.calls() == [], "Ada knows"
    assert told(await grace.slash(house.channel, "tiles undo")).startswith(STANDS)


async def test_it_stands_after_restart_as_well(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await undoable(house, ada, grace)
    await house.restart()
    await house.wait(seconds=SETTLES["relaxed"] / 1000 + 2 * SWEEP)
    assert house.to_move() is ada


async def test_undo_calls_nobody_and_has_limit(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await sit(house, ada, grace)
    for _ in range(MOST_TAKEN_BACK):
        answer = await play(house, grace, "1-5-5")
        assert told(await grace.click(answer, label="Undo")).startswith(en("hand.undone", tile="1-5-5", total="0"))
        assert house.calls() == []
    answer = await play(house, grace, "1-5-5")
    assert "Undo" not in button_ids(answer)
    assert house.to_move() is ada
    assert told(await grace.slash(house.channel, "tiles undo")).startswith(STANDS)


async def test_next_player_can_draw_before_tile_stands(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await undoable(house, ada, grace, "555 014 001", by_hand=True)
    assert told(await ada.click(house.board(), label="Draw")).startswith("You drew ")


async def test_at_live_table_it_stands_after_seconds_while_nobody_does_anything(url: str) -> None:
    async with parlour(url) as place:
        await place.table(clock="live 5m")
        mover = await place.mover()
        await place.place_tile()
        assert await place.calls() == []
        (other,) = [person for person in place.people.values() if person is not mover]
        call = await other.wait_for(place.place, lambda one: one["mentions"])
        assert [user["id"] for user in call["mentions"]] == [other.id]


async def test_unsettled_tile_hides_whether_next_must_draw(house: House, ada: MemberActor, grace: MemberActor) -> None:
    shown, settled = [], []
    for hand in ("555 355 014 001", "555 003 014 001"):
        house.channel = house.guild.create_text_channel(f"with-{hand[4:7]}")
        answer = await undoable(house, ada, grace, hand)
        scores = await grace.slash(house.channel, "tiles scores")
        seen = [answer, house.board(), private(scores)]
        shown.append([PASSING.sub("", words_of(one)) for one in seen] + [list(button_ids(one)) for one in seen])
        shown[-1] += [pictures(one) for one in seen] + [[len(house.calls()), len(house.public())]]
        await house.stands()
        settled.append("could not play" in words_of(house.board()) or "drew" in words_of(house.board()))
    assert shown[0] == shown[1]
    assert settled == [False, True], "in the second channel she has to"


PASSING = re.compile(r"<t:\d+:T>|Table \d+ · move \d+.*")
