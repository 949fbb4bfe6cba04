"""Numbers that make no game are refused when the rules are made."""

from dataclasses import replace
from typing import Any

import pytest

from engine.match.errors import OptionError, OptionFault
from engine.match.rules import Rules
from tests.engine.readings import build_rules
from tests.engine.tables import RULES

QUAD, POINTS, STAR, TRIOKER = (
    build_rules("quad-ominos"),
    build_rules("points"),
    build_rules("star"),
    build_rules("trioker"),
)
WRONG: list[tuple[Rules, str, tuple[object, ...]]] = [
    (RULES, "lattice", ("cubes",)),
    (RULES, "tile_set", ("td35", "trio57")),
    (RULES, "min_seats", (0, 7)),
    (RULES, "deal", ((9, 7, 7, 6), (9, 7, 7, 6, 0), (9, 7, 7, 6, 10))),
    (RULES, "target", (0, 100_001)),
    (RULES, "hexagons", ((50, 100),)),
    (RULES, "hexagons_stepped", ((50,),)),
    (RULES, "draw_limit", (-1, 101, "none")),
    (RULES, "voluntary_draw", ("maybe",)),
    (RULES, "blocked_bonus", ("half",)),
    (QUAD, "target", (0,)),
    (QUAD, "tile_set", ("trio56",)),
    (QUAD, "hands", ((), (30, 0), (30, 20, 15, 12, 11))),
    (QUAD, "hands_half", ((63,),)),
    (QUAD, "matching", (0, 5)),
    (QUAD, "bonus_tiles", (0,)),
    (QUAD, "bonus_chain", ("maybe",)),
    (QUAD, "quad_arrangement", ("any",)),
    (POINTS, "target", (-1, 100_001)),
    (POINTS, "tile_set", ("trio56",)),
    (POINTS, "max_seats", (36,)),
    (POINTS, "boss", ("maybe",)),
    (STAR, "star_corner_order", ("straight",)),
    (TRIOKER, "target", (-1,)),
    (TRIOKER, "trioker_values", (3, 7)),
    (TRIOKER, "joker_corners", ((0, 4),)),
    (TRIOKER, "hexagons", ((50,),)),
]
NAMED = {
    (QUAD.game, "lattice", "triangles"): "tile_set",
    (QUAD.game, "max_seats", 13): "hands",
    (POINTS.game, "lattice", "squares"): "tile_set",
    (TRIOKER.game, "lattice", "squares"): "tile_set",
}
CASES = [(rules, name, value, name) for rules, name, values in WRONG for value in values]
CASES += [(build_rules(game), name, value, named) for (game, name, value), named in NAMED.items()]


@pytest.mark.parametrize(("rules", "name", "value", "named"), CASES, ids=lambda case: getattr(case, "game", str(case)))
def test_number_that_makes_no_game_is_refused_by_name(rules: Rules, name: str, value: Any, named: str):
    with pytest.raises(ValueError, match=f"^{named} must "):
        replace(rules, **{name: value})


def test_huge_tile_set_is_refused_before_it_is_built():
    with pytest.raises(OptionError) as excinfo:
        TRIOKER.with_option("trioker_values", "999999")  # 10^17 tiles would take for ever

    assert (excinfo.value.why, excinfo.value.allowed) == (OptionFault.NO_SUCH_VALUE, ("4-6",))


def test_hand_size_for_one_remaining_seat_equals_two_seats():
    assert [RULES.compute_hand_size(seats) for seats in (1, 2, 3, 4, 5, 6)] == [9, 9, 7, 7, 6, 6]
