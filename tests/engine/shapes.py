"""Layouts of any game for Hypothesis, and the same layouts rotated, shifted and mirrored."""

from collections.abc import Callable
from typing import Final

from hypothesis import strategies as st

from engine.board.board import Board, Placement
from engine.board.lattice import Cell
from engine.board.tiles import list_rotations
from engine.match.errors import RuleError
from engine.match.rules import Rules, Score, judge_placement
from tests.engine.examples import PLACEMENTS
from tests.engine.random_layouts import count_touched_tiles, list_legal_placements, place_layout
from tests.engine.tables import build_board

Layout = list[Placement]
Point = tuple[int, ...]
Transform = Callable[[Point], Point]


RING_LAYOUTS: Final = sorted({example.position for example in PLACEMENTS if len(example.position.split()) > 5})
"""Layouts of RULES §8.1 on which bridges can be extended, which is rare elsewhere."""


def rank_moves(table: Board, rules: Rules) -> list[Placement]:
    found = list_legal_placements(table, rules)
    touched = count_touched_tiles(table, {move.cell for move in found})
    return sorted(found, key=lambda move: (-rules.score_placement(table, move).bonus, -touched[move.cell]))


@st.composite
def layouts(draw: st.DrawFn, rules: Rules, most: int = 30) -> Layout:
    """Draw a legal layout in order. Small picks make it dense; it shrinks to the first tile alone."""
    if rules.game == "triominoes" and draw(st.booleans()):
        table = build_board(draw(st.sampled_from(RING_LAYOUTS)), rules)
    else:
        table = rules.build_board()
        table.place(Placement(draw(st.sampled_from(rules.tiles)), rules.plane.first, 0))
    for pick in draw(st.lists(st.integers(0, 60) | st.integers(0, 3), max_size=most)):
        found = rank_moves(table, rules)
        if not found:
            break
        table.place(found[pick % len(found)])
    return list(table.placed.values())


@st.composite
def attempts(draw: st.DrawFn, rules: Rules, most: int = 20) -> tuple[Layout, Placement]:
    """Draw a layout and a placement near it, which may be legal or not."""
    layout = draw(layouts(rules, most))
    if draw(st.booleans()) and (found := rank_moves(place_layout(rules, layout), rules)):
        return layout, draw(st.sampled_from(found))
    near = draw(st.sampled_from(layout) | st.just(layout[-1])).cell
    kind = draw(st.sampled_from("UD")) if near.kind else ""
    cell = Cell(kind, near.x + draw(st.integers(-2, 2)), near.y + draw(st.integers(-2, 2)))
    return layout, Placement(draw(st.sampled_from(rules.tiles)), cell, draw(st.integers(0, rules.plane.sides - 1)))


def list_steps(rules: Rules, layout: Layout) -> list[tuple[Board, Placement]]:
    """Return each placement after the first, with the board before it."""
    return [(place_layout(rules, layout[:count]), layout[count]) for count in range(1, len(layout))]


def judge_move(rules: Rules, table: Board, move: Placement) -> Score | str:
    try:
        return judge_placement(table, move, rules)
    except RuleError as broken:
        return broken.why.value


def judge_layout(rules: Rules, layout: Layout) -> list[Score | str]:
    return [judge_move(rules, *step) for step in list_steps(rules, layout)]


def transform_placement(rules: Rules, placement: Placement, transform: Transform) -> Placement:
    """Return a placement with each number at the image of its corner or side."""
    first = rules.plane.get_shape(placement.cell).corners[0]
    target_corners = {transform(point) for point in rules.plane.get_shape(placement.cell).corners}
    near = rules.plane.list_cells_at(transform(first))
    cell = next(cell for cell in near if {*rules.plane.get_shape(cell).corners} == target_corners)
    labels = {
        frozenset(map(transform, sites)): label
        for sites, label in zip(_list_label_sites(rules, placement.cell), placement.shown_labels, strict=True)
    }
    return rules.build_placement(cell, tuple(labels[spot] for spot in _list_label_sites(rules, cell)))


def _list_label_sites(rules: Rules, cell: Cell) -> list[frozenset[Point]]:
    """Return the positions of the labels of a cell, clockwise: corners, or the middles of sides."""
    points = rules.plane.get_shape(cell).corners
    if rules.labels == "corners":
        return [frozenset({point}) for point in points]
    return [frozenset({point, following}) for point, following in zip(points, points[1:] + points[:1], strict=True)]


def is_judged_alike(rules: Rules, layout: Layout, move: Placement, transform: Transform) -> bool:
    """Return whether all placements of a layout have the same legality and score in the transformed layout."""
    *other_layout, other_move = (transform_placement(rules, placement, transform) for placement in (*layout, move))
    verdicts = [judge_move(rules, place_layout(rules, layout), move), *judge_layout(rules, layout)]
    return verdicts == [
        judge_move(rules, place_layout(rules, other_layout), other_move),
        *judge_layout(rules, other_layout),
    ]


def build_rotation(rules: Rules, steps: int, right: int = 0, up: int = 0) -> Transform:
    """Return a rotation about the origin by this many sixths (squares: quarters) of a turn, followed by a shift."""

    def transform(point: Point) -> Point:
        x, y = point
        for _ in range(steps):
            x, y = (-y, x + y) if rules.plane.sides == 3 else (-y, x)
        return x + right, y + up

    return transform


def build_reflection(rules: Rules) -> Transform:
    """Return a reflection: left and right are exchanged, or for triangles the two axes."""
    return lambda point: (point[1], point[0]) if rules.plane.sides == 3 else (-point[0], point[1])


def is_connected(rules: Rules, layout: Layout) -> bool:
    """Return whether every tile is connected with the first through sides."""
    occupied = {placement.cell for placement in layout}
    reached: set[Cell] = set()
    edge = [layout[0].cell]
    while edge:
        cell = edge.pop()
        if cell not in reached:
            reached.add(cell)
            edge += [neighbour for neighbour in rules.plane.get_shape(cell).neighbours if neighbour in occupied]
    return reached == occupied


def try_all_moves(rules: Rules, table: Board) -> set[tuple[Cell, tuple[int, ...]]]:
    """Return the placements that the checker accepts: all tiles in all rotations on all cells near the layout."""
    touching = {
        neighbour
        for cell in table.placed
        for point in rules.plane.get_shape(cell).corners
        for neighbour in rules.plane.list_cells_at(point)
    }
    return {
        (cell, move.shown_labels)
        for tile in rules.tiles
        for cell in touching
        for rotation in list_rotations(tile, free=rules.fit.free_order)
        if not isinstance(judge_move(rules, table, move := Placement(tile, cell, rotation)), str)
    }
