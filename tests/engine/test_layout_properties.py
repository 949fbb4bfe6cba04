"""The invariants of RULES §9 that a layout of any game keeps, on layouts that hypothesis grows.

* All tiles that cover a vertex show one number there; a wild corner goes with any.
* A placement after the first adds 0 or 1 vertices (squares: 0 to 2). It earns a bonus exactly if it adds 0 (squares:
  fewer than 2), so V = T + 2 - A for triangles, with A the placements that add none.
* A layout is connected through sides (Star: also through points), and can be rebuilt in order.
* Turning or moving a layout changes neither legality nor score. What a mirror changes depends on the set of tiles.
* The generated moves are exactly the placements that the checker accepts.

Invariants of matches are in `test_reading_properties`, `test_turn_properties` and the files of single games.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.board import Board, Placement
from engine.board.lattice import Cell, Site, encode_cell
from engine.board.tiles import BOSS, WILD
from engine.match.rules import Rules
from tests.depth import scaled
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
from tests.engine.tables import frontier


def tables(game: str, *options: str) -> dict[str, Rules]:
    return {f"{game} {text}".strip(): read(game, text) for text in options}


TRIOMINOES = tables("triominoes", "")
QUADS = tables("quad-ominos", *(f"quad_arrangement={name}" for name in ("clockwise", "counter_clockwise", "free")))
TRIOKER = tables(
    "trioker",
    *("", "trioker_joker=on", "trioker_bonuses=on", "trioker_values=6"),
    "trioker_values=5 trioker_joker=on trioker_bonuses=on",
)
BOARDS = tables("trioker", "trioker_board=hexagon", "trioker_board=hexagon trioker_joker=on trioker_bonuses=on")
TRAILS = {
    **tables("points", "", "boss=in tile_set=td56", "boss=in boss_after=wild"),
    **tables("muggins", "", "boss=in tile_set=td56"),
    **tables("star", "", "tile_set=td56 boss_after=wild star_corner_order=collinear"),
    **tables("star", "star_corner_order=mirror star_sum=all_touching"),
}
LOOSE = {
    **tables("points", "layout=open boss=in"),
    **tables("muggins", "side_contact=last_only boss=in"),
    **tables("star", "layout=open side_contact=last_only"),
}
CORNERS = {**TRIOMINOES, **QUADS, **TRIOKER, **BOARDS}
OTHER_WAY = {
    "clockwise": QUADS["quad-ominos quad_arrangement=counter_clockwise"],
    "counter_clockwise": QUADS["quad-ominos quad_arrangement=clockwise"],
}
some, few = settings(max_examples=scaled(6)), settings(max_examples=scaled(2))


def each(*groups: dict[str, Rules]) -> pytest.MarkDecorator:
    named = {name: rules for group in groups for name, rules in group.items()}
    return pytest.mark.parametrize("rules", named.values(), ids=named)


def new_sites(rules: Rules, table: Board, cell: Cell) -> int:
    return sum(site not in table.cover_counts for site in rules.plane.get_shape(cell).corners)


def count_sides(rules: Rules, table: Board, cell: Cell) -> int:
    return sum(near in table.placed for near in rules.plane.get_shape(cell).neighbours)


@each(CORNERS)
@some
@given(data=st.data())
def test_tiles_that_meet_at_vertex_show_one_number(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules, 40))

    shown: dict[Site, set[int]] = {}
    for lies in layout:
        for site, label in zip(rules.plane.get_shape(lies.cell).corners, lies.shown_labels, strict=True):
            shown.setdefault(site, set()).add(label)

    numbers = {site: labels - {WILD} for site, labels in shown.items()}
    assert all(len(labels) <= 1 for labels in numbers.values())
    assert laid(rules, layout).labels == {site: labels.pop() for site, labels in numbers.items() if labels}


@each(TRIOMINOES, TRIOKER, BOARDS)
@some
@given(data=st.data())
def test_vertices_are_tiles_plus_two_minus_placements_that_add_none(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules, 40))
    added = [new_sites(rules, table, lies.cell) for table, lies in steps(rules, layout)]

    assert set(added) <= {0, 1}
    assert len(laid(rules, layout).cover_counts) == len(layout) + 2 - added.count(0)


@each(TRIOMINOES, TRIOKER, BOARDS)
@some
@given(data=st.data())
def test_triangle_earns_bonus_exactly_if_it_adds_no_vertex(rules: Rules, data: st.DataObject):
    pays = rules.game == "triominoes" or getattr(rules, "trioker_bonuses", "off") == "on"
    for table, _ in steps(rules, data.draw(layouts(rules))):
        for move in moves(table, rules):
            earned = rules.score_placement(table, move)
            assert (earned.bonus > 0) == (pays and not new_sites(rules, table, move.cell))
            if pays:
                assert (earned.bonus > 0) == (earned.hexagons > 0 or earned.bridge)
                assert earned.bonus == {0: 40 * earned.bridge, 1: 50, 2: 100, 3: 150}[earned.hexagons]
                assert not (earned.hexagons and (earned.bridge or count_sides(rules, table, move.cell) == 1))


@each(QUADS)
@some
@given(data=st.data())
def test_square_earns_bonus_exactly_with_fewer_than_two_new_vertices(rules: Rules, data: st.DataObject):
    for table, _ in steps(rules, data.draw(layouts(rules))):
        for move in moves(table, rules):
            earned, added = rules.score_placement(table, move), new_sites(rules, table, move.cell)
            assert added in (0, 1, 2)
            assert earned.matched == 4 - added == table.tableau.count_covered_sites(encode_cell(move.cell))
            assert earned.points == sum(move.tile) in range(21)
            assert (rules.find_reward(move.tile, earned, opening=False, bonus_tile=False) is not None) == (added < 2)


@each(TRIOMINOES)
@settings(max_examples=scaled(15))
@given(data=st.data())
def test_two_sided_placement_without_hexagon_follows_bridge(rules: Rules, data: st.DataObject):
    made = False
    for table, lies in steps(rules, data.draw(layouts(rules, 40))):
        earned = rules.score_placement(table, lies)
        if count_sides(rules, table, lies.cell) == 1:
            made = made or earned.bridge
        elif not earned.hexagons:
            assert earned.bridge
            assert made


@each(TRIOMINOES)
@some
@given(data=st.data())
def test_triomino_fits_cell_in_one_way_at_most(rules: Rules, data: st.DataObject):
    ways = [(move.tile, move.cell) for move in moves(laid(rules, data.draw(layouts(rules))), rules)]

    assert len(ways) == len(set(ways))


@each(CORNERS, TRAILS, LOOSE)
@some
@given(data=st.data())
def test_layout_is_connected_and_can_be_rebuilt_in_order(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules, 40))

    assert not [told for told in rulings(rules, layout) if isinstance(told, str)]
    assert rules.game == "star" or is_connected(rules, layout)


@each(TRIOMINOES, QUADS)
@some
@given(data=st.data())
def test_legal_moves_do_not_depend_on_order_of_tiles(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules))
    other = laid(rules, data.draw(st.permutations(layout)))

    assert set(moves(other, rules)) == set(moves(laid(rules, layout), rules))
    assert frontier(other) == frontier(laid(rules, layout))


@each(CORNERS, TRAILS, LOOSE)
@some
@given(data=st.data(), turns=st.integers(1, 5), right=st.integers(-9, 9), up=st.integers(-9, 9))
def test_turned_or_moved_layout_has_same_rulings(rules: Rules, data: st.DataObject, turns: int, right: int, up: int):
    layout, move = data.draw(attempts(rules))
    where = turned(rules, turns, right, up) if rules.fit.within is None else turned(rules, turns)

    assert is_judged_alike(rules, layout, move, where)


@each(CORNERS, TRAILS, LOOSE)
@some
@given(data=st.data())
def test_mirrored_layout_has_rulings_of_mirrored_tiles(rules: Rules, data: st.DataObject):
    layout, move = data.draw(attempts(rules))
    other, where = OTHER_WAY.get(getattr(rules, "quad_arrangement", ""), rules), in_mirror(rules)
    # The tile of a mirrored placement is named by the numbers it shows under the other rules.
    *lying, last = (
        other.build_placement((lies := moved(rules, one, where)).cell, lies.shown_labels) for one in (*layout, move)
    )

    seen = ruling(other, laid(other, lying), last)

    # Trioker's set is complete and mirrored squares have their own arrangement; elsewhere a single has no mirror.
    keeps_tiles = rules.game in ("trioker", "quad-ominos")
    lost = len(set(move.tile)) == 3 and not keeps_tiles
    assert seen == ("NO_SUCH_TILE" if lost else ruling(rules, laid(rules, layout), move))
    assert not keeps_tiles or rulings(other, lying) == rulings(rules, layout)


@each(CORNERS, TRAILS, LOOSE)
@few
@given(data=st.data())
def test_generated_moves_equal_placements_accepted_by_checker(rules: Rules, data: st.DataObject):
    table = laid(rules, data.draw(layouts(rules, 4 if rules.fit.free_order else 16)))

    generated = [(move.cell, move.shown_labels) for move in moves(table, rules)]

    assert len(generated) == len(set(generated))
    assert set(generated) == by_trying(rules, table)


@each(BOARDS)
@some
@given(data=st.data())
def test_tiles_stay_inside_board_with_edge(rules: Rules, data: st.DataObject):
    layout, move = data.draw(attempts(rules))
    # The six cells around the middle, and all that touch one of those.
    points = {point for cell in rules.plane.list_cells_at((0, 0)) for point in rules.plane.get_shape(cell).corners}
    inside = {near for point in points for near in rules.plane.list_cells_at(point)}

    assert len(inside) == 24
    assert {lies.cell for lies in layout} <= inside
    told = ruling(rules, laid(rules, layout), move)
    assert move.cell in inside or told in ("OFF_THE_BOARD", "TILE_ALREADY_PLAYED")


@each(TRAILS)
@some
@given(data=st.data())
def test_each_domino_touches_the_previous_tile(rules: Rules, data: st.DataObject):
    for table, lies in steps(rules, data.draw(layouts(rules))):
        earned, corners = rules.score_placement(table, lies), {*rules.plane.get_shape(lies.cell).corners}
        # Two common corners are a side, one is a point.
        shared = len(corners & {*rules.plane.get_shape(table.last.cell).corners})
        assert shared == 2 or (rules.game == "star" and shared == 1)
        assert earned.corner == rules.earns_further_turn(earned) == (shared == 1)


def beside(rules: Rules, table: Board, lies: Placement) -> list[tuple[Placement, int, int]]:
    found = []
    for side, near in enumerate(rules.plane.get_shape(lies.cell).neighbours):
        if near in table.placed:
            there = rules.plane.get_shape(near).neighbours.index(lies.cell)
            found.append((table.placed[near], table.placed[near].shown_labels[there], lies.shown_labels[side]))
    return found


@each(TRAILS)
@some
@given(data=st.data())
def test_numbers_across_side_of_dominoes_go_together(rules: Rules, data: st.DataObject):
    for table, lies in steps(rules, data.draw(layouts(rules))):
        for tile, there, here in beside(rules, table, lies):
            if lies.tile == BOSS or (tile.tile == BOSS and rules.wild_value is None):
                continue
            number = 0 if tile.tile == BOSS else there
            assert (number + here) % 5 == 0 if rules.game == "muggins" else number == here


@each(TRAILS, LOOSE)
@some
@given(data=st.data())
def test_star_scores_multiples_of_five_and_other_dominoes_nothing(rules: Rules, data: st.DataObject):
    for table, _ in steps(rules, data.draw(layouts(rules))):
        for move in moves(table, rules):
            points = rules.score_placement(table, move).points
            assert points % 5 == 0 <= points
            assert rules.game == "star" or points == 0
