"""The invariants of RULES §9 that a layout of Points, Muggins and Star keeps, with the boss, both sets and the options
that change what is legal:

* a placement shares a side with the one before it, in Star a side or exactly one vertex; only then it gives a further
  turn (`layout` open: a side with any tile);
* numbers that meet across a side are equal, in Muggins they add up to a multiple of five; the boss goes with all, and
  then counts as 0;
* in Star every score is a multiple of five, elsewhere a placement scores nothing;
* rebuilding a layout in order passes every check; turning it by 60 degrees or moving it changes neither legality nor
  score; in a mirror exactly the singles are no tiles any more, as far as corners may meet in either order;
* every generated move is legal, and trying every tile in every turn on every touching cell finds no other.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Board, Placement
from engine.lattice import Cell
from engine.rules import Rules
from engine.tiles import BOSS
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
    f"{game} {options}".strip(): read(game, options)
    for game, options in (
        ("points", ""),
        ("points", "boss=in tile_set=td56"),
        ("points", "boss=in boss_after=wild"),
        ("muggins", ""),
        ("muggins", "boss=in tile_set=td56"),
        ("star", ""),
        ("star", "tile_set=td56 boss_after=wild star_corner_order=collinear"),
        ("star", "star_corner_order=mirror star_sum=all_touching"),
    )
}
LOOSE = {
    f"{game} {options}": read(game, options)
    for game, options in (
        ("points", "layout=open boss=in"),
        ("muggins", "side_contact=last_only boss=in"),
        ("star", "layout=open side_contact=last_only"),
    )
}
every_table = pytest.mark.parametrize("rules", TABLES.values(), ids=TABLES)
every_reading = pytest.mark.parametrize("rules", [*TABLES.values(), *LOOSE.values()], ids=[*TABLES, *LOOSE])
some, few = settings(max_examples=deep(12)), settings(max_examples=deep(4))


def common(rules: Rules, one: Cell, other: Cell) -> int:
    """How many corners two cells share: 2 is a side, 1 a point."""
    return len({*rules.plane.shape(one).corners} & {*rules.plane.shape(other).corners})


@every_table
@some
@given(data=st.data())
def test_each_tile_lies_next_to_the_one_before_it(rules: Rules, data: st.DataObject):
    for table, lies in steps(rules, data.draw(layouts(rules))):
        assert table.last is not None
        shared = common(rules, table.last.cell, lies.cell)
        earned = rules.score(table, lies)
        assert shared == 2 or (rules.game == "star" and shared == 1)
        assert earned.corner == rules.goes_on(earned) == (shared == 1)


def beside(rules: Rules, table: Board, lies: Placement) -> list[tuple[Placement, int, int]]:
    """The tiles across the sides of a placement, with the number on theirs and on its own."""
    found = []
    for side, near in enumerate(rules.plane.shape(lies.cell).across):
        if near in table.placed:
            there = rules.plane.shape(near).across.index(lies.cell)
            found.append((table.placed[near], table.placed[near].shown[there], lies.shown[side]))
    return found


@every_table
@some
@given(data=st.data())
def test_numbers_that_meet_across_a_side_go_together(rules: Rules, data: st.DataObject):
    wild = rules.wild_stands is None
    for table, lies in steps(rules, data.draw(layouts(rules))):
        for tile, there, here in beside(rules, table, lies):
            if lies.tile == BOSS or (tile.tile == BOSS and wild):
                continue
            number = 0 if tile.tile == BOSS else there
            assert (number + here) % 5 == 0 if rules.game == "muggins" else number == here


@every_reading
@some
@given(data=st.data())
def test_star_scores_multiples_of_five_and_the_others_nothing(rules: Rules, data: st.DataObject):
    for table, _ in steps(rules, data.draw(layouts(rules))):
        for move in moves(table, rules):
            points = rules.score(table, move).points
            assert points % 5 == 0
            assert points >= 0
            assert rules.game == "star" or points == 0


@every_reading
@some
@given(data=st.data())
def test_a_layout_can_be_rebuilt_in_order(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules))

    assert not [told for told in rulings(rules, layout) if isinstance(told, str)]
    assert rules.game == "star" or is_connected(rules, layout)


@every_reading
@some
@given(data=st.data(), sixths=st.integers(1, 5), right=st.integers(-9, 9), up=st.integers(-9, 9))
def test_turning_and_moving_the_table_change_neither_legality_nor_score(
    rules: Rules, data: st.DataObject, sixths: int, right: int, up: int
):
    layout, move = data.draw(attempts(rules))

    assert is_judged_alike(rules, layout, move, turned(rules, sixths, right, up))


@every_reading
@some
@given(data=st.data())
def test_in_a_mirror_exactly_the_singles_are_no_tiles_any_more(rules: Rules, data: st.DataObject):
    layout, move = data.draw(attempts(rules))
    where = in_mirror(rules)
    seen = ruling(rules, laid(rules, [moved(rules, lies, where) for lies in layout]), moved(rules, move, where))

    assert seen == ("NO_SUCH_TILE" if len(set(move.tile)) == 3 else ruling(rules, laid(rules, layout), move))


@every_reading
@few
@given(data=st.data())
def test_the_generated_moves_are_exactly_those_the_checker_lets_pass(rules: Rules, data: st.DataObject):
    table = laid(rules, data.draw(layouts(rules, 20)))

    generated = [(move.cell, move.shown) for move in moves(table, rules)]
    assert len(generated) == len(set(generated))
    assert set(generated) == by_trying(rules, table)
