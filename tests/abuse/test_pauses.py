"""Players try to delay others with pauses."""

from random import Random

import pytest

from engine.match.errors import RuleError
from engine.table.clock import compute_time_left
from engine.table.commands import AnswerQuestion, AskPlayers, Command, EndPause, SetVacation
from engine.table.refusals import RefusalError
from engine.table.table_state import compute_used_time
from engine.table.terms import DAY, HOUR
from tests.depth import scale_count
from tests.engine.table.simulated_table import ADA, GRACE, LINUS, SimulatedTable, open_played_table

ATTACKERS = (ADA, GRACE)
CLOCKS = ("1d", "bank 2d+6h", "live 5m", "relaxed")


def try_command(sim: SimulatedTable, command: Command) -> bool:
    try:
        sim.execute(command)
    except (RefusalError, RuleError):
        return False
    return True


def try_random_delay(sim: SimulatedTable, rng: Random) -> None:
    user, question = rng.choice(ATTACKERS), sim.state.question
    if question is not None and rng.random() < 0.6:
        try_command(sim, AnswerQuestion(user, question.number, yes=True))
    elif rng.random() < 0.8:
        try_command(sim, AskPlayers(user, "pause"))
    elif rng.random() < 0.5:
        until = sim.now + DAY
        try_command(sim, SetVacation(user, until, "away"))
    else:
        try_command(sim, EndPause(user))


@pytest.mark.parametrize("seed", range(scale_count(24, 6)))
def test_two_players_cannot_pause_against_third(seed: int):
    rng = Random(seed)
    sim = open_played_table(GRACE, LINUS, clock=rng.choice(CLOCKS))
    for _ in range(60):
        if sim.state.state != "open":
            break
        try_random_delay(sim, rng)
        assert sim.state.paused_until is None, "Linus was there, and did not agree"
        if sim.turn is not None and rng.random() < 0.4:
            sim.play_turn()
        sim.now += rng.choice((1000, 60_000))


@pytest.mark.parametrize("seed", range(scale_count(24, 6)))
def test_paused_player_can_resume_any_time_without_losing_time(seed: int):
    rng = Random(seed)
    sim = open_played_table(GRACE, LINUS, clock=rng.choice(CLOCKS[:3]))
    while sim.current_user != LINUS:
        sim.play_turn()
    for _ in range(8):
        try_command(sim, AskPlayers(ADA, "pause"))
        question = sim.state.question
        for who in (GRACE, LINUS):
            try_command(sim, AnswerQuestion(who, question.number, yes=True))
        assert sim.state.paused_until is not None
        used = compute_used_time(sim.state.clock.time, sim.now)
        sim.wait(rng.choice((60_000, HOUR, 3 * DAY, 29 * DAY)))
        assert try_command(sim, EndPause(LINUS)), "alone, and at once"
        assert sim.state.paused_until is None
        assert compute_used_time(sim.state.clock.time, sim.now) == used
        assert compute_time_left(sim.state.clock.time, sim.now) != 0
        try_random_delay(sim, rng)
        try_random_delay(sim, rng)
        assert sim.state.paused_until is None, "the next one takes their yes again"
        question = sim.state.question
        if question is not None:
            try_command(sim, AnswerQuestion(LINUS, question.number, yes=False))
            sim.now += 2 * DAY if sim.state.clock.time.since is None else 1000
        sim.play_turn()
        sim.play_until(lambda: sim.turn is None or sim.turn.user == LINUS)


@pytest.mark.parametrize("clock", CLOCKS[:2])
def test_pausing_while_opponent_is_away_gains_nothing(clock: str):
    sim = open_played_table(GRACE, clock=clock, absent="seat")
    while sim.current_user != GRACE:
        sim.play_turn()
    sim.run_out_clock()
    assert try_command(sim, AskPlayers(ADA, "pause")), "nobody else is there to be asked"
    sim.wait(20 * DAY)
    assert try_command(sim, EndPause(GRACE))
    assert sim.current_user == GRACE
    assert compute_time_left(sim.state.clock.time, sim.now) != 0, "they have time to move"
    assert not try_command(sim, EndPause(ADA))
    assert try_command(sim, AskPlayers(ADA, "pause"))
    assert sim.state.paused_until is None, "they are there, and are asked"
    sim.play_turn()
