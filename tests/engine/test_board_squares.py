"""The table of squares: corners, diagonals, and tiles whose order is not fixed (RULES §2, §4)."""

from random import Random

import pytest

from engine.board import Placement
from engine.grid import number_of
from engine.lattice import Cell
from engine.rules import Rules
from tests.engine.readings import read
from tests.engine.tables import board, frontier, placement, tiles

QUAD = read("quad-ominos")
FREE = read("quad-ominos", "quad_arrangement=free")
ARRANGEMENTS = [read("quad-ominos", f"quad_arrangement={name}") for name in QUAD.readings()["quad_arrangement"]]


def ways(position: str, hand: str, rules: Rules = QUAD) -> list[str]:
    """Every way to place these tiles."""
    return sorted(str(move) for move in board(position, rules).legal(tiles(hand, rules)))


def test_an_open_square_demands_the_numbers_of_every_corner_that_has_one():
    table = board("0,0=4455 0,1=3444", QUAD)

    assert {str(cell): needs for cell, (needs, _) in frontier(table).items()} == {
        "-1,0": (None, 4, 5, None),
        "0,-1": (5, 5, None, None),
        # Below the tile on 0,1, and beside the one on 0,0: the corner (1,1) is one.
        "1,0": (4, None, None, 5),
        "1,1": (4, None, None, 4),
        "-1,1": (None, 3, 4, None),
        "0,2": (None, None, 4, 3),
    }


def test_a_corner_that_several_tiles_cover_is_matched_once():
    table = board("0,0=4455 0,1=3444 1,1=4044", QUAD)

    # (1,1) is the corner of three tiles, (2,1) and (1,0) of one.
    assert table.needs(Cell("", 1, 0)) == (4, 4, None, 5)
    assert table.tableau.covered(number_of(Cell("", 1, 0))) == 3


def test_a_diagonal_neighbour_alone_is_no_contact_and_its_corner_binds_all_the_same():
    position = "0,0=4455 0,1=3444 0,2=3443 1,2=4234 2,2=2233 2,1=3335"

    table = board(position, QUAD)

    assert table.needs(Cell("", 1, 0)) == (4, 5, None, 5)
    assert Cell("", 3, 0) not in table.open_cells


def test_several_rotations_of_one_tile_may_fit_the_same_square():
    assert [way for way in ways("0,0=4455", "2444") if way.startswith("0,1=")] == ["0,1=2444", "0,1=4244"]
    assert ways("0,0=4455", "4444") == ["0,1=4444"]


def test_a_tile_without_a_fixed_order_fits_in_more_ways():
    # 4 and 4 are asked of the lower corners of 0,1.
    fixed, free = ([way for way in ways("0,0=4455", "1344", rules) if way.startswith("0,1=")] for rules in (QUAD, FREE))

    assert fixed == ["0,1=1344"]
    assert free == ["0,1=1344", "0,1=3144"]


def test_the_same_numbers_the_other_way_round_are_the_tile_of_the_other_arrangement():
    mirrored = ARRANGEMENTS[1]

    assert [way for way in ways("0,0=4455", "1443", mirrored) if way.startswith("0,1=")] == ["0,1=3144"]


@pytest.mark.parametrize("rules", ARRANGEMENTS, ids=lambda rules: rules.quad_arrangement)
def test_a_placement_is_the_same_after_its_own_text(rules: Rules):
    table, rng = rules.board(), Random(3)
    for _ in range(40):
        moves = list(table.legal([tile for tile in rules.tiles if tile not in held(table)]))
        move = rng.choice(moves)
        again = placement(str(move), rules)
        assert (again, again.shown) == (move, move.shown)
        assert sorted(move.shown) == sorted(move.tile)
        table.place(move)
    assert len(table.placed) == 40


def held(table) -> set[tuple[int, ...]]:
    return {lies.tile for lies in table.placed.values()}


@pytest.mark.parametrize("rules", ARRANGEMENTS, ids=lambda rules: rules.quad_arrangement)
def test_every_tile_taken_back_leaves_the_table_as_it_was(rules: Rules):
    table, rng, before = rules.board(), Random(11), []
    for _ in range(30):
        before.append((frontier(table), dict(table.labels), dict(table.covers)))
        moves = list(table.legal([tile for tile in rules.tiles if tile not in held(table)]))
        table.place(rng.choice(moves))

    while table.placed:
        table.undo()
        assert (frontier(table), table.labels, table.covers) == before.pop()


def test_an_empty_table_takes_any_tile_on_the_first_square_once():
    hand = tiles("0000 4455", FREE)

    assert list(FREE.board().legal(hand)) == [Placement(tile, Cell("", 0, 0), 0) for tile in hand]


@pytest.mark.parametrize("rules", [QUAD, FREE], ids=lambda rules: rules.quad_arrangement)
def test_a_gap_that_asks_for_the_missing_tile_is_dead(rules: Rules):
    table = board("0,1=2455 0,2=3442 1,2=4224 2,2=2452 2,1=2550", rules)

    assert table.needs(Cell("", 1, 1)) == (4, 2, 0, 5)
    assert list(map(str, table.places().dead)) == ["1,1"]
