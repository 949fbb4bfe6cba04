"""The invariants of RULES §9 for layouts of any game, on random layouts.

* All tiles that cover a vertex show one number there; a wild corner goes with any.
* A placement after the first adds 0 or 1 vertices (squares: 0 to 2). It earns a bonus exactly if it adds 0 (squares:
  fewer than 2), so V = T + 2 - A for triangles, with A the placements that add none.
* A layout is connected through sides (Star: also through points), and can be rebuilt in order.
* Turning or moving a layout changes neither legality nor score. What a mirror changes depends on the set of tiles.
* The generated moves are exactly the placements that the checker accepts.

Invariants of matches are in `test_reading_properties`, `test_turn_properties` and the files of single games.
"""

from collections.abc import Callable

from hypothesis import strategies as st

from engine.board.board import Board, Placement
from engine.board.lattice import Cell, Site, encode_cell
from engine.board.tiles import BOSS, WILD
from engine.match.rules import Rules
from tests.engine.random_layouts import count_tiles_by_site, place_layout
from tests.engine.readings import build_rules, given_rules
from tests.engine.shapes import (
    attempts,
    build_reflection,
    build_rotation,
    is_connected,
    is_judged_alike,
    judge_layout,
    judge_move,
    layouts,
    list_steps,
    rank_moves,
    transform_placement,
    try_all_moves,
)
from tests.engine.tables import collect_demands


def build_rules_by_name(game: str, *options: str) -> dict[str, Rules]:
    return {f"{game} {text}".strip(): build_rules(game, text) for text in options}


TRIOMINOES = build_rules_by_name("triominoes", "")
TRIOMINO_SETS = build_rules_by_name("triominoes", "", "tile_set=trio84", "tile_set=mac76")
QUADS = build_rules_by_name(
    "quad-ominos", *(f"quad_arrangement={name}" for name in ("clockwise", "counter_clockwise", "free"))
)
TRIOKER = build_rules_by_name(
    "trioker",
    *("", "trioker_joker=on", "trioker_bonuses=on", "trioker_values=6"),
    "trioker_values=5 trioker_joker=on trioker_bonuses=on",
)
BOARDS = build_rules_by_name(
    "trioker", "trioker_board=hexagon", "trioker_board=hexagon trioker_joker=on trioker_bonuses=on"
)
TRAILS = {
    **build_rules_by_name("points", "", "boss=in tile_set=td56", "boss=in boss_after=wild"),
    **build_rules_by_name("muggins", "", "boss=in tile_set=td56"),
    **build_rules_by_name("star", "", "tile_set=td56 boss_after=wild star_corner_order=collinear"),
    **build_rules_by_name("star", "star_corner_order=mirror star_sum=all_touching"),
}
OPEN_TRAILS = {
    **build_rules_by_name("points", "layout=open boss=in"),
    **build_rules_by_name("muggins", "side_contact=last_only boss=in"),
    **build_rules_by_name("star", "layout=open side_contact=last_only"),
}
CORNERS = {**TRIOMINOES, **QUADS, **TRIOKER, **BOARDS}
MIRRORED_QUADS = {
    "clockwise": QUADS["quad-ominos quad_arrangement=counter_clockwise"],
    "counter_clockwise": QUADS["quad-ominos quad_arrangement=clockwise"],
}


def check_layouts(*groups: dict[str, Rules], examples: int = 6, **strategies: st.SearchStrategy) -> Callable:
    named_rules = {name: rules for group in groups for name, rules in group.items()}
    return given_rules(named_rules, examples, data=st.data(), **strategies)


def count_new_sites(rules: Rules, table: Board, cell: Cell) -> int:
    tile_counts = count_tiles_by_site(table)
    return sum(site not in tile_counts for site in rules.plane.get_shape(cell).corners)


def count_sides(rules: Rules, table: Board, cell: Cell) -> int:
    return sum(near in table.placed for near in rules.plane.get_shape(cell).neighbours)


@check_layouts(CORNERS)
def test_tiles_that_meet_at_vertex_show_one_number(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules, 40))

    shown: dict[Site, set[int]] = {}
    for placement in layout:
        for site, label in zip(rules.plane.get_shape(placement.cell).corners, placement.shown_labels, strict=True):
            shown.setdefault(site, set()).add(label)

    numbers = {site: labels - {WILD} for site, labels in shown.items()}
    assert all(len(labels) <= 1 for labels in numbers.values())
    assert place_layout(rules, layout).labels == {site: labels.pop() for site, labels in numbers.items() if labels}


@check_layouts(TRIOMINO_SETS, TRIOKER, BOARDS)
def test_vertices_are_tiles_plus_two_minus_placements_that_add_none(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules, 40))
    added = [count_new_sites(rules, table, placement.cell) for table, placement in list_steps(rules, layout)]

    assert set(added) <= {0, 1}
    assert len(count_tiles_by_site(place_layout(rules, layout))) == len(layout) + 2 - added.count(0)


@check_layouts(TRIOMINO_SETS, TRIOKER, BOARDS)
def test_triangle_earns_bonus_exactly_if_it_adds_no_vertex(rules: Rules, data: st.DataObject):
    has_bonuses = rules.game == "triominoes" or getattr(rules, "trioker_bonuses", "off") == "on"
    for table, _ in list_steps(rules, data.draw(layouts(rules))):
        for move in rank_moves(table, rules):
            earned = rules.score_placement(table, move)
            assert (earned.bonus > 0) == (has_bonuses and not count_new_sites(rules, table, move.cell))
            if has_bonuses:
                assert (earned.bonus > 0) == (earned.hexagons > 0 or earned.bridge)
                assert earned.bonus == {0: 40 * earned.bridge, 1: 50, 2: 100, 3: 150}[earned.hexagons]
                assert not (earned.hexagons and (earned.bridge or count_sides(rules, table, move.cell) == 1))


@check_layouts(QUADS)
def test_square_earns_bonus_exactly_with_fewer_than_two_new_vertices(rules: Rules, data: st.DataObject):
    for table, _ in list_steps(rules, data.draw(layouts(rules))):
        for move in rank_moves(table, rules):
            earned, added = rules.score_placement(table, move), count_new_sites(rules, table, move.cell)
            assert added in (0, 1, 2)
            assert earned.matched == 4 - added == table.tableau.count_covered_sites(encode_cell(move.cell))
            assert earned.points == sum(move.tile) in range(21)
            assert (rules.find_reward(move.tile, earned, opening=False, bonus_tile=False) is not None) == (added < 2)


@check_layouts(TRIOMINO_SETS, examples=15)
def test_two_sided_placement_without_hexagon_follows_bridge(rules: Rules, data: st.DataObject):
    has_bridge = False
    for table, placement in list_steps(rules, data.draw(layouts(rules, 40))):
        earned = rules.score_placement(table, placement)
        if count_sides(rules, table, placement.cell) == 1:
            has_bridge = has_bridge or earned.bridge
        elif not earned.hexagons:
            assert earned.bridge
            assert has_bridge


@check_layouts(TRIOMINO_SETS)
def test_triomino_fits_cell_in_one_way_at_most(rules: Rules, data: st.DataObject):
    ways = [(move.tile, move.cell) for move in rank_moves(place_layout(rules, data.draw(layouts(rules))), rules)]

    assert len(ways) == len(set(ways))


@check_layouts(CORNERS, TRAILS, OPEN_TRAILS)
def test_layout_is_connected_and_can_be_rebuilt_in_order(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules, 40))

    assert not [result for result in judge_layout(rules, layout) if isinstance(result, str)]
    assert rules.game == "star" or is_connected(rules, layout)


@check_layouts(TRIOMINOES, QUADS)
def test_legal_moves_do_not_depend_on_order_of_tiles(rules: Rules, data: st.DataObject):
    layout = data.draw(layouts(rules))
    other = place_layout(rules, data.draw(st.permutations(layout)))

    assert set(rank_moves(other, rules)) == set(rank_moves(place_layout(rules, layout), rules))
    assert collect_demands(other) == collect_demands(place_layout(rules, layout))


@check_layouts(CORNERS, TRAILS, OPEN_TRAILS, turns=st.integers(1, 5), right=st.integers(-9, 9), up=st.integers(-9, 9))
def test_rotated_or_shifted_layout_has_same_legality_and_scores(
    rules: Rules, data: st.DataObject, turns: int, right: int, up: int
):
    layout, move = data.draw(attempts(rules))
    where = build_rotation(rules, turns, right, up) if rules.fit.within is None else build_rotation(rules, turns)

    assert is_judged_alike(rules, layout, move, where)


@check_layouts(CORNERS, TRAILS, OPEN_TRAILS)
def test_mirrored_layout_has_legality_and_scores_of_mirrored_tiles(rules: Rules, data: st.DataObject):
    layout, move = data.draw(attempts(rules))
    other, where = MIRRORED_QUADS.get(getattr(rules, "quad_arrangement", ""), rules), build_reflection(rules)
    # A mirrored placement names its tile by the numbers in the order of the other rules.
    *mirrored_layout, last = (
        other.build_placement((placement := transform_placement(rules, one, where)).cell, placement.shown_labels)
        for one in (*layout, move)
    )

    result = judge_move(other, place_layout(other, mirrored_layout), last)

    # Trioker's set contains mirror images, and mirrored squares have their own arrangement. Other sets contain no
    # mirror image of a tile with different numbers.
    keeps_tiles = rules.game in ("trioker", "quad-ominos")
    has_no_mirror = len(set(move.tile)) == 3 and not keeps_tiles
    assert result == ("NO_SUCH_TILE" if has_no_mirror else judge_move(rules, place_layout(rules, layout), move))
    assert not keeps_tiles or judge_layout(other, mirrored_layout) == judge_layout(rules, layout)


@check_layouts(CORNERS, TRAILS, OPEN_TRAILS, examples=2)
def test_generated_moves_equal_placements_accepted_by_checker(rules: Rules, data: st.DataObject):
    table = place_layout(rules, data.draw(layouts(rules, 4 if rules.fit.free_order else 16)))

    generated = [(move.cell, move.shown_labels) for move in rank_moves(table, rules)]

    assert len(generated) == len(set(generated))
    assert set(generated) == try_all_moves(rules, table)


@check_layouts(BOARDS)
def test_tiles_stay_inside_board_with_edge(rules: Rules, data: st.DataObject):
    layout, move = data.draw(attempts(rules))
    # The six cells around the middle, and all that touch one of those.
    points = {point for cell in rules.plane.list_cells_at((0, 0)) for point in rules.plane.get_shape(cell).corners}
    inside = {near for point in points for near in rules.plane.list_cells_at(point)}

    assert len(inside) == 24
    assert {placement.cell for placement in layout} <= inside
    result = judge_move(rules, place_layout(rules, layout), move)
    assert move.cell in inside or result in ("OFF_THE_BOARD", "TILE_ALREADY_PLAYED")


@check_layouts(TRAILS)
def test_each_domino_touches_the_previous_tile(rules: Rules, data: st.DataObject):
    for table, placement in list_steps(rules, data.draw(layouts(rules))):
        earned, corners = rules.score_placement(table, placement), {*rules.plane.get_shape(placement.cell).corners}
        # Two common corners are a side, one is a point.
        shared = len(corners & {*rules.plane.get_shape(table.last.cell).corners})
        assert shared == 2 or (rules.game == "star" and shared == 1)
        assert earned.corner == rules.earns_further_turn(earned) == (shared == 1)


def list_side_contacts(rules: Rules, table: Board, placement: Placement) -> list[tuple[Placement, int, int]]:
    found = []
    for side, near in enumerate(rules.plane.get_shape(placement.cell).neighbours):
        if near in table.placed:
            other, other_side = table.placed[near], rules.plane.get_shape(near).neighbours.index(placement.cell)
            found.append((other, other.shown_labels[other_side], placement.shown_labels[side]))
    return found


@check_layouts(TRAILS)
def test_numbers_across_domino_side_match(rules: Rules, data: st.DataObject):
    for table, placement in list_steps(rules, data.draw(layouts(rules))):
        for tile, other_label, own_label in list_side_contacts(rules, table, placement):
            if placement.tile == BOSS or (tile.tile == BOSS and rules.wild_value is None):
                continue
            number = 0 if tile.tile == BOSS else other_label
            assert (number + own_label) % 5 == 0 if rules.game == "muggins" else number == own_label


@check_layouts(TRAILS, OPEN_TRAILS)
def test_star_scores_multiples_of_five_and_other_dominoes_nothing(rules: Rules, data: st.DataObject):
    for table, _ in list_steps(rules, data.draw(layouts(rules))):
        for move in rank_moves(table, rules):
            points = rules.score_placement(table, move).points
            assert points % 5 == 0 <= points
            assert rules.game == "star" or points == 0
