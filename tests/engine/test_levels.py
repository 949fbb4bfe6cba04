"""The levels of computer players: what each may know, and that each plays by the rules of every game."""

from collections.abc import Callable
from itertools import count
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import games, rules
from data.weights import weights
from engine.decide import decide
from engine.players.levels import BESIDE, LEVELS, player
from engine.seen import see
from tests.depth import deep
from tests.engine.moments import choices, rearranged
from tests.engine.tables import match

every_level = pytest.mark.parametrize("level", [*LEVELS, *BESIDE])


@pytest.mark.parametrize("game", games())
@every_level
@settings(max_examples=deep(3), deadline=None)
@given(data=st.data(), luck=st.integers(0, 99))
def test_a_level_plays_by_the_rules_and_by_what_its_seat_may_see(level: str, game: str, data: st.DataObject, luck: int):
    playout = data.draw(choices(game))
    table = playout.match
    chooser = player(level, table.rules, weights(table.rules))
    twin = rearranged(playout.log, table.turn, Random(luck))

    chosen = chooser.choose(see(table, table.turn), Random(luck), after_some(9))

    assert chooser.choose(see(twin, table.turn), Random(luck), after_some(9)) == chosen
    assert decide(table, chosen, playout.secret)


def after_some(times: int) -> Callable[[], bool]:
    """Says that it is enough once it was asked so many times."""
    asked = count(1)
    return lambda: next(asked) >= times


def test_a_name_that_nobody_has_is_refused():
    with pytest.raises(ValueError, match="there is no player 'grandmaster'; there is easy, medium"):
        player("grandmaster", rules("triominoes"), weights(rules("triominoes")))


@pytest.mark.parametrize("game", games())
def test_the_weights_of_a_game_can_be_read(game: str):
    found = weights(rules(game))
    assert found.hard is None or found.hard.looks_on


def chosen(level: str, hands: list[str], position: str) -> str:
    table = match(hands, position=position)
    found = player(level, table.rules, weights(table.rules)).choose(see(table, 0), Random(0))
    return str(getattr(found, "tile", found))


def test_medium_gets_rid_of_a_triple_before_a_tile_that_is_heavier():
    assert chosen("greedy", ["4-4-4 4-4-5 0-0-1", "0-0-2"], "U0,0=144") == "(4, 4, 5)"
    assert chosen("medium", ["4-4-4 4-4-5 0-0-1", "0-0-2"], "U0,0=144") == "(4, 4, 4)"
