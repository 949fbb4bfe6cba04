"""Every option of every family of games has a test in which its readings differ."""

from itertools import combinations

import pytest

from engine.families import RULES_OF
from tests.engine.partings import told_apart

OPTIONS = [(family, option) for family, kind in RULES_OF.items() for option in kind.options()]


@pytest.mark.parametrize(("family", "option"), OPTIONS)
def test_every_two_readings_of_an_option_are_told_apart_by_some_table(family: str, option: str) -> None:
    found, readings = told_apart(family, option), RULES_OF[family].readings()

    if option in readings:
        assert found == {frozenset(pair) for pair in combinations(readings[option], 2)}
    else:
        assert found, "a number has a table on which two of its values differ"
