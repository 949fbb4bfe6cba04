"""The table of Triangular Dominoes: each tile next to the one before, side to side or corner to corner (RULES §5)."""

from random import Random

import pytest

from engine.board import Board, Placement
from engine.errors import RuleBroken, Why
from engine.lattice import TRIANGLES, Cell
from engine.places import Touch
from engine.placing import judge
from engine.rules import Rules
from engine.tiles import rotations
from engine.trail import Trail
from tests.engine.readings import read
from tests.engine.tables import board, frontier, placement, tiles

POINTS = read("points", "tile_set=td56 boss=in")
MUGGINS = read("muggins", "tile_set=td56 boss=in")
STAR = read("star", "tile_set=td56")
RING = "U0,0=123 D0,0=022 U1,0=255 D1,-1=505 U1,-1=455"
TABLES = {
    "points": POINTS,
    "muggins": MUGGINS,
    "star": STAR,
    "open": read("points", "layout=open"),
    "last_only": read("star", "side_contact=last_only boss_after=wild"),
    "collinear": read("star", "star_corner_order=collinear"),
    "open star": read("star", "layout=open star_corner_order=mirror"),
}


def open_cells(position: str, rules: Rules) -> list[str]:
    return sorted(map(str, board(position, rules).open_cells))


def ways(position: str, hand: str, rules: Rules) -> list[str]:
    return sorted(str(move) for move in board(position, rules).legal(tiles(hand, rules)))


def test_only_the_cells_beside_the_last_tile_are_open():
    assert open_cells("U0,0=444", POINTS) == ["D-1,0", "D0,-1", "D0,0"]
    assert open_cells("U0,0=444 D0,0=134", POINTS) == ["U0,1", "U1,0"]
    assert open_cells("U0,0=444 D0,0=134", TABLES["open"]) == ["D-1,0", "D0,-1", "U0,1", "U1,0"]


def test_a_star_also_opens_the_cells_that_meet_the_last_tile_in_one_point():
    star = set(open_cells("U0,0=444", STAR))

    assert star == {
        *("D-1,0", "D0,-1", "D0,0"),
        # Around (0,0), (0,1) and (1,0), less the tile and its neighbours.
        *("U-1,0", "U0,-1", "D-1,-1"),
        *("U0,1", "U-1,1", "D-1,1"),
        *("U1,0", "U1,-1", "D1,-1"),
    }


def test_numbers_straight_on_are_asked_of_the_facing_cell_alone():
    facing = set(open_cells("U0,0=444", TABLES["collinear"])) - {"D-1,0", "D0,-1", "D0,0"}

    assert facing == {"D-1,-1", "D-1,1", "D1,-1"}


def test_a_side_is_demanded_of_the_cell_across_it():
    table = board("U0,0=123", POINTS)

    assert table.needs(Cell("D", -1, 0)) == (None, 1, None)
    assert table.needs(Cell("D", 0, 0)) == (None, None, 2)
    assert table.needs(Cell("D", 0, -1)) == (3, None, None)


def test_older_sides_are_demanded_too_unless_only_the_last_tile_counts():
    last = Cell("D", 0, -1)

    assert board(RING, POINTS).needs(last) == (3, 4, None)
    assert board(RING, POINTS.with_option("side_contact", "last_only")).needs(last) == (None, 4, None)


def test_numbers_that_make_a_multiple_of_five_fit_in_muggins_and_only_those():
    assert ways("U0,0=444", "111 112 444 555", MUGGINS) == [
        *("D-1,0=111", "D-1,0=112", "D-1,0=211"),
        *("D0,-1=111", "D0,-1=112", "D0,-1=121"),
        *("D0,0=111", "D0,0=121", "D0,0=211"),
    ]
    assert ways("U0,0=555", "055 000 123", MUGGINS) == [
        *("D-1,0=000", "D-1,0=055", "D-1,0=505", "D-1,0=550"),
        *("D0,-1=000", "D0,-1=055", "D0,-1=505", "D0,-1=550"),
        *("D0,0=000", "D0,0=055", "D0,0=505", "D0,0=550"),
    ]


def test_a_cell_met_in_a_point_says_which_numbers_must_lie_at_which_of_its_corners():
    table = board("U0,0=234", STAR)

    # The point (1,0) lies between side 1, a 3, and side 2, a 4; it is the first corner of D1,-1.
    assert table.touch(Cell("D", 1, -1)) == Touch(0, (3, 4))
    assert table.touch(Cell("U", -1, 0)) == Touch(2, (4, 2))
    assert table.touch(Cell("D", 0, 0)) is None, "it shares a side"
    assert table.touch(Cell("U", 7, 7)) is None
    assert board("U0,0=234", POINTS).touch(Cell("D", 1, -1)) is None


def test_a_corner_play_must_agree_with_the_sides_it_touches_as_well():
    # U1,-1 meets D0,0, the last tile, in the point (1,0) and lies beside D0,-1.
    table = board("D0,-1=312 U0,0=003 D0,0=010", STAR)
    cell = Cell("U", 1, -1)

    assert table.touch(cell) == Touch(1, (1, 0))
    assert table.needs(cell) == (1, None, None)
    for shown, why in (("101", None), ("011", Why.SIDE_MISMATCH), ("111", Why.CORNER_MISMATCH)):
        assert refusal(table, placement(f"U1,-1={shown}", STAR), STAR) == why, shown


def refusal(table: Board, move: Placement, rules: Rules) -> Why | None:
    try:
        judge(table, move, rules)
    except RuleBroken as broken:
        return broken.why
    return None


def test_a_refused_corner_is_told_with_its_numbers():
    with pytest.raises(RuleBroken) as refused:
        judge(board("U0,0=233", STAR), placement("D1,-1=331", STAR), STAR)

    assert refused.value.why is Why.CORNER_MISMATCH
    assert refused.value.facts == {
        "cell": Cell("D", 1, -1),
        "tile": (1, 3, 3),
        "place": 0,
        "needs": (3, 3),
        "shows": (1, 3),
    }


def test_the_last_tile_of_a_ring_leaves_one_cell_open():
    table = board(f"{RING} D0,-1=345", POINTS)
    assert sorted(map(str, table.open_cells)) == ["U0,-1"], "the last of a ring has one free side"


@pytest.mark.parametrize("name", TABLES)
def test_every_tile_taken_back_leaves_the_trail_as_it_was(name: str):
    rules = TABLES[name]
    for seed in range(5):
        table, rng, before = rules.board(), Random(seed), []
        while True:
            before.append((frontier(table), dict(table.labels), dict(table.covers)))
            left = [tile for tile in rules.tiles if tile not in {lies.tile for lies in table.placed.values()}]
            moves = list(table.legal(left))
            assert bool(moves) == table.has_legal(left)
            if not moves:
                break
            table.place(rng.choice(moves))
        assert len(table.placed) > 3
        before.pop()
        while table.placed:
            table.undo()
            assert (frontier(table), table.labels, table.covers) == before.pop()


@pytest.mark.parametrize("name", TABLES)
def test_whatever_may_be_placed_is_judged_legal_and_whatever_is_judged_legal_may_be_placed(name: str):
    rules = TABLES[name]
    table, rng = rules.board(), Random(7)
    table.place(rng.choice(list(table.legal(rules.tiles))))
    for _ in range(7):
        hand = rng.sample(
            [tile for tile in rules.tiles if all(lies.tile != tile for lies in table.placed.values())], 12
        )
        moves = set(table.legal(hand))
        near = {
            cell
            for lies in table.placed.values()
            for corner in TRIANGLES.shape(lies.cell).corners
            for cell in TRIANGLES.around(corner)
        }
        tried = [Placement(tile, cell, turn) for cell in near for tile in hand for turn in rotations(tile)]
        assert moves == {move for move in tried if refusal(table, move, rules) is None}
        if not moves:
            break
        table.place(rng.choice(sorted(moves, key=str)))
    assert len(table.placed) > 3


def test_a_copy_of_a_trail_goes_its_own_way():
    table = board("U0,0=234 D1,-1=344", STAR)
    before = frontier(table)

    twin = table.copy()
    twin.undo()

    assert isinstance(twin.tableau, Trail)
    assert frontier(twin) == frontier(board("U0,0=234", STAR))
    assert frontier(table) == before


def test_the_boss_lies_anywhere_and_then_stands_for_zeros_or_for_anything():
    wild = STAR.with_option("boss_after", "wild")
    position = "U0,0=234 D0,0=BOSS"

    assert board(position, STAR).needs(Cell("U", 1, 0)) == (0, None, None)
    assert board(position, STAR).touch(Cell("D", 1, 0)) == Touch(0, (0, 0))
    assert board(position, wild).needs(Cell("U", 1, 0)) == (None, None, None)
    assert board(position, wild).touch(Cell("D", 1, 0)) == Touch(0, (None, None))
    # The side that had a number keeps it.
    free = TRIANGLES.shape(Cell("D", 0, 0)).sides[:2]
    assert board(position, STAR).labels == board(position, wild).labels | dict.fromkeys(free, 0)
