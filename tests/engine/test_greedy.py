"""The first computer player."""

from random import Random

import pytest

from engine.actions import Draw, Pass, Play
from engine.players import greedy
from engine.seen import see
from tests.engine.tables import match, tile


def choice(hand: str, position: str, boneyard: str = "", luck: int = 0):
    return greedy.choose(see(match([hand, "0-0-1"], position=position, boneyard=boneyard), 0), Random(luck))


def test_it_takes_the_most_points():
    ring = "D0,-1=134 U0,-1=514 D-1,-1=515 U-1,0=511 D-1,0=111"

    action = choice("1-1-3 1-5-5 3-4-4", ring)

    assert isinstance(action, Play)
    assert (action.tile, str(action.cell)) == (tile("1-1-3"), "U0,0")


def test_it_draws_when_nothing_fits_and_passes_when_nothing_can_be_drawn():
    assert choice("0-0-0", "U0,0=555", boneyard="0-0-2") == Draw(0)
    assert choice("0-0-0", "U0,0=555") == Pass(0)


def test_where_no_bonus_is_to_be_had_it_sheds_the_heaviest_tile():
    for luck in range(10):
        action = choice("0-4-4 4-4-5 1-4-4", "U0,0=444", luck=luck)
        assert isinstance(action, Play)
        assert action.tile == tile("4-4-5")


def test_chance_decides_only_between_moves_of_equal_points_and_weight():
    cells = {
        str(action.cell) for luck in range(30) if isinstance(action := choice("4-4-5", "U0,0=444", luck=luck), Play)
    }

    assert cells == {"D-1,0", "D0,0", "D0,-1"}


@pytest.mark.parametrize("luck", range(3))
def test_the_same_chance_gives_the_same_choice(luck: int):
    assert choice("4-4-5", "U0,0=444", luck=luck) == choice("4-4-5", "U0,0=444", luck=luck)
