"""Agreed pauses, vacations and stand-ins: absent players lose no time, cannot block the match, and can return."""

from random import Random

import pytest

from engine.match.actions import Draw, Resign, Undo
from engine.match.state import find_last_placement
from engine.players import greedy
from engine.table.commands import (
    AskPlayers,
    EndPause,
    Moderate,
    Rearm,
    ReturnToSeat,
    SetVacation,
    TakeAction,
    TakeComputerAction,
)
from engine.table.questions import PAUSE_SPAN
from engine.table.table_events import Away, Choice, PauseEnded
from engine.table.table_state import Due, Turn, compute_used_time
from engine.table.terms import DAY, HOUR
from tests.engine.table.simulated_table import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    NEMO,
    START,
    SimulatedTable,
    expect_refusal,
    list_event_names,
    list_posts,
    open_played_table,
    open_table,
)


def open_paused_table(*others: int, **chosen: str) -> SimulatedTable:
    sim = open_played_table(*(others or (GRACE, LINUS)), **chosen)
    sim.wait(HOUR)
    sim.ask(ADA, "pause")
    sim.answer(*(others or (GRACE, LINUS)))
    assert sim.state.paused_until == sim.now + PAUSE_SPAN
    return sim


def test_one_refusal_prevents_pause():
    sim = open_played_table(GRACE, LINUS)
    sim.ask(ADA, "pause")
    sim.answer(GRACE)
    assert sim.state.paused_until is None
    decision = sim.answer(LINUS, yes=False)
    assert (sim.state.paused_until, list_event_names(decision)) == (None, ["Answered"])
    assert expect_refusal(sim, AskPlayers(ADA, "pause")) == "ASKED_BEFORE"
    sim.play_turn()


def test_agreed_pause_stops_clock_and_moves_until_resumed():
    sim = open_paused_table()
    mover, used = sim.current_user, compute_used_time(sim.state.clock.time, sim.now)
    assert used == HOUR
    assert expect_refusal(sim, TakeAction(mover, Resign)) == "PAUSED_TOGETHER"
    for kind in ("abort", "undo", "pause"):
        assert expect_refusal(sim, AskPlayers(ADA, kind)) == "PAUSED_TOGETHER"  # type: ignore[arg-type]
    assert sim.wait(20 * DAY) is None, "nothing falls due"
    decision = sim.execute(EndPause(GRACE))
    assert list_event_names(decision) == ["PauseEnded"]
    assert list_posts(decision) == [("notice", {"key": "goes_on", "seat": 1}), ("turn", {"seat": sim.match.turn})]
    assert compute_used_time(sim.state.clock.time, sim.now) == used
    assert sim.due.kind == "remind"
    sim.play_turn()


def test_pause_ends_automatically_and_player_is_mentioned():
    sim = open_paused_table()
    assert (sim.due.at, sim.due.kind) == (sim.now + PAUSE_SPAN, "resume")
    decision = sim.wait(PAUSE_SPAN)
    assert decision.events == (PauseEnded(None),)
    assert [kind for kind, _ in list_posts(decision)] == ["notice", "turn"]
    assert compute_used_time(sim.state.clock.time, sim.now) == HOUR
    assert sim.wait(PAUSE_SPAN) is not None, "then the clock acts as ever"


@pytest.mark.parametrize("user", [ADA, GRACE, LINUS])
def test_any_active_player_can_end_pause_at_once(user: int):
    sim = open_paused_table()
    assert list_event_names(sim.execute(EndPause(user))) == ["PauseEnded"]
    assert expect_refusal(sim, EndPause(user)) == "NOT_PAUSED"


def test_spectator_or_resigned_player_cannot_end_pause():
    sim = open_played_table(GRACE, LINUS, MARY)
    sim.resign(MARY)
    sim.ask(ADA, "pause")
    sim.answer(GRACE, LINUS)
    assert expect_refusal(sim, EndPause(NEMO)) == "NOT_SEATED"
    assert expect_refusal(sim, EndPause(MARY)) == "RESIGNED"
    assert sim.state.paused_until is not None


def test_players_cannot_end_moderator_pause_that_replaced_theirs():
    sim = open_paused_table()
    sim.execute(Moderate("pause", MARY, "look"))
    assert sim.due.kind == "idle"
    assert expect_refusal(sim, EndPause(ADA)) == "PAUSED"
    assert expect_refusal(sim, TakeAction(sim.current_user, Resign)) == "PAUSED"
    sim.execute(Moderate("resume", MARY, "seen"))
    assert sim.due is not None
    sim.play_turn()


def test_moderator_can_end_agreed_pause():
    sim = open_paused_table()
    assert list_event_names(sim.execute(Moderate("resume", MARY, "play"))) == ["Resumed"]
    assert sim.state.paused_until is None


def test_absent_player_is_not_asked_and_ends_pause_by_returning():
    sim = open_played_table(GRACE, absent="seat")
    absent_user, other = sim.current_user, sim.find_other_user()
    sim.run_out_clock()
    decision = sim.execute(AskPlayers(other, "pause"))
    assert list_event_names(decision) == ["PauseAgreed"]
    pause = {"key": "pause", "seat": sim.state.find_seat(other), "until": sim.now + PAUSE_SPAN}
    assert list_posts(decision) == [("notice", pause)]
    assert list_event_names(sim.execute(EndPause(absent_user))) == ["PauseEnded", "Returned", "ChoiceMade"]
    # The player has returned, so the next pause needs their agreement again.
    assert list_event_names(sim.execute(AskPlayers(other, "pause"))) == ["Asked"]


def test_player_with_stand_in_gets_turn_after_ending_pause():
    sim = open_played_table(GRACE, absent="seat")
    absent_user, other = sim.current_user, sim.find_other_user()
    sim.run_out_clock()
    while not sim.state.clock.standins:
        sim.wait(2 * DAY)
    sim.execute(AskPlayers(other, "pause"))
    assert sim.wait(DAY) is None, "computers stand still as well"
    assert expect_refusal(sim, ReturnToSeat(NEMO)) == "NOT_SEATED"
    sim.execute(EndPause(absent_user))
    assert sim.current_user == absent_user
    assert not sim.state.clock.standins


def test_player_against_computers_cannot_pause():
    sim = open_table(computers=1)
    assert expect_refusal(sim, AskPlayers(ADA, "pause")) == "PAUSE_ALONE"


def test_vacation_within_pause_uses_no_time_up_and_gives_none():
    sim = open_paused_table(GRACE)
    mover = sim.current_user
    preferences = sim.set_preferences(mover, away_from=sim.now, away_until=sim.now + 3 * DAY)
    sim.execute(SetVacation(mover, preferences.away_until, "away"))
    sim.wait(5 * DAY)
    sim.execute(EndPause(mover))
    assert compute_used_time(sim.state.clock.time, sim.now) == HOUR


def test_long_silent_match_is_not_closed_during_pause():
    sim = open_played_table(GRACE, clock="relaxed")
    sim.now += 40 * DAY
    sim.ask(ADA, "pause")
    sim.answer(GRACE)
    assert list_event_names(sim.wait(PAUSE_SPAN)) == ["PauseEnded"]
    assert sim.state.state == "open"


def test_placed_tile_settles_before_pause_is_asked():
    sim = open_played_table(GRACE, LINUS)
    sim.play_move()
    assert sim.state.tentative_turn is not None
    sim.ask(ADA, "pause")
    sim.answer(GRACE, LINUS)
    assert sim.state.tentative_turn is None
    assert sim.state.paused_until is not None
    sim.wait(DAY)
    assert sim.state.paused_until is not None, "nothing falls due meanwhile"


def test_pause_withdraws_queued_turn_mention_and_posts_agreement():
    sim = open_played_table(GRACE)
    sim.ask(ADA, "pause")
    decision = sim.answer(GRACE)
    assert "turn" in decision.obsolete_kinds
    ((kind, body),) = list_posts(decision)
    assert (kind, body["outcome"], body["kind"]) == ("settled", "agreed", "pause")


def set_vacation(sim: SimulatedTable, user: int, days: int) -> None:
    until = sim.now + days * DAY if days else 0
    sim.set_preferences(user, away_from=sim.now, away_until=until or sim.now)
    sim.execute(SetVacation(user, until, "away" if days else "home"))


@pytest.mark.parametrize("first", ["vacation", "pause"])
def test_match_resumed_during_vacation_uses_none_of_players_time(first: str):
    sim = open_table(GRACE)
    sim.now += HOUR
    for kind in (first, "pause" if first == "vacation" else "vacation"):
        if kind == "pause":
            sim.execute(Moderate("pause", MARY, ""))
        else:
            set_vacation(sim, sim.current_user, 3)
    sim.execute(Moderate("resume", MARY, ""))
    assert sim.state.clock.time.since == START + HOUR + 3 * DAY
    assert sim.due == Due(at=START + HOUR + 3 * DAY + DAY * 80 // 100 - HOUR, kind="remind")


def test_ended_vacation_is_removed_by_next_event():
    sim = open_table(GRACE)
    set_vacation(sim, sim.current_user, 1)
    reminded = sim.wait(2 * DAY)
    assert list_event_names(reminded) == ["Away", "Reminded"]
    assert sim.entries[-2].event == Away(sim.match.turn, 0)
    assert sim.state.clock.watch.away == {}
    assert compute_used_time(sim.state.clock.time, sim.now) == DAY * 80 // 100


def test_player_back_early_continues_with_same_time_used():
    sim = open_table(GRACE)
    sim.now += HOUR
    set_vacation(sim, sim.current_user, 3)
    sim.now += DAY
    assert compute_used_time(sim.state.clock.time, sim.now) == HOUR
    set_vacation(sim, sim.current_user, 0)
    sim.now += HOUR
    assert compute_used_time(sim.state.clock.time, sim.now) == 2 * HOUR


def test_turn_of_player_on_vacation_begins_at_return():
    sim = open_table(GRACE)
    set_vacation(sim, sim.find_other_user(), 3)
    sim.play_turn()
    assert sim.state.clock.time.since == START + 3 * DAY


def test_vacation_during_absence_question_gives_full_time_afterwards():
    sim = open_table(GRACE)
    sim.run_out_clock()
    assert sim.state.clock.watch.absence_question is not None
    set_vacation(sim, sim.current_user, 3)
    assert sim.state.clock.watch.absence_question is None
    assert sim.due == Due(at=sim.now + 3 * DAY + DAY * 80 // 100, kind="remind")
    assert sim.execute(Rearm()).events == ()


def test_vacation_does_not_pass_to_substitute():
    sim = open_table(GRACE)
    mover = sim.current_user
    set_vacation(sim, mover, 3)
    sim.ask(mover, "substitute", NEMO)
    sim.answer(NEMO)
    assert sim.state.clock.watch.away == {}
    assert sim.state.clock.time.since == sim.now


def test_closed_table_does_not_prevent_vacation():
    sim = open_table(GRACE)
    sim.execute(Moderate("stop", MARY, ""))
    assert sim.execute(SetVacation(GRACE, sim.now + DAY, "away")).events == ()


def start_stand_in(sim: SimulatedTable, choice: Choice = "seat") -> int:
    absent = sim.current_user
    sim.run_out_clock()
    sim.choose_absence(sim.find_other_user(), choice)
    return absent


def test_computer_that_takes_over_moves_at_once():
    sim = open_table(GRACE)
    start_stand_in(sim)
    assert sim.due == Due(at=sim.now, kind="computer")
    assert sim.state.clock.time.allowance is None


def test_stand_in_for_turn_ends_but_for_seat_stays():
    for choice in ("turn", "seat"):
        sim = open_table(GRACE)
        seat = sim.state.find_seat(start_stand_in(sim, choice))
        assert sim.state.clock.standins == {seat: choice}
        sim.play_turn()
        assert sim.state.clock.standins == ({seat: "seat"} if choice == "seat" else {})


def test_lone_player_cannot_undo_after_computer_moved():
    sim = open_played_table(computers=1)
    sim.play_until_placed(0)
    assert expect_refusal(sim, AskPlayers(ADA, "undo")) == "NOBODY_TO_AGREE"
    assert expect_refusal(sim, TakeAction(ADA, Undo)) == "TOO_LATE_TO_TAKE_BACK"


def test_undo_is_refused_after_computer_moved_for_only_opponent():
    sim = open_played_table(GRACE)
    sim.play_until(lambda: sim.match.turn == 1 and find_last_placement(sim.match.undo_stack, 0))
    sim.execute(Moderate("skip", MARY, ""))
    assert expect_refusal(sim, AskPlayers(ADA, "undo")) == "NOBODY_TO_AGREE"


def test_absent_player_agreeing_to_undo_returns_and_is_announced():
    sim = open_played_table(GRACE)
    sim.ask(sim.find_other_user(), "undo")
    absent, seat = sim.current_user, sim.match.turn
    sim.execute(Moderate("skip", MARY, ""))
    decision = sim.answer(absent)
    assert list_event_names(decision)[:3] == ["Returned", "TurnBegan", "Undone"]
    assert ("notice", {"key": "returned", "seat": seat}) in list_posts(decision)
    assert sim.state.clock.standins == {}


def test_absent_player_who_moves_returns():
    sim = open_table(GRACE)
    absent = start_stand_in(sim)
    action = greedy.choose(sim.view(absent), Random(1))
    decision = sim.execute(TakeAction(absent, lambda _: action))
    assert list_event_names(decision)[:3] == ["Returned", "TurnBegan", "Placed"]
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
    sim.play_until(lambda: sim.turn == Turn(seat=1))
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
    sim.play_until(lambda: sim.turn.user)
    absent_seat, other = sim.match.turn, sim.find_other_user()
    sim.run_out_clock()
    sim.resign(other)
    decision = sim.wait(DAY)
    assert "ChoiceMade" in list_event_names(decision)
    assert sim.state.clock.standins == {absent_seat: "turn"}
