"""The board of every game: moves compared with a reference implementation, squares, trails of dominoes, wild corners
and edges.
"""

from dataclasses import replace
from random import Random

import pytest

from data.rulebook import list_games, load_rules
from engine.board.board import Placement
from engine.board.demands import Touch
from engine.board.lattice import TRIANGLES, Cell, encode_cell
from engine.board.tableau import TrailTableau
from engine.board.tiles import WILD, Tile, rotate_tile
from engine.match.errors import Violation
from engine.match.rules import Rules
from tests.engine import naive
from tests.engine.examples import PLACEMENTS, Example
from tests.engine.random_layouts import list_legal_placements, to_naive, to_naive_layout
from tests.engine.readings import build_rules
from tests.engine.tables import (
    RULES,
    build_board,
    build_placement,
    build_tile,
    build_tiles,
    collect_demands,
    find_placement_violation,
)


@pytest.mark.parametrize("example", PLACEMENTS, ids=lambda example: example.id)
def test_moves_and_scores_equal_reference_implementation_on_every_example(example: Example):
    table = build_board(example.position)
    moves = list_legal_placements(table)
    option = dict([example.option.split("=")]) if example.option else {}

    assert {to_naive(move) for move in moves} == naive.list_moves(to_naive_layout(table))
    for move in moves:
        earned = example.rules.score_placement(table, move)
        assert (earned.points, earned.hexagons, earned.bridge) == naive.score_placement(
            to_naive_layout(table), *to_naive(move), option
        )


def test_copy_does_not_change_original_board():
    table = build_board("U0,0=135 D0,0=355")
    before = (dict(table.placed), collect_demands(table), set(list_legal_placements(table)))
    twin = table.copy()

    twin.place(build_placement("D-1,0=331"))
    twin.undo()
    twin.undo()

    assert (table.placed, collect_demands(table), set(list_legal_placements(table))) == before
    assert set(list_legal_placements(twin)) == set(list_legal_placements(build_board("U0,0=135")))


@pytest.mark.parametrize(
    ("rules", "hand"),
    [
        (RULES, [(1, 3, 5), (2, 2, 2)]),
        (build_rules("quad-ominos", "quad_arrangement=free"), [(0, 0, 0, 0), (4, 4, 5, 5)]),
    ],
)
def test_empty_table_takes_any_tile_on_first_cell_once(rules: Rules, hand: list[Tile]):
    table = rules.build_board()

    assert list(table.list_legal_moves(hand)) == [Placement(tile, rules.plane.first, 0) for tile in hand]
    assert table.has_legal_move(hand)
    assert not table.has_legal_move([])


@pytest.mark.parametrize("game", list_games())
def test_legal_moves_do_not_depend_on_cached_queries(game: str):
    rules, rng, compared = load_rules(game), Random(game), 0
    for _ in range(8):
        table, remaining = rules.build_board(), rng.sample(rules.tiles, len(rules.tiles))
        hands: list[list[Tile]] = [[remaining.pop() for _ in range(4)] for _ in range(2)]
        for _ in range(30):
            hand = rng.choice(hands)
            moves = table.list_legal_moves(hand)
            assert moves == table.copy().list_legal_moves(hand)
            compared += len(moves)
            match rng.choice(["ask again", "draw", "place", "shuffle", "take back", "spoil"]):
                case "draw" if remaining:
                    hand.append(remaining.pop())
                case "place" if moves:
                    table.place(move := rng.choice(moves))
                    hand.remove(move.tile)
                case "shuffle":
                    rng.shuffle(hand)
                case "take back" if table.placed:
                    hand.append(table.undo().tile)
                case "spoil":
                    moves.clear()
    assert compared > 200


JOKER = build_rules("trioker", "trioker_joker=on")
PUZZLE = build_rules("trioker", "trioker_board=hexagon")


def test_wild_corner_fits_any_number_and_labels_no_point():
    table = build_board("U0,0=003 D0,0=00J", JOKER)

    # (1,0) keeps the 3 of the first tile; the joker has put a 0 on (1,1).
    assert table.labels == {(0, 0): 0, (0, 1): 0, (1, 0): 3, (1, 1): 0}


def test_next_tile_gives_point_under_wild_corner_its_number():
    table = build_board("U0,0=003 D-1,0=J00", JOKER)
    assert (-1, 1) not in table.labels
    assert table.get_needs(Cell("U", -1, 1)) == (None, None, 0)

    table.place(build_placement("U-1,1=230", JOKER))

    assert table.labels[-1, 1] == 2
    table.undo()
    assert (-1, 1) not in table.labels
    assert list(table.placed) == [Cell("U", 0, 0), Cell("D", -1, 0)]


def test_joker_fits_wherever_its_two_numbers_fit():
    moves = {str(move) for move in build_board("U0,0=003", JOKER).list_legal_moves([build_tile("J00", JOKER)])}

    assert moves == {
        # At the side 0-0 it shows two zeros, or one zero and the wild corner.
        *("D-1,0=J00", "D-1,0=0J0", "D-1,0=00J"),
        # At a side with the 3, the wild corner is on the 3.
        *("D0,0=00J", "D0,-1=0J0"),
    }


def test_joker_corners_come_from_game_file():
    assert JOKER.tiles == ((WILD, 0, 0), *build_rules("trioker").tiles)
    assert replace(JOKER, joker_corners=(3, 1)).tiles[0] == (WILD, 3, 1)


def test_board_with_edge_has_cell_for_every_tile():
    cells = [Cell(kind, x, y) for kind in "UD" for x in range(-4, 5) for y in range(-4, 5)]

    inside = [cell for cell in cells if PUZZLE.fit.within(cell)]

    assert len(inside) == len(PUZZLE.tiles) == 24
    assert PUZZLE.plane.first in inside


def test_cell_beyond_edge_is_not_open():
    position = "U0,0=000 D0,0=010 U1,0=012"
    table = build_board(position, PUZZLE)
    beyond = Cell("D", 1, 0)

    assert beyond in build_board(position, build_rules("trioker")).open_cells
    assert beyond not in table.open_cells


QUAD = build_rules("quad-ominos")
FREE = build_rules("quad-ominos", "quad_arrangement=free")
ARRANGEMENTS = [
    build_rules("quad-ominos", f"quad_arrangement={name}") for name in QUAD.get_readings()["quad_arrangement"]
]


def list_move_texts(position: str, hand: str, rules: Rules = QUAD) -> list[str]:
    return sorted(str(move) for move in build_board(position, rules).list_legal_moves(build_tiles(hand, rules)))


def test_open_square_demands_numbers_of_every_corner_that_has_one():
    table = build_board("0,0=4455 0,1=3444", QUAD)

    assert {str(cell): needs for cell, (needs, _) in collect_demands(table).items()} == {
        "-1,0": (None, 4, 5, None),
        "0,-1": (5, 5, None, None),
        # Below the tile on 0,1, and beside the one on 0,0: the corner (1,1) is one.
        "1,0": (4, None, None, 5),
        "1,1": (4, None, None, 4),
        "-1,1": (None, 3, 4, None),
        "0,2": (None, None, 4, 3),
    }


def test_corner_that_several_tiles_cover_is_matched_once():
    table = build_board("0,0=4455 0,1=3444 1,1=4044", QUAD)

    # (1,1) is the corner of three tiles, (2,1) and (1,0) of one.
    assert table.get_needs(Cell("", 1, 0)) == (4, 4, None, 5)
    assert table.tableau.count_covered_sites(encode_cell(Cell("", 1, 0))) == 3


def test_diagonal_neighbour_constrains_corner_but_opens_no_cell():
    position = "0,0=4455 0,1=3444 0,2=3443 1,2=4234 2,2=2233 2,1=3335"

    table = build_board(position, QUAD)

    assert table.get_needs(Cell("", 1, 0)) == (4, 5, None, 5)
    assert Cell("", 3, 0) not in table.open_cells


def test_several_rotations_of_one_tile_may_fit_same_square():
    assert list_moves_above("2444") == ["0,1=2444", "0,1=4244"]
    assert list_move_texts("0,0=4455", "4444") == ["0,1=4444"]


def list_moves_above(hand: str, rules: Rules = QUAD) -> list[str]:
    return [text for text in list_move_texts("0,0=4455", hand, rules) if text.startswith("0,1=")]


def test_tile_without_fixed_order_fits_in_more_ways():
    # The lower corners of 0,1 must be 4 and 4.
    assert list_moves_above("1344", QUAD) == ["0,1=1344"]
    assert list_moves_above("1344", FREE) == ["0,1=1344", "0,1=3144"]


def test_reversed_numbers_are_tile_of_other_arrangement():
    assert list_moves_above("1443", ARRANGEMENTS[1]) == ["0,1=3144"]


@pytest.mark.parametrize("rules", ARRANGEMENTS, ids=lambda rules: rules.quad_arrangement)
def test_placement_is_parsed_back_from_its_text(rules: Rules):
    table, rng = rules.build_board(), Random(3)
    for _ in range(40):
        move = rng.choice(list_legal_placements(table, rules))
        again = build_placement(str(move), rules)
        assert (again, again.shown_labels) == (move, move.shown_labels)
        assert sorted(move.shown_labels) == sorted(move.tile)
        table.place(move)
    assert len(table.placed) == 40


@pytest.mark.parametrize("rules", [QUAD, FREE], ids=lambda rules: rules.quad_arrangement)
def test_gap_that_needs_missing_tile_is_dead(rules: Rules):
    table = build_board("0,1=2455 0,2=3442 1,2=4224 2,2=2452 2,1=2550", rules)

    assert table.get_needs(Cell("", 1, 1)) == (4, 2, 0, 5)
    assert list(map(str, table.list_places().dead)) == ["1,1"]
    assert table.list_places().impossible == table.list_places().dead


def test_gap_whose_tiles_are_played_is_dead_but_possible():
    rules = build_rules("triominoes")
    table = rules.build_board()
    while not set(table.list_places().dead) - set(table.list_places().impossible):
        table.place(list_legal_placements(table, rules)[0])
    shown = {rotate_tile(tile, rotation) for tile in rules.tiles for rotation in range(3)}
    for cell in table.list_places().dead:
        needs = table.get_needs(cell)
        fits = any(all(need in (None, label) for need, label in zip(needs, labels, strict=True)) for labels in shown)
        assert fits == (cell not in table.list_places().impossible)


POINTS = build_rules("points", "tile_set=td56 boss=in")
MUGGINS = build_rules("muggins", "tile_set=td56 boss=in")
STAR = build_rules("star", "tile_set=td56")
RING = "U0,0=123 D0,0=022 U1,0=255 D1,-1=505 U1,-1=455"
OPEN, COLLINEAR = build_rules("points", "layout=open"), build_rules("star", "star_corner_order=collinear")


def list_open_cells(position: str, rules: Rules) -> list[str]:
    return sorted(map(str, build_board(position, rules).open_cells))


def test_only_cells_beside_last_tile_are_open():
    assert list_open_cells("U0,0=444", POINTS) == ["D-1,0", "D0,-1", "D0,0"]
    assert list_open_cells("U0,0=444 D0,0=134", POINTS) == ["U0,1", "U1,0"]
    assert list_open_cells("U0,0=444 D0,0=134", OPEN) == ["D-1,0", "D0,-1", "U0,1", "U1,0"]


def test_star_also_opens_cells_touching_last_tile_at_point():
    star = set(list_open_cells("U0,0=444", STAR))

    assert star == {
        *("D-1,0", "D0,-1", "D0,0"),
        # Around (0,0), (0,1) and (1,0), less the tile and its neighbours.
        *("U-1,0", "U0,-1", "D-1,-1"),
        *("U0,1", "U-1,1", "D-1,1"),
        *("U1,0", "U1,-1", "D1,-1"),
    }


def test_straight_corner_numbers_constrain_only_opposite_cell():
    facing = set(list_open_cells("U0,0=444", COLLINEAR)) - {"D-1,0", "D0,-1", "D0,0"}

    assert facing == {"D-1,-1", "D-1,1", "D1,-1"}


def test_side_constrains_cell_across_it():
    table = build_board("U0,0=123", POINTS)

    assert table.get_needs(Cell("D", -1, 0)) == (None, 1, None)
    assert table.get_needs(Cell("D", 0, 0)) == (None, None, 2)
    assert table.get_needs(Cell("D", 0, -1)) == (3, None, None)


def test_older_sides_constrain_cell_unless_only_last_tile_counts():
    last = Cell("D", 0, -1)

    assert build_board(RING, POINTS).get_needs(last) == (3, 4, None)
    assert build_board(RING, POINTS.with_option("side_contact", "last_only")).get_needs(last) == (None, 4, None)


def test_muggins_fits_only_numbers_that_sum_to_multiples_of_five():
    assert list_move_texts("U0,0=444", "111 112 444 555", MUGGINS) == [
        *("D-1,0=111", "D-1,0=112", "D-1,0=211"),
        *("D0,-1=111", "D0,-1=112", "D0,-1=121"),
        *("D0,0=111", "D0,0=121", "D0,0=211"),
    ]
    assert list_move_texts("U0,0=555", "055 000 123", MUGGINS) == [
        *("D-1,0=000", "D-1,0=055", "D-1,0=505", "D-1,0=550"),
        *("D0,-1=000", "D0,-1=055", "D0,-1=505", "D0,-1=550"),
        *("D0,0=000", "D0,0=055", "D0,0=505", "D0,0=550"),
    ]


def test_touch_at_point_gives_corner_and_required_numbers():
    table = build_board("U0,0=234", STAR)

    # The point (1,0) lies between side 1, a 3, and side 2, a 4; it is the first corner of D1,-1.
    assert table.get_touch(Cell("D", 1, -1)) == Touch(0, (3, 4))
    assert table.get_touch(Cell("U", -1, 0)) == Touch(2, (4, 2))
    assert table.get_touch(Cell("D", 0, 0)) is None, "it shares a side"
    assert table.get_touch(Cell("U", 7, 7)) is None
    assert build_board("U0,0=234", POINTS).get_touch(Cell("D", 1, -1)) is None


def test_corner_play_must_agree_with_sides_it_touches_as_well():
    # U1,-1 meets D0,0, the last tile, in the point (1,0) and lies beside D0,-1.
    table = build_board("D0,-1=312 U0,0=003 D0,0=010", STAR)
    cell = Cell("U", 1, -1)

    assert table.get_touch(cell) == Touch(1, (1, 0))
    assert table.get_needs(cell) == (1, None, None)
    for shown, why in (("101", None), ("011", Violation.SIDE_MISMATCH), ("111", Violation.CORNER_MISMATCH)):
        assert find_placement_violation(table, build_placement(f"U1,-1={shown}", STAR), STAR) == why, shown


def test_last_tile_of_ring_leaves_one_cell_open():
    table = build_board(f"{RING} D0,-1=345", POINTS)
    assert sorted(map(str, table.open_cells)) == ["U0,-1"], "the last of a ring has one free side"


def test_copy_does_not_change_original_trail():
    table = build_board("U0,0=234 D1,-1=344", STAR)
    before = collect_demands(table)

    twin = table.copy()
    twin.undo()

    assert isinstance(twin.tableau, TrailTableau)
    assert collect_demands(twin) == collect_demands(build_board("U0,0=234", STAR))
    assert collect_demands(table) == before


def test_placed_boss_counts_as_zeros_or_wild_by_option():
    wild = STAR.with_option("boss_after", "wild")
    position = "U0,0=234 D0,0=BOSS"

    assert build_board(position, STAR).get_needs(Cell("U", 1, 0)) == (0, None, None)
    assert build_board(position, STAR).get_touch(Cell("D", 1, 0)) == Touch(0, (0, 0))
    assert build_board(position, wild).get_needs(Cell("U", 1, 0)) == (None, None, None)
    assert build_board(position, wild).get_touch(Cell("D", 1, 0)) == Touch(0, (None, None))
    # The side that already had a number keeps its number.
    free = TRIANGLES.get_shape(Cell("D", 0, 0)).sides[:2]
    assert build_board(position, STAR).labels == build_board(position, wild).labels | dict.fromkeys(free, 0)
