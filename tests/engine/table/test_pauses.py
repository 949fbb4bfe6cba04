"""Agreed pauses and vacations: no time runs, and no player can block the match with them."""

import pytest

from engine.match.actions import Resign
from engine.table.clock import spent
from engine.table.commands import Act, Answer, Ask, ComeBack, GoAway, GoOn, Rearm, Rule
from engine.table.questions import LONGEST
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
    sitting.ask(Ask(ADA, "pause"))
    for other in others or (GRACE, LINUS):
        question = sitting.state.question
        sitting.ask(Answer(other, question.number, yes=True))
    assert sitting.state.paused_until == sitting.now + LONGEST
    return sitting


def test_one_refusal_prevents_pause():
    sitting = circled(GRACE, LINUS)
    number = sitting.ask(Ask(ADA, "pause")).table.seq
    sitting.ask(Answer(GRACE, number, yes=True))
    assert sitting.state.paused_until is None
    done = sitting.ask(Answer(LINUS, number, yes=False))
    assert (sitting.state.paused_until, kinds(done)) == (None, ["Answered"])
    assert refused(sitting, Ask(ADA, "pause")) == "ASKED_BEFORE"
    sitting.move()


def test_agreed_pause_stops_clock_and_moves_until_resumed():
    sitting = agreed()
    mover, used = sitting.mover, spent(sitting.state.clock.time, sitting.now)
    assert used == HOUR
    assert refused(sitting, Act(mover, Resign)) == "PAUSED_TOGETHER"
    for kind in ("abort", "undo", "pause"):
        assert refused(sitting, Ask(ADA, kind)) == "PAUSED_TOGETHER"  # type: ignore[arg-type]
    assert sitting.wait(20 * DAY) is None, "nothing falls due"
    done = sitting.ask(GoOn(GRACE))
    assert kinds(done) == ["PauseEnded"]
    assert said(done) == [("notice", {"key": "goes_on", "seat": 1}), ("turn", {"seat": sitting.match.turn})]
    assert spent(sitting.state.clock.time, sitting.now) == used
    assert sitting.due.kind == "remind"
    sitting.move()


def test_pause_ends_automatically_and_player_is_mentioned():
    sitting = agreed()
    assert (sitting.due.at, sitting.due.kind) == (sitting.now + LONGEST, "resume")
    done = sitting.wait(LONGEST)
    assert done.events == (PauseEnded(None),)
    assert [kind for kind, _ in said(done)] == ["notice", "turn"]
    assert spent(sitting.state.clock.time, sitting.now) == HOUR
    assert sitting.wait(LONGEST) is not None, "then the clock acts as ever"


@pytest.mark.parametrize("user", [ADA, GRACE, LINUS])
def test_any_active_player_can_end_pause_at_once(user: int):
    sitting = agreed()
    assert kinds(sitting.ask(GoOn(user))) == ["PauseEnded"]
    assert refused(sitting, GoOn(user)) == "NOT_PAUSED"


def test_spectator_or_resigned_player_cannot_end_pause():
    sitting = circled(GRACE, LINUS, MARY)
    sitting.resign(MARY)
    number = sitting.ask(Ask(ADA, "pause")).table.seq
    for other in (GRACE, LINUS):
        sitting.ask(Answer(other, number, yes=True))
    assert refused(sitting, GoOn(NEMO)) == "NOT_SEATED"
    assert refused(sitting, GoOn(MARY)) == "RESIGNED"
    assert sitting.state.paused_until is not None


def test_players_cannot_end_moderator_pause_that_replaced_theirs():
    sitting = agreed()
    sitting.ask(Rule("pause", MARY, "look"))
    assert sitting.due.kind == "idle"
    assert refused(sitting, GoOn(ADA)) == "PAUSED"
    assert refused(sitting, Act(sitting.mover, Resign)) == "PAUSED"
    sitting.ask(Rule("resume", MARY, "seen"))
    assert sitting.due is not None
    sitting.move()


def test_moderator_can_end_agreed_pause():
    sitting = agreed()
    assert kinds(sitting.ask(Rule("resume", MARY, "play"))) == ["Resumed"]
    assert sitting.state.paused_until is None


def test_absent_player_is_not_asked_and_ends_pause_by_returning():
    sitting = circled(GRACE, absent="seat")
    silent, other = sitting.mover, sitting.other()
    sitting.run_out()
    done = sitting.ask(Ask(other, "pause"))
    assert kinds(done) == ["PauseAgreed"]
    until = sitting.now + LONGEST
    seat = sitting.state.seat_of(other)
    assert said(done) == [("notice", {"key": "pause", "seat": seat, "until": until})]
    assert kinds(sitting.ask(GoOn(silent))) == ["PauseEnded", "Returned", "ChoiceMade"]
    # They are there again: the next pause takes their yes.
    assert kinds(sitting.ask(Ask(other, "pause"))) == ["Asked"]


def test_player_with_stand_in_gets_turn_after_ending_pause():
    sitting = circled(GRACE, absent="seat")
    silent, other = sitting.mover, sitting.other()
    sitting.run_out()
    while silent not in [sitting.state.seats[seat].user_id for seat in sitting.state.clock.standins]:
        sitting.wait(2 * DAY)
    sitting.ask(Ask(other, "pause"))
    assert sitting.wait(DAY) is None, "computers stand still as well"
    assert refused(sitting, ComeBack(NEMO)) == "NOT_SEATED"
    sitting.ask(GoOn(silent))
    assert sitting.mover == silent
    assert not sitting.state.clock.standins


def test_player_against_computers_cannot_pause():
    sitting = opened(computers=1)
    assert refused(sitting, Ask(ADA, "pause")) == "PAUSE_ALONE"


def test_vacation_within_pause_uses_no_time_up_and_gives_none():
    sitting = agreed(GRACE)
    mover = sitting.mover
    left = sitting.prefers(mover, away_from=sitting.now, away_until=sitting.now + 3 * DAY)
    sitting.ask(GoAway(mover, left.away_until, "away"))
    sitting.wait(5 * DAY)
    sitting.ask(GoOn(mover))
    assert spent(sitting.state.clock.time, sitting.now) == HOUR


def test_long_silent_match_is_not_closed_during_pause():
    sitting = circled(GRACE, clock="relaxed")
    sitting.now += 40 * DAY
    number = sitting.ask(Ask(ADA, "pause")).table.seq
    sitting.ask(Answer(GRACE, number, yes=True))
    done = sitting.wait(LONGEST)
    assert done is not None
    assert kinds(done) == ["PauseEnded"]
    assert sitting.state.state == "open"


def test_placed_tile_settles_before_pause_is_asked():
    sitting = circled(GRACE, LINUS)
    while sitting.state.unsettled is None:
        sitting.place()
    number = sitting.ask(Ask(ADA, "pause")).table.seq
    for other in (GRACE, LINUS):
        sitting.ask(Answer(other, number, yes=True))
    assert sitting.state.unsettled is None
    assert sitting.state.paused_until is not None
    sitting.wait(DAY)
    assert sitting.state.paused_until is not None, "nothing falls due meanwhile"


def test_pause_withdraws_queued_turn_mention_and_posts_agreement():
    sitting = circled(GRACE)
    number = sitting.ask(Ask(ADA, "pause")).table.seq
    done = sitting.ask(Answer(GRACE, number, yes=True))
    assert "turn" in done.withdraws
    ((kind, body),) = said(done)
    assert (kind, body["outcome"], body["kind"]) == ("settled", "agreed", "pause")


def away(sitting: Sitting, user: int, days: int) -> None:
    until = sitting.now + days * DAY if days else 0
    sitting.prefers(user, away_from=sitting.now, away_until=until or sitting.now)
    sitting.ask(GoAway(user, until, "away" if days else "home"))


@pytest.mark.parametrize("first", ["vacation", "pause"])
def test_match_resumed_during_vacation_uses_none_of_players_time(first: str):
    sitting = opened(GRACE)
    sitting.now += HOUR
    for what in (first, "pause" if first == "vacation" else "vacation"):
        if what == "pause":
            sitting.ask(Rule("pause", MARY, ""))
        else:
            away(sitting, sitting.mover, 3)
    sitting.ask(Rule("resume", MARY, ""))
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
    assert spent(sitting.state.clock.time, sitting.now) == DAY * 80 // 100


def test_player_back_early_continues_with_same_time_used():
    sitting = opened(GRACE)
    sitting.now += HOUR
    away(sitting, sitting.mover, 3)
    sitting.now += DAY
    assert spent(sitting.state.clock.time, sitting.now) == HOUR
    away(sitting, sitting.mover, 0)
    sitting.now += HOUR
    assert spent(sitting.state.clock.time, sitting.now) == 2 * HOUR


def test_turn_of_player_on_vacation_begins_at_return():
    sitting = opened(GRACE)
    away(sitting, sitting.other(), 3)
    sitting.move()
    assert sitting.state.clock.time.since == START + 3 * DAY


def test_vacation_during_absence_question_gives_full_time_afterwards():
    sitting = opened(GRACE)
    sitting.run_out()
    mover, asked = sitting.mover, sitting.state.clock.watch.asking
    assert asked is not None
    away(sitting, mover, 3)
    assert sitting.state.clock.watch.asking is None
    assert sitting.due == Due(at=sitting.now + 3 * DAY + DAY * 80 // 100, kind="remind")
    assert sitting.ask(Rearm()).events == ()


def test_vacation_does_not_pass_to_substitute():
    sitting = opened(GRACE)
    mover = sitting.mover
    away(sitting, mover, 3)
    asked = sitting.ask(Ask(mover, "substitute", NEMO)).table.question
    sitting.ask(Answer(NEMO, asked.number, yes=True))
    assert sitting.state.clock.watch.away == {}
    assert sitting.state.clock.time.since == sitting.now


def test_closed_table_does_not_prevent_vacation():
    sitting = opened(GRACE)
    sitting.ask(Rule("stop", MARY, ""))
    assert sitting.ask(GoAway(GRACE, sitting.now + DAY, "away")).events == ()
