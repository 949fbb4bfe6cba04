"""What a player is offered is exactly what `decide` takes, in all games and readings."""

from random import Random

import pytest

from data.rulebook import games, rules
from engine.decide import decide, start
from engine.legal import legal_actions
from engine.match import evolve, replay
from engine.seen import see
from tests.depth import deep
from tests.engine.tables import SECRET
from tests.engine.test_simulation import LONGEST, any_options, taken


@pytest.mark.parametrize("game", games())
def test_a_player_is_offered_all_that_the_rules_allow_and_nothing_else(game: str) -> None:
    rng = Random(5)
    for _ in range(deep(4)):
        reading = any_options(rules(game), rng)
        seats = rng.randrange(reading.min_seats, reading.max_seats + 1)
        table = replay(start(reading, seats=seats, computers=(), by_hand=True, secret=SECRET))
        for _ in range(LONGEST):
            if table.ended:
                break
            offered = legal_actions(see(table, table.turn))
            assert len(offered) == len({*offered})
            assert {*offered} == taken(table)
            assert legal_actions(see(table, (table.turn + 1) % seats)) == ()
            for event in decide(table, rng.choice(offered), SECRET):
                evolve(table, event)
        else:
            continue
        assert legal_actions(see(table, table.turn)) == ()
