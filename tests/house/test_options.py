"""Every option of every game has a test in which its readings differ."""

from itertools import combinations

import pytest

from data.rulebook import games, rules
from tests.engine.partings import told_apart

OPTIONS = [(game, option) for game in games() for option in rules(game).options()]


@pytest.mark.parametrize(("game", "option"), OPTIONS)
def test_every_two_readings_of_an_option_are_told_apart_by_some_table(game: str, option: str) -> None:
    found = told_apart(game, option)

    if option in rules(game).readings():
        assert found == {frozenset(pair) for pair in combinations(rules(game).readings()[option], 2)}
    else:
        assert found, "a number has a table on which two of its values differ"
