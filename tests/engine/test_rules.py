"""Numbers that make no game are refused when the rules are made."""

from dataclasses import replace
from typing import Any

import pytest

from engine.errors import OptionRefused, Unfit
from engine.rules import Rules
from tests.engine.readings import read
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
        ({"blocked_bonus": "half"}, "blocked_bonus must be one of differences, others_minus_own, lose_own, none"),
    ],
)
def test_a_number_that_makes_no_game_is_refused_by_its_name(wrong: dict[str, Any], message: str):
    with pytest.raises(ValueError) as refused:
        replace(RULES, **wrong)

    assert str(refused.value) == message


def test_a_set_of_far_too_many_numbers_is_refused_before_its_tiles_are_made():
    with pytest.raises(OptionRefused) as refused:
        TRIOKER.with_option("trioker_values", "999999")  # 10^17 tiles would take for ever

    assert (refused.value.why, refused.value.allowed) == (Unfit.NO_SUCH_VALUE, ("4-6",))


QUAD, POINTS, STAR, TRIOKER = read("quad-ominos"), read("points"), read("star"), read("trioker")
ONE_DEAL = "target must be from 1 to 100000, or 0 where one deal decides"


@pytest.mark.parametrize(
    ("rules", "wrong", "message"),
    [
        (QUAD, {"target": 0}, "target must be from 1 to 100000"),
        (QUAD, {"lattice": "triangles"}, "tile_set must have tiles for the lattice"),
        (QUAD, {"tile_set": "trio56"}, "tile_set must be one of quad125"),
        (QUAD, {"hands": ()}, "hands must have a number of tiles for every number of seats"),
        (QUAD, {"hands": (30, 0)}, "hands must have a number of tiles for every number of seats"),
        (QUAD, {"hands": (30, 20, 15, 12, 11)}, "hands must leave every hand a tile from the set"),
        (QUAD, {"hands_half": (63,)}, "hands_half must leave every hand a tile from the set"),
        (QUAD, {"max_seats": 13}, "hands must leave every hand a tile from the set"),
        (QUAD, {"matching": 0}, "matching must be from 1 to 4"),
        (QUAD, {"matching": 5}, "matching must be from 1 to 4"),
        (QUAD, {"bonus_tiles": 0}, "bonus_tiles must be from 1 to 10"),
        (QUAD, {"bonus_chain": "maybe"}, "bonus_chain must be one of off, on"),
        (QUAD, {"quad_arrangement": "any"}, "quad_arrangement must be one of clockwise, counter_clockwise, free"),
        (POINTS, {"target": -1}, ONE_DEAL),
        (POINTS, {"target": 100_001}, ONE_DEAL),
        (POINTS, {"tile_set": "trio56"}, "tile_set must be one of td35, td56, mac24, mac45, mac76"),
        (POINTS, {"lattice": "squares"}, "tile_set must have tiles for the lattice"),
        (POINTS, {"max_seats": 36}, "max_seats must leave every hand a tile from the set"),
        (POINTS, {"boss": "maybe"}, "boss must be one of out, in"),
        (STAR, {"star_corner_order": "straight"}, "star_corner_order must be one of any, collinear, mirror"),
        (TRIOKER, {"target": -1}, ONE_DEAL),
        (TRIOKER, {"trioker_values": 3}, "trioker_values must be from 4 to 6"),
        (TRIOKER, {"trioker_values": 7}, "trioker_values must be from 4 to 6"),
        (TRIOKER, {"joker_corners": (0, 4)}, "joker_corners must be two numbers of the set"),
        (TRIOKER, {"lattice": "squares"}, "tile_set must have tiles for the lattice"),
        (TRIOKER, {"hexagons": (50,)}, "hexagons must have three numbers: for one, two and three at once"),
    ],
)
def test_a_number_that_makes_no_game_of_another_family_is_refused_by_its_name(
    rules: Rules, wrong: dict[str, Any], message: str
):
    with pytest.raises(ValueError) as refused:
        replace(rules, **wrong)

    assert str(refused.value) == message


def test_a_table_that_people_have_left_deals_as_if_it_were_as_small_as_allowed():
    assert [RULES.hand_size(seats) for seats in (1, 2, 3, 4, 5, 6)] == [9, 9, 7, 7, 6, 6]
