"""Agreed pauses and vacations: no time runs, and no player can block the match with them."""

import pytest

from engine.match.actions import Resign
from engine.table.clock import compute_used_time
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
from engine.table.table_state import Due
from engine.table.terms import DAY, HOUR
from tests.engine.table.sitting import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    NEMO,
    START,
    Sitting,
    circled,
    kinds,
    opened,
    refused,
    said,
)


def agreed(*others: int, **chosen: str) -> Sitting:
    sitting = circled(*(others or (GRACE, LINUS)), **chosen)
    sitting.wait(HOUR)
    sitting.ask(AskPlayers(ADA, "pause"))
    for other in others or (GRACE, LINUS):
        question = sitting.state.question
        sitting.ask(AnswerQuestion(other, question.number, yes=True))
    assert sitting.state.paused_until == sitting.now + PAUSE_SPAN
    return sitting


def test_one_refusal_prevents_pause():
    sitting = circled(GRACE, LINUS)
    number = sitting.ask(AskPlayers(ADA, "pause")).table.seq
    sitting.ask(AnswerQuestion(GRACE, number, yes=True))
    assert sitting.state.paused_until is None
    done = sitting.ask(AnswerQuestion(LINUS, number, yes=False))
    assert (sitting.state.paused_until, kinds(done)) == (None, ["Answered"])
    assert refused(sitting, AskPlayers(ADA, "pause")) == "ASKED_BEFORE"
    sitting.move()


def test_agreed_pause_stops_clock_and_moves_until_resumed():
    sitting = agreed()
    mover, used = sitting.mover, compute_used_time(sitting.state.clock.time, sitting.now)
    assert used == HOUR
    assert refused(sitting, TakeAction(mover, Resign)) == "PAUSED_TOGETHER"
    for kind in ("abort", "undo", "pause"):
        assert refused(sitting, AskPlayers(ADA, kind)) == "PAUSED_TOGETHER"  # type: ignore[arg-type]
    assert sitting.wait(20 * DAY) is None, "nothing falls due"
    done = sitting.ask(EndPause(GRACE))
    assert kinds(done) == ["PauseEnded"]
    assert said(done) == [("notice", {"key": "goes_on", "seat": 1}), ("turn", {"seat": sitting.match.turn})]
    assert compute_used_time(sitting.state.clock.time, sitting.now) == used
    assert sitting.due.kind == "remind"
    sitting.move()


def test_pause_ends_automatically_and_player_is_mentioned():
    sitting = agreed()
    assert (sitting.due.at, sitting.due.kind) == (sitting.now + PAUSE_SPAN, "resume")
    done = sitting.wait(PAUSE_SPAN)
    assert done.events == (PauseEnded(None),)
    assert [kind for kind, _ in said(done)] == ["notice", "turn"]
    assert compute_used_time(sitting.state.clock.time, sitting.now) == HOUR
    assert sitting.wait(PAUSE_SPAN) is not None, "then the clock acts as ever"


@pytest.mark.parametrize("user", [ADA, GRACE, LINUS])
def test_any_active_player_can_end_pause_at_once(user: int):
    sitting = agreed()
    assert kinds(sitting.ask(EndPause(user))) == ["PauseEnded"]
    assert refused(sitting, EndPause(user)) == "NOT_PAUSED"


def test_spectator_or_resigned_player_cannot_end_pause():
    sitting = circled(GRACE, LINUS, MARY)
    sitting.resign(MARY)
    number = sitting.ask(AskPlayers(ADA, "pause")).table.seq
    for other in (GRACE, LINUS):
        sitting.ask(AnswerQuestion(other, number, yes=True))
    assert refused(sitting, EndPause(NEMO)) == "NOT_SEATED"
    assert refused(sitting, EndPause(MARY)) == "RESIGNED"
    assert sitting.state.paused_until is not None


def test_players_cannot_end_moderator_pause_that_replaced_theirs():
    sitting = agreed()
    sitting.ask(Moderate("pause", MARY, "look"))
    assert sitting.due.kind == "idle"
    assert refused(sitting, EndPause(ADA)) == "PAUSED"
    assert refused(sitting, TakeAction(sitting.mover, Resign)) == "PAUSED"
    sitting.ask(Moderate("resume", MARY, "seen"))
    assert sitting.due is not None
    sitting.move()


def test_moderator_can_end_agreed_pause():
    sitting = agreed()
    assert kinds(sitting.ask(Moderate("resume", MARY, "play"))) == ["Resumed"]
    assert sitting.state.paused_until is None


def test_absent_player_is_not_asked_and_ends_pause_by_returning():
    sitting = circled(GRACE, absent="seat")
    silent, other = sitting.mover, sitting.other()
    sitting.run_out()
    done = sitting.ask(AskPlayers(other, "pause"))
    assert kinds(done) == ["PauseAgreed"]
    until = sitting.now + PAUSE_SPAN
    seat = sitting.state.find_seat(other)
    assert said(done) == [("notice", {"key": "pause", "seat": seat, "until": until})]
    assert kinds(sitting.ask(EndPause(silent))) == ["PauseEnded", "Returned", "ChoiceMade"]
    # They are there again: the next pause takes their yes.
    assert kinds(sitting.ask(AskPlayers(other, "pause"))) == ["Asked"]


def test_player_with_stand_in_gets_turn_after_ending_pause():
    sitting = circled(GRACE, absent="seat")
    silent, other = sitting.mover, sitting.other()
    sitting.run_out()
    while silent not in [sitting.state.seats[seat].user_id for seat in sitting.state.clock.standins]:
        sitting.wait(2 * DAY)
    sitting.ask(AskPlayers(other, "pause"))
    assert sitting.wait(DAY) is None, "computers stand still as well"
    assert refused(sitting, ReturnToSeat(NEMO)) == "NOT_SEATED"
    sitting.ask(EndPause(silent))
    assert sitting.mover == silent
    assert not sitting.state.clock.standins


def test_player_against_computers_cannot_pause():
    sitting = opened(computers=1)
    assert refused(sitting, AskPlayers(ADA, "pause")) == "PAUSE_ALONE"


def test_vacation_within_pause_uses_no_time_up_and_gives_none():
    sitting = agreed(GRACE)
    mover = sitting.mover
    left = sitting.prefers(mover, away_from=sitting.now, away_until=sitting.now + 3 * DAY)
    sitting.ask(SetVacation(mover, left.away_until, "away"))
    sitting.wait(5 * DAY)
    sitting.ask(EndPause(mover))
    assert compute_used_time(sitting.state.clock.time, sitting.now) == HOUR


def test_long_silent_match_is_not_closed_during_pause():
    sitting = circled(GRACE, clock="relaxed")
    sitting.now += 40 * DAY
    number = sitting.ask(AskPlayers(ADA, "pause")).table.seq
    sitting.ask(AnswerQuestion(GRACE, number, yes=True))
    done = sitting.wait(PAUSE_SPAN)
    assert done is not None
    assert kinds(done) == ["PauseEnded"]
    assert sitting.state.state == "open"


def test_placed_tile_settles_before_pause_is_asked():
    sitting = circled(GRACE, LINUS)
    while sitting.state.tentative_turn is None:
        sitting.place()
    number = sitting.ask(AskPlayers(ADA, "pause")).table.seq
    for other in (GRACE, LINUS):
        sitting.ask(AnswerQuestion(other, number, yes=True))
    assert sitting.state.tentative_turn is None
    assert sitting.state.paused_until is not None
    sitting.wait(DAY)
    assert sitting.state.paused_until is not None, "nothing falls due meanwhile"


def test_pause_withdraws_queued_turn_mention_and_posts_agreement():
    sitting = circled(GRACE)
    number = sitting.ask(AskPlayers(ADA, "pause")).table.seq
    done = sitting.ask(AnswerQuestion(GRACE, number, yes=True))
    assert "turn" in done.obsolete_kinds
    ((kind, body),) = said(done)
    assert (kind, body["outcome"], body["kind"]) == ("settled", "agreed", "pause")


def away(sitting: Sitting, user: int, days: int) -> None:
    until = sitting.now + days * DAY if days else 0
    sitting.prefers(user, away_from=sitting.now, away_until=until or sitting.now)
    sitting.ask(SetVacation(user, until, "away" if days else "home"))


@pytest.mark.parametrize("first", ["vacation", "pause"])
def test_match_resumed_during_vacation_uses_none_of_players_time(first: str):
    sitting = opened(GRACE)
    sitting.now += HOUR
    for what in (first, "pause" if first == "vacation" else "vacation"):
        if what == "pause":
            sitting.ask(Moderate("pause", MARY, ""))
        else:
            away(sitting, sitting.mover, 3)
    sitting.ask(Moderate("resume", MARY, ""))
    assert sitting.state.clock.time.since == START + HOUR + 3 * DAY
    assert sitting.due == Due(at=START + HOUR + 3 * DAY + DAY * 80 // 100 - HOUR, kind="remind")


def test_ended_vacation_is_removed_by_next_event():
    sitting = opened(GRACE)
    seat = sitting.match.turn
    away(sitting, sitting.mover, 1)
    reminded = sitting.wait(2 * DAY)
    assert kinds(reminded) == ["Away", "Reminded"]
    assert sitting.entries[-2].event == Away(seat, 0)
    assert sitting.state.clock.watch.away == {}
    assert compute_used_time(sitting.state.clock.time, sitting.now) == DAY * 80 // 100


def test_player_back_early_continues_with_same_time_used():
    sitting = opened(GRACE)
    sitting.now += HOUR
    away(sitting, sitting.mover, 3)
    sitting.now += DAY
    assert compute_used_time(sitting.state.clock.time, sitting.now) == HOUR
    away(sitting, sitting.mover, 0)
    sitting.now += HOUR
    assert compute_used_time(sitting.state.clock.time, sitting.now) == 2 * HOUR


def test_turn_of_player_on_vacation_begins_at_return():
    sitting = opened(GRACE)
    away(sitting, sitting.other(), 3)
    sitting.move()
    assert sitting.state.clock.time.since == START + 3 * DAY


def test_vacation_during_absence_question_gives_full_time_afterwards():
    sitting = opened(GRACE)
    sitting.run_out()
    mover, asked = sitting.mover, sitting.state.clock.watch.absence_question
    assert asked is not None
    away(sitting, mover, 3)
    assert sitting.state.clock.watch.absence_question is None
    assert sitting.due == Due(at=sitting.now + 3 * DAY + DAY * 80 // 100, kind="remind")
    assert sitting.ask(Rearm()).events == ()


def test_vacation_does_not_pass_to_substitute():
    sitting = opened(GRACE)
    mover = sitting.mover
    away(sitting, mover, 3)
    asked = sitting.ask(AskPlayers(mover, "substitute", NEMO)).table.question
    sitting.ask(AnswerQuestion(NEMO, asked.number, yes=True))
    assert sitting.state.clock.watch.away == {}
    assert sitting.state.clock.time.since == sitting.now


def test_closed_table_does_not_prevent_vacation():
    sitting = opened(GRACE)
    sitting.ask(Moderate("stop", MARY, ""))
    assert sitting.ask(SetVacation(GRACE, sitting.now + DAY, "away")).events == ()
