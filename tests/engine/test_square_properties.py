"""The invariants of RULES §9 that a layout of Quad-Ominos keeps, in each of the three arrangements:

* all tiles that cover a vertex show one number there;
* each placement after the first adds 0, 1 or 2 vertices, and earns the bonus if and only if it adds fewer than 2;
* a layout is connected through sides, rebuilding it in order passes every check, and what is legal on it does not
  depend on the order of its tiles;
* turning it by 90 degrees or moving it changes neither legality nor score; a mirror turns clockwise tiles into
  counter-clockwise ones and changes nothing else;
* every generated move is legal, and trying every tile in every turn on every touching cell finds no other.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import rules as shelf
from engine.grid import number_of
from engine.lattice import Site
from engine.rules import Rules
from tests.depth import deep
from tests.engine.growing import laid
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
from tests.engine.tables import frontier

QUADS = {
    name: shelf("quad-ominos").with_option("quad_arrangement", name)
    for name in ("clockwise", "counter_clockwise", "free")
}
every_arrangement = pytest.mark.parametrize("rules", QUADS.values(), ids=QUADS)
some, few = settings(max_examples=deep(10)), settings(max_examples=deep(2))


@every_arrangement
@some
@given(data=st.data())
def test_all_tiles_that_meet_at_a_vertex_show_one_number(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules, 60))

    shown: dict[Site, set[int]] = {}
    for lies in layout:
        for site, label in zip(rules.plane.shape(lies.cell).corners, lies.shown, strict=True):
            shown.setdefault(site, set()).add(label)
    assert {len(labels) for labels in shown.values()} == {1}
    assert laid(rules, layout).labels == {site: labels.pop() for site, labels in shown.items()}


@every_arrangement
@some
@given(data=st.data())
def test_a_placement_earns_the_bonus_if_and_only_if_it_adds_fewer_than_two_vertices(rules: Rules, data: st.DataObject):
    for table, _ in steps(rules, data.draw(layouts(rules))):
        for move in moves(table, rules):
            earned = rules.score(table, move)
            added = sum(site not in table.labels for site in rules.plane.shape(move.cell).corners)
            assert added in (0, 1, 2)
            assert earned.matched == 4 - added == table.tableau.covered(number_of(move.cell))
            assert earned.points == sum(move.tile) in range(21)
            assert (rules.reward(move.tile, earned, opening=False, bonus_tile=False) is not None) == (added < 2)


@every_arrangement
@some
@given(data=st.data())
def test_a_layout_is_connected_through_sides_and_can_be_rebuilt(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules, 60))

    assert is_connected(rules, layout)
    assert not [told for told in rulings(rules, layout) if isinstance(told, str)]


@every_arrangement
@some
@given(data=st.data())
def test_what_is_legal_does_not_depend_on_the_order_of_the_tiles(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules))
    other = laid(rules, data.draw(st.permutations(layout)))

    assert set(moves(other, rules)) == set(moves(laid(rules, layout), rules))
    assert frontier(other) == frontier(laid(rules, layout))


@every_arrangement
@some
@given(data=st.data(), quarters=st.integers(1, 3), right=st.integers(-9, 9), up=st.integers(-9, 9))
def test_turning_and_moving_the_table_change_neither_legality_nor_score(
    rules: Rules, data: st.DataObject, quarters: int, right: int, up: int
):
    layout, move = data.draw(attempts(rules))

    assert is_judged_alike(rules, layout, move, turned(rules, quarters, right, up))


@pytest.mark.parametrize(("arrangement", "other"), [("clockwise", "counter_clockwise"), ("free", "free")])
@some
@given(data=st.data())
def test_a_mirror_shows_the_same_table_in_the_other_arrangement(arrangement: str, other: str, data: st.DataObject):
    rules, mirrored = QUADS[arrangement], QUADS[other]
    layout, move = data.draw(attempts(rules))
    where = in_mirror(rules)
    # The tile of a mirrored placement is named by the numbers it shows in the other arrangement.
    seen = [mirrored.lay((lies := moved(rules, one, where)).cell, lies.shown) for one in (*layout, move)]

    assert rulings(mirrored, seen[:-1]) == rulings(rules, layout)
    assert ruling(mirrored, laid(mirrored, seen[:-1]), seen[-1]) == ruling(rules, laid(rules, layout), move)


@every_arrangement
@few
@given(data=st.data())
def test_the_generated_moves_are_exactly_those_the_checker_lets_pass(rules: Rules, data: st.DataObject):
    table = laid(rules, data.draw(layouts(rules, 4 if rules.fit.free else 16)))

    generated = [(move.cell, move.shown) for move in moves(table, rules)]
    assert len(generated) == len(set(generated))
    assert set(generated) == by_trying(rules, table)
