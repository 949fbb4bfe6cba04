"""Numbers that make no game are refused when the rules are made."""

from dataclasses import replace
from typing import Any

import pytest

from tests.engine.tables import RULES


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"lattice": "cubes"}, "lattice must be one of triangles, squares"),
        ({"tile_set": "td35"}, "tile_set must be one of trio56, trio84, mac76"),
        (
            {"tile_set": "trio57"},
            "tile_set must be a kind and its count, like trio56, td35, mac24, quad125; not 'trio57'",
        ),
        ({"min_seats": 0}, "min_seats must be from 1 to max_seats"),
        ({"min_seats": 7}, "min_seats must be from 1 to max_seats"),
        ({"deal": (9, 7, 7, 6)}, "deal must have 5 numbers, one for each number of seats"),
        ({"deal": (9, 7, 7, 6, 0)}, "deal must leave every hand a tile from the set"),
        ({"deal": (9, 7, 7, 6, 10)}, "deal must leave every hand a tile from the set"),
        ({"target": 0}, "target must be from 1 to 100000"),
        ({"target": 100_001}, "target must be from 1 to 100000"),
        ({"hexagons": (50, 100)}, "hexagons must have three numbers: for one, two and three at once"),
        ({"hexagons_stepped": (50,)}, "hexagons_stepped must have three numbers: for one, two and three at once"),
        ({"draw_limit": -1}, "draw_limit must be from 0 to 100, or unlimited"),
        ({"draw_limit": 101}, "draw_limit must be from 0 to 100, or unlimited"),
        ({"draw_limit": "none"}, "draw_limit must be from 0 to 100, or unlimited"),
        ({"voluntary_draw": "maybe"}, "voluntary_draw must be one of off, on"),
        ({"blocked_bonus": "half"}, "blocked_bonus must be one of differences, others_minus_own, none"),
    ],
)
def test_a_number_that_makes_no_game_is_refused_by_its_name(wrong: dict[str, Any], message: str):
    with pytest.raises(ValueError) as refused:
        replace(RULES, **wrong)

    assert str(refused.value) == message


def test_a_table_that_people_have_left_deals_as_if_it_were_as_small_as_allowed():
    assert [RULES.hand_size(seats) for seats in (1, 2, 3, 4, 5, 6)] == [9, 9, 7, 7, 6, 6]
