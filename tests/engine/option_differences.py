"""Tables on which the values of an option differ, and the test for each option of each family.

An option belongs to the rules of a family, so a further game of the family needs no separate tables.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from data.rulebook import load_rules
from engine.match.errors import Violation
from engine.match.rules import Rules
from tests.engine.readings import build_rules
from tests.engine.tables import build_board, build_placement, find_placement_violation

OptionTest = Callable[[Rules], object]


class OptionDifference(NamedTuple):
    family: str
    option: str
    outcomes: Mapping[str, object]


OPTION_DIFFERENCES: Final[dict[str, OptionDifference]] = {}


def parametrize_option(
    games: str | Mapping[str, str], option: str, outcomes: Mapping[str, object], *, other_options: str = ""
) -> Callable[[OptionTest], object]:
    """Make a test of a function that plays a table by given rules: each value of the option must lead to its expected
    result.

    `other_options` are the other options of these tables; where games need different ones, they are given by game.
    """
    tables = dict.fromkeys(games.split(), other_options) if isinstance(games, str) else games

    def decorate(function: OptionTest) -> object:
        cases = []
        for game, others in tables.items():
            where = f"{Path(function.__code__.co_filename).name}: {function.__name__}: {game}"
            OPTION_DIFFERENCES[where] = OptionDifference(load_rules(game).family, option, outcomes)
            cases += [
                pytest.param(
                    build_rules(game, f"{others} {option}={reading}"),
                    outcomes[reading],
                    id=f"{game}-{option}={reading}",
                )
                for reading in outcomes
            ]

        @pytest.mark.parametrize(("rules", "expected"), cases)
        def test(rules: Rules, expected: object) -> None:
            assert function(rules) == expected

        test.__name__, test.__doc__ = function.__name__, function.__doc__
        return test

    return decorate


def find_violation(rules: Rules, position: str, move: str) -> Violation | None:
    return find_placement_violation(build_board(position, rules), build_placement(move, rules), rules)


def list_distinguished_pairs(family: str, option: str) -> set[frozenset[str]]:
    """Return the pairs of values for which the tests have a table with different results."""
    for file in sorted(Path(__file__).parent.glob("test_options*.py")):
        import_module(f"tests.engine.{file.stem}")
    return {
        frozenset({one, other})
        for difference in OPTION_DIFFERENCES.values()
        if (difference.family, difference.option) == (family, option)
        for one in difference.outcomes
        for other in difference.outcomes
        if difference.outcomes[one] != difference.outcomes[other]
    }
