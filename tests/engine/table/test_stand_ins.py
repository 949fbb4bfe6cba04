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
from tests.engine.table.sitting import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    SimulatedTable,
    expect_refusal,
    list_event_names,
    list_posts,
    open_played_table,
    open_table,
)


def start_stand_in(sim: SimulatedTable, choice: Choice = "seat") -> int:
    absent = sim.current_user
    sim.run_out_clock()
    sim.execute(ChooseAbsence(sim.find_other_user(), choice, sim.state.clock.watch.absence_question))
    return absent


def test_computer_that_takes_over_moves_at_once():
    sim = open_table(GRACE)
    start_stand_in(sim)
    assert sim.due == Due(at=sim.now, kind="computer")
    assert sim.state.clock.time.allowance is None


def test_stand_in_for_turn_ends_but_for_seat_stays():
    choices: tuple[StandIn, ...] = ("turn", "seat")
    for choice in choices:
        sim = open_table(GRACE)
        seat = sim.state.find_seat(start_stand_in(sim, choice))
        assert sim.state.clock.standins == {seat: choice}
        sim.play_turn()
        assert sim.state.clock.standins == ({seat: "seat"} if choice == "seat" else {})


def test_lone_player_cannot_undo_after_computer_moved():
    sim = open_played_table(computers=1)
    while sim.match.turn != 0 or find_last_placement(sim.match.undo_stack, 0) is None:
        sim.play_turn()
    assert expect_refusal(sim, AskPlayers(ADA, "undo")) == "NOBODY_TO_AGREE"
    assert expect_refusal(sim, TakeAction(ADA, Undo)) == "TOO_LATE_TO_TAKE_BACK"


def test_undo_is_refused_after_computer_moved_for_only_opponent():
    sim = open_played_table(GRACE)
    while sim.match.turn != 1 or find_last_placement(sim.match.undo_stack, 0) is None:
        sim.play_turn()
    sim.execute(Moderate("skip", MARY, ""))
    assert expect_refusal(sim, AskPlayers(ADA, "undo")) == "NOBODY_TO_AGREE"


def test_absent_player_agreeing_to_undo_returns_and_is_announced():
    sim = open_played_table(GRACE)
    question = sim.execute(AskPlayers(sim.find_other_user(), "undo")).table.question
    absent, seat = sim.current_user, sim.match.turn
    sim.execute(Moderate("skip", MARY, ""))
    decision = sim.execute(AnswerQuestion(absent, question.number, yes=True))
    assert list_event_names(decision)[:3] == ["Returned", "TurnBegan", "Undone"]
    assert ("notice", {"key": "returned", "seat": seat}) in list_posts(decision)
    assert sim.state.clock.standins == {}


def test_absent_player_who_moves_returns():
    sim = open_table(GRACE)
    absent = start_stand_in(sim)
    action = greedy.choose(view_for(sim.match, sim.match.turn), Random(1))
    assert list_event_names(sim.execute(TakeAction(absent, lambda _: action)))[:3] == [
        "Returned",
        "TurnBegan",
        "Placed",
    ]
    assert sim.state.clock.standins == {}


def test_player_returning_after_deadline_gets_same_time_again():
    sim = open_table(GRACE)
    sim.run_out_clock()
    mover = sim.current_user
    decision = sim.execute(ReturnToSeat(mover))
    assert list_event_names(decision) == ["Returned", "ChoiceMade"]
    assert list_posts(decision) == [("notice", {"key": "returned", "seat": sim.match.turn})]
    assert sim.state.clock.time.allowance == 2 * DAY
    assert expect_refusal(sim, ReturnToSeat(mover)) == "NOT_ABSENT"


def test_computer_move_is_stale_after_moderator_pause():
    sim = open_table(computers=1)
    while sim.turn != Turn(seat=1):
        sim.play_turn()
    before = sim.state.seq
    sim.execute(Moderate("pause", MARY, ""))
    assert sim.due.kind == "idle"
    assert expect_refusal(sim, TakeComputerAction(Draw(1), before)) == "STALE"
    sim.execute(Moderate("resume", MARY, ""))
    assert sim.due.kind == "computer"
    sim.play_turn()


def test_resigned_player_cannot_come_back():
    sim = open_played_table(GRACE, LINUS)
    sim.resign(LINUS)
    assert expect_refusal(sim, ReturnToSeat(LINUS)) == "RESIGNED"


def test_stand_in_lasts_one_turn_after_all_asked_have_left():
    sim = open_played_table(GRACE, computers=1, absent="seat")
    while sim.turn is None or sim.turn.user is None:
        sim.play_turn()
    absent_seat, other = sim.match.turn, sim.find_other_user()
    sim.run_out_clock()
    sim.resign(other)
    decision = sim.wait(DAY)
    assert "ChoiceMade" in list_event_names(decision)
    assert sim.state.clock.standins == {absent_seat: "turn"}
