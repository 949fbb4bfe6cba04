"""Players try to delay others with pauses."""

from random import Random

import pytest

from engine.match.errors import RuleError
from engine.table.clock import compute_time_left, compute_used_time
from engine.table.commands import AnswerQuestion, AskPlayers, Command, EndPause, SetVacation
from engine.table.refusals import RefusalError
from engine.table.terms import DAY, HOUR
from tests.depth import scaled
from tests.engine.table.sitting import ADA, GRACE, LINUS, Sitting, circled

pytestmark = pytest.mark.deep

ATTACKERS = (ADA, GRACE)
CLOCKS = ("1d", "bank 2d+6h", "live 5m", "relaxed")


def tries(sitting: Sitting, command: Command) -> bool:
    try:
        sitting.ask(command)
    except (RefusalError, RuleError):
        return False
    return True


def schemes(sitting: Sitting, rng: Random) -> None:
    who, asked = rng.choice(ATTACKERS), sitting.state.question
    if asked is not None and rng.random() < 0.6:
        tries(sitting, AnswerQuestion(who, asked.number, yes=True))
    elif rng.random() < 0.8:
        tries(sitting, AskPlayers(who, "pause"))
    elif rng.random() < 0.5:
        until = sitting.now + DAY
        tries(sitting, SetVacation(who, until, "away"))
    else:
        tries(sitting, EndPause(who))


@pytest.mark.parametrize("seed", range(scaled(24, 6)))
def test_two_players_cannot_pause_against_third(seed: int):
    rng = Random(seed)
    sitting = circled(GRACE, LINUS, clock=rng.choice(CLOCKS))
    for _ in range(60):
        if sitting.state.state != "open":
            break
        schemes(sitting, rng)
        assert sitting.state.paused_until is None, "Linus was there, and did not agree"
        if sitting.turn is not None and rng.random() < 0.4:
            sitting.move()
        sitting.now += rng.choice((1000, 60_000))


@pytest.mark.parametrize("seed", range(scaled(24, 6)))
def test_paused_player_can_resume_any_time_without_losing_time(seed: int):
    rng = Random(seed)
    sitting = circled(GRACE, LINUS, clock=rng.choice(CLOCKS[:3]))
    while sitting.mover != LINUS:
        sitting.move()
    for _ in range(8):
        tries(sitting, AskPlayers(ADA, "pause"))
        question = sitting.state.question
        for who in (GRACE, LINUS):
            tries(sitting, AnswerQuestion(who, question.number, yes=True))
        assert sitting.state.paused_until is not None
        used = compute_used_time(sitting.state.clock.time, sitting.now)
        sitting.wait(rng.choice((60_000, HOUR, 3 * DAY, 29 * DAY)))
        assert tries(sitting, EndPause(LINUS)), "alone, and at once"
        assert sitting.state.paused_until is None
        assert compute_used_time(sitting.state.clock.time, sitting.now) == used
        assert compute_time_left(sitting.state.clock.time, sitting.now) != 0
        schemes(sitting, rng)
        schemes(sitting, rng)
        assert sitting.state.paused_until is None, "the next one takes their yes again"
        question = sitting.state.question
        if question is not None:
            tries(sitting, AnswerQuestion(LINUS, question.number, yes=False))
            sitting.now += 2 * DAY if sitting.state.clock.time.since is None else 1000
        break_off(sitting)


def break_off(sitting: Sitting) -> None:
    sitting.move()
    while sitting.turn is not None and sitting.turn.user != LINUS:
        sitting.move()


@pytest.mark.parametrize("clock", CLOCKS[:2])
def test_pausing_while_opponent_is_away_gains_nothing(clock: str):
    sitting = circled(GRACE, clock=clock, absent="seat")
    while sitting.mover != GRACE:
        sitting.move()
    sitting.run_out()
    assert tries(sitting, AskPlayers(ADA, "pause")), "nobody else is there to be asked"
    sitting.wait(20 * DAY)
    assert tries(sitting, EndPause(GRACE))
    assert sitting.mover == GRACE
    assert compute_time_left(sitting.state.clock.time, sitting.now) != 0, "they have time to move"
    assert not tries(sitting, EndPause(ADA))
    assert tries(sitting, AskPlayers(ADA, "pause"))
    assert sitting.state.paused_until is None, "they are there, and are asked"
    sitting.move()
