"""Five hundred whole matches of every preset, and some of every set, replayed from their logs to the same state."""

from random import Random

import pytest

from engine.actions import Draw, Pass, Resign
from engine.decide import decide
from engine.errors import RuleBroken, Why
from engine.events import Drew, MatchEnded, Passed
from engine.match import evolve, replay
from engine.rules import Rules
from tests.engine.readings import PRESETS, READINGS
from tests.engine.tables import RULES, Playout, state

BATCH = 100


def playout(rng: Random, rules: Rules = RULES) -> Playout:
    """Two to six seats that place anywhere; in some matches one of them is greedy, in some people leave."""
    seats = rng.randint(2, 6)
    greedy = frozenset({rng.randrange(seats)}) if rng.random() < 0.05 else frozenset()
    resigning = 0.004 if rng.random() < 0.3 else 0.0
    return Playout(rng, seats, greedy_seats=greedy, resigning=resigning, drawing=0.05, rules=rules)


@pytest.mark.parametrize(
    ("name", "batch"), [(name, batch) for name in READINGS for batch in range(5 if name in PRESETS else 1)]
)
def test_a_random_match_is_replayed_from_its_log_to_the_same_state(name: str, batch: int):
    met = set()
    for number in range(BATCH):
        rng = Random(batch * BATCH + number)
        played = playout(rng, READINGS[name])
        middle, then = rng.randrange(20, 200), None
        for count, (action, happened) in enumerate(played.steps()):
            if count == middle:
                then = len(played.log), state(played.match)
            if count % 50 == 0 and not played.match.ended:
                # Nobody can act out of turn, and asking changes nothing: the replay below would tell.
                with pytest.raises(RuleBroken) as refused:
                    decide(played.match, Draw(played.match.next_active(played.match.turn)), played.secret)
                assert refused.value.why is Why.NOT_YOUR_TURN
            met |= {type(action), *map(type, happened)}

        assert isinstance(played.log[-1], MatchEnded)
        assert state(replay(played.log)) == state(played.match)
        if then:
            assert state(replay(played.log[: then[0]])) == then[1]
    assert met >= {Draw, Pass, Resign, Drew, Passed}


@pytest.mark.parametrize("seed", range(3))
def test_a_copy_is_carried_on_without_touching_what_it_was_copied_from(seed: int):
    played = playout(Random(seed))
    for _ in played.steps():
        pass
    match = replay(played.log[:1])
    for event in played.log[1:]:
        before = state(match)
        evolve(match.copy(), event)
        assert state(match) == before
        evolve(match, event)
