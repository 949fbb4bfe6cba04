"""Agreed pauses and vacations: no time runs, and no player can block the match with them."""

import pytest

from engine.match.actions import Resign
from engine.table.commands import (
    AnswerQuestion,
    AskPlayers,
    EndPause,
    Moderate,
    Rearm,
    ReturnToSeat,
    SetVacation,
    TakeAction,
)
from engine.table.questions import PAUSE_SPAN
from engine.table.table_events import Away, PauseEnded
from engine.table.table_state import Due, compute_used_time
from engine.table.terms import DAY, HOUR
from tests.engine.table.sitting import (
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
    sim.execute(AskPlayers(ADA, "pause"))
    for other in others or (GRACE, LINUS):
        question = sim.state.question
        sim.execute(AnswerQuestion(other, question.number, yes=True))
    assert sim.state.paused_until == sim.now + PAUSE_SPAN
    return sim


def test_one_refusal_prevents_pause():
    sim = open_played_table(GRACE, LINUS)
    number = sim.execute(AskPlayers(ADA, "pause")).table.seq
    sim.execute(AnswerQuestion(GRACE, number, yes=True))
    assert sim.state.paused_until is None
    decision = sim.execute(AnswerQuestion(LINUS, number, yes=False))
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
    number = sim.execute(AskPlayers(ADA, "pause")).table.seq
    for other in (GRACE, LINUS):
        sim.execute(AnswerQuestion(other, number, yes=True))
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
    until = sim.now + PAUSE_SPAN
    seat = sim.state.find_seat(other)
    assert list_posts(decision) == [("notice", {"key": "pause", "seat": seat, "until": until})]
    assert list_event_names(sim.execute(EndPause(absent_user))) == ["PauseEnded", "Returned", "ChoiceMade"]
    # They are there again: the next pause takes their yes.
    assert list_event_names(sim.execute(AskPlayers(other, "pause"))) == ["Asked"]


def test_player_with_stand_in_gets_turn_after_ending_pause():
    sim = open_played_table(GRACE, absent="seat")
    absent_user, other = sim.current_user, sim.find_other_user()
    sim.run_out_clock()
    while absent_user not in [sim.state.seats[seat].user_id for seat in sim.state.clock.standins]:
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
    number = sim.execute(AskPlayers(ADA, "pause")).table.seq
    sim.execute(AnswerQuestion(GRACE, number, yes=True))
    decision = sim.wait(PAUSE_SPAN)
    assert decision is not None
    assert list_event_names(decision) == ["PauseEnded"]
    assert sim.state.state == "open"


def test_placed_tile_settles_before_pause_is_asked():
    sim = open_played_table(GRACE, LINUS)
    while sim.state.tentative_turn is None:
        sim.play_move()
    number = sim.execute(AskPlayers(ADA, "pause")).table.seq
    for other in (GRACE, LINUS):
        sim.execute(AnswerQuestion(other, number, yes=True))
    assert sim.state.tentative_turn is None
    assert sim.state.paused_until is not None
    sim.wait(DAY)
    assert sim.state.paused_until is not None, "nothing falls due meanwhile"


def test_pause_withdraws_queued_turn_mention_and_posts_agreement():
    sim = open_played_table(GRACE)
    number = sim.execute(AskPlayers(ADA, "pause")).table.seq
    decision = sim.execute(AnswerQuestion(GRACE, number, yes=True))
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
    seat = sim.match.turn
    set_vacation(sim, sim.current_user, 1)
    reminded = sim.wait(2 * DAY)
    assert list_event_names(reminded) == ["Away", "Reminded"]
    assert sim.entries[-2].event == Away(seat, 0)
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
    mover, question = sim.current_user, sim.state.clock.watch.absence_question
    assert question is not None
    set_vacation(sim, mover, 3)
    assert sim.state.clock.watch.absence_question is None
    assert sim.due == Due(at=sim.now + 3 * DAY + DAY * 80 // 100, kind="remind")
    assert sim.execute(Rearm()).events == ()


def test_vacation_does_not_pass_to_substitute():
    sim = open_table(GRACE)
    mover = sim.current_user
    set_vacation(sim, mover, 3)
    question = sim.execute(AskPlayers(mover, "substitute", NEMO)).table.question
    sim.execute(AnswerQuestion(NEMO, question.number, yes=True))
    assert sim.state.clock.watch.away == {}
    assert sim.state.clock.time.since == sim.now


def test_closed_table_does_not_prevent_vacation():
    sim = open_table(GRACE)
    sim.execute(Moderate("stop", MARY, ""))
    assert sim.execute(SetVacation(GRACE, sim.now + DAY, "away")).events == ()
