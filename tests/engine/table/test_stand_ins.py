"""Seats that the computer plays for a person, and people who are there again."""

from random import Random

from engine.match.actions import Draw, TakeBack
from engine.match.player_view import view_for
from engine.match.state import last_placement
from engine.players import greedy
from engine.table.commands import Act, ActFor, Answer, Ask, ChooseAbsence, ComeBack, Rule
from engine.table.table_events import Choice
from engine.table.table_state import Due, StandIn, Turn
from engine.table.terms import DAY
from tests.engine.table.sitting import ADA, GRACE, LINUS, MARY, Sitting, circled, kinds, opened, refused, said


def given_up(sitting: Sitting, choice: Choice = "seat") -> int:
    absent = sitting.mover
    sitting.run_out()
    sitting.ask(ChooseAbsence(sitting.other(), choice, sitting.state.clock.watch.asking))
    return absent


def test_computer_that_takes_over_moves_at_once():
    sitting = opened(GRACE)
    given_up(sitting)
    assert sitting.due == Due(at=sitting.now, kind="computer")
    assert sitting.state.clock.time.allowance is None


def test_turn_is_stood_in_for_once_and_seat_for_as_long_as_it_takes():
    choices: tuple[StandIn, ...] = ("turn", "seat")
    for choice in choices:
        sitting = opened(GRACE)
        seat = sitting.state.seat_of(given_up(sitting, choice))
        assert sitting.state.clock.standins == {seat: choice}
        sitting.move()
        assert sitting.state.clock.standins == ({seat: "seat"} if choice == "seat" else {})


def test_what_computer_has_answered_is_not_taken_back_where_nobody_can_agree():
    sitting = circled(computers=1)
    while sitting.match.turn != 0 or last_placement(sitting.match.behind, 0) is None:
        sitting.move()
    assert refused(sitting, Ask(ADA, "undo")) == "NOBODY_TO_AGREE"
    assert refused(sitting, Act(ADA, TakeBack)) == "TOO_LATE_TO_TAKE_BACK"


def test_nor_what_computer_has_answered_for_only_other_person():
    sitting = circled(GRACE)
    while sitting.match.turn != 1 or last_placement(sitting.match.behind, 0) is None:
        sitting.move()
    sitting.ask(Rule("skip", MARY, ""))
    assert refused(sitting, Ask(ADA, "undo")) == "NOBODY_TO_AGREE"


def test_whoever_says_last_yes_to_taking_back_is_there_again_and_table_hears_of_it():
    sitting = circled(GRACE)
    asked = sitting.ask(Ask(sitting.other(), "undo")).table.question
    skipped, seat = sitting.mover, sitting.match.turn
    sitting.ask(Rule("skip", MARY, ""))
    done = sitting.ask(Answer(skipped, asked.number, yes=True))
    assert kinds(done)[:3] == ["Returned", "TurnBegan", "Undone"]
    assert ("notice", {"key": "returned", "seat": seat}) in said(done)
    assert sitting.state.clock.standins == {}


def test_any_move_of_theirs_brings_somebody_back_with_time_of_turn():
    sitting = opened(GRACE)
    absent = given_up(sitting)
    action = greedy.choose(view_for(sitting.match, sitting.match.turn), Random(1))
    assert kinds(sitting.ask(Act(absent, lambda _: action)))[:3] == ["Returned", "TurnBegan", "Placed"]
    assert sitting.state.clock.standins == {}


def test_whoever_answers_late_has_as_much_time_again():
    sitting = opened(GRACE)
    sitting.run_out()
    mover = sitting.mover
    back = sitting.ask(ComeBack(mover))
    assert kinds(back) == ["Returned", "ChoiceMade"]
    assert said(back) == [("notice", {"key": "returned", "seat": sitting.match.turn})]
    assert sitting.state.clock.time.allowance == 2 * DAY
    assert refused(sitting, ComeBack(mover)) == "NOT_ABSENT"


def test_match_that_moderator_stopped_meanwhile_has_no_move_of_computer():
    sitting = opened(computers=1)
    while sitting.turn != Turn(seat=1):
        sitting.move()
    before = sitting.state.seq
    sitting.ask(Rule("pause", MARY, ""))
    assert sitting.due.kind == "idle"
    assert refused(sitting, ActFor(Draw(1), before)) == "STALE"
    sitting.ask(Rule("resume", MARY, ""))
    assert sitting.due.kind == "computer"
    sitting.move()


def test_nobody_is_back_who_has_resigned():
    sitting = circled(GRACE, LINUS)
    sitting.resign(LINUS)
    assert refused(sitting, ComeBack(LINUS)) == "RESIGNED"


def test_computer_takes_no_seat_for_good_once_those_who_were_asked_have_left():
    sitting = circled(GRACE, computers=1, absent="seat")
    while sitting.turn is None or sitting.turn.user is None:
        sitting.move()
    silent, other = sitting.match.turn, sitting.other()
    sitting.run_out()
    sitting.resign(other)
    done = sitting.wait(DAY)
    assert "ChoiceMade" in kinds(done)
    assert sitting.state.clock.standins == {silent: "turn"}
