"""Every option of every family of games has a test in which its values differ."""

from itertools import combinations

import pytest

from engine.families import RULES_OF
from tests.engine.option_differences import list_distinguished_pairs

OPTIONS = [(family, option) for family, kind in RULES_OF.items() for option in kind.list_options()]


@pytest.mark.parametrize(("family", "option"), OPTIONS)
def test_values_of_option_differ_at_some_table(family: str, option: str) -> None:
    found, readings = list_distinguished_pairs(family, option), RULES_OF[family].get_readings()

    if option in readings:
        assert found == {frozenset(pair) for pair in combinations(readings[option], 2)}
    else:
        assert found, "a number needs a table at which two of its values differ"
