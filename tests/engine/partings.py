"""Tables on which the readings of an option differ: which test shows which option of which family.

An option belongs to the rules of a family, so a further game of the family needs no separate tables.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from data.rulebook import load_rules
from engine.match.errors import RuleError, Violation
from engine.match.rules import Rules, judge_placement
from tests.engine.readings import read
from tests.engine.tables import board, placement

Show = Callable[[Rules], object]


class Parting(NamedTuple):
    family: str
    option: str
    comes: Mapping[str, object]


PARTINGS: Final[dict[str, Parting]] = {}
"""By file, test and game."""


def parts(
    games: str | Mapping[str, str], option: str, comes: Mapping[str, object], *, under: str = ""
) -> Callable[[Show], object]:
    """Make a test of a function that plays a table by any rules: under each reading this must come of it.

    `under` are the other options of these tables; where games need different ones, they are given by game.
    """
    tables = dict.fromkeys(games.split(), under) if isinstance(games, str) else games

    def made(show: Show) -> object:
        cases = []
        for game, others in tables.items():
            where = f"{Path(show.__code__.co_filename).name}: {show.__name__}: {game}"
            PARTINGS[where] = Parting(load_rules(game).family, option, comes)
            cases += [
                pytest.param(
                    read(game, f"{others} {option}={reading}"), comes[reading], id=f"{game}-{option}={reading}"
                )
                for reading in comes
            ]

        @pytest.mark.parametrize(("rules", "expected"), cases)
        def test(rules: Rules, expected: object) -> None:
            assert show(rules) == expected

        test.__name__, test.__doc__ = show.__name__, show.__doc__
        return test

    return made


def verdict(rules: Rules, position: str, move: str) -> Violation | None:
    try:
        judge_placement(board(position, rules), placement(move, rules), rules)
    except RuleError as broken:
        return broken.why
    return None


def told_apart(family: str, option: str) -> set[frozenset[str]]:
    """The pairs of readings between which some table of the tests decides."""
    for file in sorted(Path(__file__).parent.glob("test_options*.py")):
        import_module(f"tests.engine.{file.stem}")
    return {
        frozenset({one, other})
        for parting in PARTINGS.values()
        if (parting.family, parting.option) == (family, option)
        for one in parting.comes
        for other in parting.comes
        if parting.comes[one] != parting.comes[other]
    }
