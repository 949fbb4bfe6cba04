"""Trioker's joker, which has a corner that fits anything, and its board with an edge (RULES §6)."""

from dataclasses import replace
from random import Random

import pytest

from engine.errors import RuleBroken, Why
from engine.lattice import Cell
from engine.placing import judge
from engine.tiles import WILD
from tests.engine.readings import read
from tests.engine.tables import board, frontier, placement, tile

JOKER = read("trioker", "trioker_joker=on")
PUZZLE = read("trioker", "trioker_board=hexagon")
BOTH = read("trioker", "trioker_joker=on trioker_board=hexagon")


def test_a_wild_corner_meets_any_number_and_gives_none_to_a_point_that_has_none():
    table = board("U0,0=003 D0,0=00J", JOKER)

    # (1,0) keeps the 3 of the first tile; the joker has put a 0 on (1,1).
    assert table.labels == {(0, 0): 0, (0, 1): 0, (1, 0): 3, (1, 1): 0}


def test_the_next_tile_gives_a_point_under_a_wild_corner_its_number():
    table = board("U0,0=003 D-1,0=J00", JOKER)
    assert (-1, 1) not in table.labels
    assert table.needs(Cell("U", -1, 1)) == (None, None, 0)

    table.place(placement("U-1,1=230", JOKER))

    assert table.labels[-1, 1] == 2
    table.undo()
    assert (-1, 1) not in table.labels
    assert table.covers[-1, 1] == 1


def test_the_joker_lies_wherever_its_two_numbers_do():
    moves = {str(move) for move in board("U0,0=003", JOKER).legal([tile("J00", JOKER)])}

    assert moves == {
        # Across the side 0-0: its zeros there, or one of them and the wild corner.
        *("D-1,0=J00", "D-1,0=0J0", "D-1,0=00J"),
        # Across a side with the 3: the wild corner on it.
        *("D0,0=00J", "D0,-1=0J0"),
    }


def test_the_other_corners_of_the_joker_are_those_of_the_file():
    assert JOKER.tiles == ((WILD, 0, 0), *read("trioker").tiles)
    assert replace(JOKER, joker_corners=(3, 1)).tiles[0] == (WILD, 3, 1)


@pytest.mark.parametrize("rules", [JOKER, PUZZLE, BOTH], ids=["joker", "hexagon", "both"])
def test_every_tile_taken_back_leaves_the_table_as_it_was(rules):
    for seed in range(6):
        table, rng, before = rules.board(), Random(seed), []
        while True:
            before.append((frontier(table), dict(table.labels), dict(table.covers)))
            left = [one for one in rules.tiles if one not in {lies.tile for lies in table.placed.values()}]
            moves = list(table.legal(left))
            assert bool(moves) == table.has_legal(left)
            if not moves:
                break
            table.place(rng.choice(moves))
        before.pop()
        while table.placed:
            table.undo()
            assert (frontier(table), table.labels, table.covers) == before.pop()


def test_the_board_with_an_edge_has_a_cell_for_every_tile():
    cells = [Cell(kind, x, y) for kind in "UD" for x in range(-4, 5) for y in range(-4, 5)]

    inside = [cell for cell in cells if PUZZLE.fit.within(cell)]

    assert len(inside) == len(PUZZLE.tiles) == 24
    assert PUZZLE.plane.first in inside


def test_a_cell_beyond_the_edge_is_neither_open_nor_legal():
    position = "U0,0=000 D0,0=010 U1,0=012"
    table = board(position, PUZZLE)
    beyond = Cell("D", 1, 0)

    assert beyond in board(position, read("trioker")).open_cells
    assert beyond not in table.open_cells
    with pytest.raises(RuleBroken) as refused:
        judge(table, placement("D1,0=132", PUZZLE), PUZZLE)
    assert (refused.value.why, refused.value.facts) == (Why.OFF_THE_BOARD, {"cell": beyond})


def test_nothing_can_be_placed_beyond_the_edge_in_a_whole_game():
    for seed in range(10):
        table, rng = PUZZLE.board(), Random(seed)
        while moves := list(
            table.legal([one for one in PUZZLE.tiles if one not in {lies.tile for lies in table.placed.values()}])
        ):
            table.place(rng.choice(moves))
        assert all(PUZZLE.fit.within(cell) for cell in table.placed)


def test_the_hexagonal_board_has_a_cell_for_every_tile_of_the_set() -> None:
    assert len(PUZZLE.bounds) == len(PUZZLE.tiles) == 24
    assert JOKER.bounds == frozenset()
