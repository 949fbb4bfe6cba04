"""The invariants of RULES §9 that a layout of Trioker keeps, with and without the joker, of each set and on the board:

* all numbers that tiles show at a vertex are one number; the joker's wild corner lies with any;
* V = T + 2 - A, A being the placements that covered no new vertex, and where bonuses score these earn one;
* a layout is connected through sides, rebuilding it in order passes every check;
* turning it by 60 degrees, moving it or looking at it in a mirror changes neither legality nor score: the set is
  complete, so a mirrored tile is another tile of it;
* on the hexagonal board no tile lies outside of its 24 cells;
* every generated move is legal, and trying every tile in every turn on every touching cell finds no other.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.families import TriokerRules
from engine.lattice import Site
from engine.tiles import WILD
from tests.depth import deep
from tests.engine.growing import laid
from tests.engine.readings import read
from tests.engine.shapes import (
    attempts,
    by_trying,
    in_mirror,
    is_connected,
    is_judged_alike,
    layouts,
    moved,
    moves,
    ruling,
    rulings,
    steps,
    turned,
)

TABLES = {
    options or "default": read("trioker", options)
    for options in (
        "",
        "trioker_joker=on",
        "trioker_bonuses=on",
        "trioker_values=5 trioker_joker=on trioker_bonuses=on",
        "trioker_values=6",
    )
}
BOARDS = {
    options: read("trioker", options)
    for options in ("trioker_board=hexagon", "trioker_board=hexagon trioker_joker=on trioker_bonuses=on")
}
every_table = pytest.mark.parametrize("rules", TABLES.values(), ids=TABLES)
every_reading = pytest.mark.parametrize("rules", [*TABLES.values(), *BOARDS.values()], ids=[*TABLES, *BOARDS])
some, few = settings(max_examples=deep(15)), settings(max_examples=deep(4))


@every_reading
@some
@given(data=st.data())
def test_all_numbers_that_meet_at_a_vertex_are_one(rules: TriokerRules, data: st.DataObject):
    shown: dict[Site, set[int]] = {}
    for lies in data.draw(layouts(rules)):
        for site, label in zip(rules.plane.shape(lies.cell).corners, lies.shown, strict=True):
            shown.setdefault(site, set()).add(label)

    assert all(len(labels - {WILD}) <= 1 for labels in shown.values())


@every_reading
@some
@given(data=st.data())
def test_vertices_are_tiles_plus_two_minus_the_placements_that_cover_no_new_one(
    rules: TriokerRules, data: st.DataObject
):
    layout = data.draw(layouts(rules))
    added = []
    for table, lies in steps(rules, layout):
        added.append(sum(site not in table.covers for site in rules.plane.shape(lies.cell).corners))
        earned = rules.score(table, lies)
        assert (earned.points > 0) == (rules.trioker_bonuses == "on" and added[-1] == 0)
        assert earned.points in (0, 40, 50, 100, 150)

    assert set(added) <= {0, 1}
    assert len(laid(rules, layout).covers) == len(layout) + 2 - added.count(0)


@every_reading
@some
@given(data=st.data())
def test_a_layout_is_connected_through_sides_and_can_be_rebuilt(rules: TriokerRules, data: st.DataObject):
    layout = data.draw(layouts(rules))

    assert is_connected(rules, layout)
    assert not [told for told in rulings(rules, layout) if isinstance(told, str)]


@every_table
@some
@given(data=st.data(), sixths=st.integers(1, 5), right=st.integers(-9, 9), up=st.integers(-9, 9))
def test_turning_and_moving_the_table_change_neither_legality_nor_score(
    rules: TriokerRules, data: st.DataObject, sixths: int, right: int, up: int
):
    layout, move = data.draw(attempts(rules))

    assert is_judged_alike(rules, layout, move, turned(rules, sixths, right, up))


@every_reading
@some
@given(data=st.data(), sixths=st.integers(0, 5))
def test_a_mirror_changes_neither_legality_nor_score_because_the_set_is_complete(
    rules: TriokerRules, data: st.DataObject, sixths: int
):
    turn, mirror = turned(rules, sixths), in_mirror(rules)
    layout, move = data.draw(attempts(rules))
    elsewhere = [moved(rules, moved(rules, lies, mirror), turn) for lies in layout]
    there = moved(rules, moved(rules, move, mirror), turn)

    assert ruling(rules, laid(rules, elsewhere), there) == ruling(rules, laid(rules, layout), move)
    assert rulings(rules, elsewhere) == rulings(rules, layout)


@pytest.mark.parametrize("rules", BOARDS.values(), ids=BOARDS)
@some
@given(data=st.data())
def test_no_tile_lies_outside_of_the_board(rules: TriokerRules, data: st.DataObject):
    layout, move = data.draw(attempts(rules))
    # The six cells around the middle, and all that touch one of those.
    points = {point for cell in rules.plane.around((0, 0)) for point in rules.plane.shape(cell).corners}
    board = {near for point in points for near in rules.plane.around(point)}

    assert len(board) == 24
    assert {lies.cell for lies in layout} <= board
    told = ruling(rules, laid(rules, layout), move)
    assert move.cell in board or told in ("OFF_THE_BOARD", "TILE_ALREADY_PLAYED")


@every_reading
@few
@given(data=st.data())
def test_the_generated_moves_are_exactly_those_the_checker_lets_pass(rules: TriokerRules, data: st.DataObject):
    table = laid(rules, data.draw(layouts(rules, 20)))

    generated = [(move.cell, move.shown) for move in moves(table, rules)]
    assert len(generated) == len(set(generated))
    assert set(generated) == by_trying(rules, table)
