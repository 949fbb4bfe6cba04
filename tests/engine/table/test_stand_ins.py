"""Seats that the computer plays for a person, and people who are there again."""

from random import Random

from engine.match.actions import Draw, Undo
from engine.match.player_view import view_for
from engine.match.state import find_last_placement
from engine.players import greedy
from engine.table.commands import (
    AnswerQuestion,
    AskPlayers,
    ChooseAbsence,
    Moderate,
    ReturnToSeat,
    TakeAction,
    TakeComputerAction,
)
from engine.table.table_events import Choice
from engine.table.table_state import Due, StandIn, Turn
from engine.table.terms import DAY
from tests.engine.table.sitting import ADA, GRACE, LINUS, MARY, Sitting, circled, kinds, opened, refused, said


def given_up(sitting: Sitting, choice: Choice = "seat") -> int:
    absent = sitting.mover
    sitting.run_out()
    sitting.ask(ChooseAbsence(sitting.other(), choice, sitting.state.clock.watch.absence_question))
    return absent


def test_computer_that_takes_over_moves_at_once():
    sitting = opened(GRACE)
    given_up(sitting)
    assert sitting.due == Due(at=sitting.now, kind="computer")
    assert sitting.state.clock.time.allowance is None


def test_stand_in_for_turn_ends_but_for_seat_stays():
    choices: tuple[StandIn, ...] = ("turn", "seat")
    for choice in choices:
        sitting = opened(GRACE)
        seat = sitting.state.find_seat(given_up(sitting, choice))
        assert sitting.state.clock.standins == {seat: choice}
        sitting.move()
        assert sitting.state.clock.standins == ({seat: "seat"} if choice == "seat" else {})


def test_lone_player_cannot_undo_after_computer_moved():
    sitting = circled(computers=1)
    while sitting.match.turn != 0 or find_last_placement(sitting.match.undo_stack, 0) is None:
        sitting.move()
    assert refused(sitting, AskPlayers(ADA, "undo")) == "NOBODY_TO_AGREE"
    assert refused(sitting, TakeAction(ADA, Undo)) == "TOO_LATE_TO_TAKE_BACK"


def test_undo_is_refused_after_computer_moved_for_only_opponent():
    sitting = circled(GRACE)
    while sitting.match.turn != 1 or find_last_placement(sitting.match.undo_stack, 0) is None:
        sitting.move()
    sitting.ask(Moderate("skip", MARY, ""))
    assert refused(sitting, AskPlayers(ADA, "undo")) == "NOBODY_TO_AGREE"


def test_absent_player_agreeing_to_undo_returns_and_is_announced():
    sitting = circled(GRACE)
    asked = sitting.ask(AskPlayers(sitting.other(), "undo")).table.question
    skipped, seat = sitting.mover, sitting.match.turn
    sitting.ask(Moderate("skip", MARY, ""))
    done = sitting.ask(AnswerQuestion(skipped, asked.number, yes=True))
    assert kinds(done)[:3] == ["Returned", "TurnBegan", "Undone"]
    assert ("notice", {"key": "returned", "seat": seat}) in said(done)
    assert sitting.state.clock.standins == {}


def test_absent_player_who_moves_returns():
    sitting = opened(GRACE)
    absent = given_up(sitting)
    action = greedy.choose(view_for(sitting.match, sitting.match.turn), Random(1))
    assert kinds(sitting.ask(TakeAction(absent, lambda _: action)))[:3] == ["Returned", "TurnBegan", "Placed"]
    assert sitting.state.clock.standins == {}


def test_player_returning_after_deadline_gets_same_time_again():
    sitting = opened(GRACE)
    sitting.run_out()
    mover = sitting.mover
    back = sitting.ask(ReturnToSeat(mover))
    assert kinds(back) == ["Returned", "ChoiceMade"]
    assert said(back) == [("notice", {"key": "returned", "seat": sitting.match.turn})]
    assert sitting.state.clock.time.allowance == 2 * DAY
    assert refused(sitting, ReturnToSeat(mover)) == "NOT_ABSENT"


def test_computer_move_is_stale_after_moderator_pause():
    sitting = opened(computers=1)
    while sitting.turn != Turn(seat=1):
        sitting.move()
    before = sitting.state.seq
    sitting.ask(Moderate("pause", MARY, ""))
    assert sitting.due.kind == "idle"
    assert refused(sitting, TakeComputerAction(Draw(1), before)) == "STALE"
    sitting.ask(Moderate("resume", MARY, ""))
    assert sitting.due.kind == "computer"
    sitting.move()


def test_resigned_player_cannot_come_back():
    sitting = circled(GRACE, LINUS)
    sitting.resign(LINUS)
    assert refused(sitting, ReturnToSeat(LINUS)) == "RESIGNED"


def test_stand_in_lasts_one_turn_after_all_asked_have_left():
    sitting = circled(GRACE, computers=1, absent="seat")
    while sitting.turn is None or sitting.turn.user is None:
        sitting.move()
    silent, other = sitting.match.turn, sitting.other()
    sitting.run_out()
    sitting.resign(other)
    done = sitting.wait(DAY)
    assert "ChoiceMade" in kinds(done)
    assert sitting.state.clock.standins == {silent: "turn"}
