"""Layouts of any game for hypothesis, and the same layouts turned, moved and mirrored."""

from collections.abc import Callable
from typing import Final

from hypothesis import strategies as st

from engine.board.board import Board, Placement
from engine.board.lattice import Cell
from engine.board.tiles import list_rotations
from engine.match.errors import RuleError
from engine.match.rules import Rules, Score, judge_placement
from tests.engine.examples import PLACEMENTS
from tests.engine.growing import corners, laid, legal
from tests.engine.tables import board

Layout = list[Placement]
Point = tuple[int, ...]
Where = Callable[[Point], Point]


RINGS: Final = sorted({example.position for example in PLACEMENTS if len(example.position.split()) > 5})
"""Layouts of RULES §8.1 on which bridges can be extended, which is rare elsewhere."""


def moves(table: Board, rules: Rules) -> list[Placement]:
    found = legal(table, rules)
    touched = corners(table, {move.cell for move in found})
    return sorted(found, key=lambda move: (-rules.score_placement(table, move).bonus, -touched[move.cell]))


@st.composite
def layouts(draw: st.DrawFn, rules: Rules, most: int = 30) -> Layout:
    """Draw a legal layout in order. Small picks make it dense; it shrinks to the first tile alone."""
    if rules.game == "triominoes" and draw(st.booleans()):
        table = board(draw(st.sampled_from(RINGS)), rules)
    else:
        table = rules.build_board()
        table.place(Placement(draw(st.sampled_from(rules.tiles)), rules.plane.first, 0))
    for pick in draw(st.lists(st.integers(0, 60) | st.integers(0, 3), max_size=most)):
        found = moves(table, rules)
        if not found:
            break
        table.place(found[pick % len(found)])
    return list(table.placed.values())


@st.composite
def attempts(draw: st.DrawFn, rules: Rules, most: int = 20) -> tuple[Layout, Placement]:
    """A layout and a placement somewhere near it that may be legal or not."""
    layout = draw(layouts(rules, most))
    if draw(st.booleans()) and (found := moves(laid(rules, layout), rules)):
        return layout, draw(st.sampled_from(found))
    near = draw(st.sampled_from(layout) | st.just(layout[-1])).cell
    kind = draw(st.sampled_from("UD")) if near.kind else ""
    cell = Cell(kind, near.x + draw(st.integers(-2, 2)), near.y + draw(st.integers(-2, 2)))
    return layout, Placement(draw(st.sampled_from(rules.tiles)), cell, draw(st.integers(0, rules.plane.sides - 1)))


def steps(rules: Rules, layout: Layout) -> list[tuple[Board, Placement]]:
    """Each placement after the first, with the table it was made on."""
    return [(laid(rules, layout[:count]), layout[count]) for count in range(1, len(layout))]


def ruling(rules: Rules, table: Board, move: Placement) -> Score | str:
    """What the placement earns, or why it is refused."""
    try:
        return judge_placement(table, move, rules)
    except RuleError as broken:
        return broken.why.value


def rulings(rules: Rules, layout: Layout) -> list[Score | str]:
    return [ruling(rules, *step) for step in steps(rules, layout)]


def moved(rules: Rules, lies: Placement, where: Where) -> Placement:
    """The same numbers at the corners, or the sides, that theirs are taken to."""
    first = rules.plane.get_shape(lies.cell).corners[0]
    there = {where(point) for point in rules.plane.get_shape(lies.cell).corners}
    cell = next(
        cell for cell in rules.plane.list_cells_at(where(first)) if {*rules.plane.get_shape(cell).corners} == there
    )
    labels = {
        frozenset(map(where, spot)): label
        for spot, label in zip(_spots(rules, lies.cell), lies.shown_labels, strict=True)
    }
    return rules.build_placement(cell, tuple(labels[spot] for spot in _spots(rules, cell)))


def _spots(rules: Rules, cell: Cell) -> list[frozenset[Point]]:
    """Where the labels of a cell lie, clockwise: each at a corner, or between two of them."""
    points = rules.plane.get_shape(cell).corners
    if rules.labels == "corners":
        return [frozenset({point}) for point in points]
    return [frozenset({point, following}) for point, following in zip(points, points[1:] + points[:1], strict=True)]


def is_judged_alike(rules: Rules, layout: Layout, move: Placement, where: Where) -> bool:
    """Whether a table and a move are legal, and worth, elsewhere what they are here, each tile in its turn too."""
    elsewhere = [moved(rules, lies, where) for lies in layout]
    there, here = laid(rules, elsewhere), laid(rules, layout)
    return ruling(rules, there, moved(rules, move, where)) == ruling(rules, here, move) and rulings(
        rules, elsewhere
    ) == rulings(rules, layout)


def turned(rules: Rules, steps: int, right: int = 0, up: int = 0) -> Where:
    """So many sixths (squares: quarters) of a turn round the origin, then a move."""

    def where(point: Point) -> Point:
        x, y = point
        for _ in range(steps):
            x, y = (-y, x + y) if rules.plane.sides == 3 else (-y, x)
        return x + right, y + up

    return where


def in_mirror(rules: Rules) -> Where:
    """Left and right exchanged, or for triangles the two axes."""
    return lambda point: (point[1], point[0]) if rules.plane.sides == 3 else (-point[0], point[1])


def is_connected(rules: Rules, layout: Layout) -> bool:
    """Whether every tile can be reached from the first through sides."""
    taken = {lies.cell for lies in layout}
    reached: set[Cell] = set()
    edge = [layout[0].cell]
    while edge:
        cell = edge.pop()
        if cell not in reached:
            reached.add(cell)
            edge += [near for near in rules.plane.get_shape(cell).neighbours if near in taken]
    return reached == taken


def by_trying(rules: Rules, table: Board) -> set[tuple[Cell, tuple[int, ...]]]:
    """Return the placements that the checker accepts: all tiles in all rotations on all cells near the layout."""
    touching = {
        near
        for cell in table.placed
        for point in rules.plane.get_shape(cell).corners
        for near in rules.plane.list_cells_at(point)
    }
    return {
        (cell, move.shown_labels)
        for tile in rules.tiles
        for cell in touching
        for rotation in list_rotations(tile, free=rules.fit.free_order)
        if not isinstance(ruling(rules, table, move := Placement(tile, cell, rotation)), str)
    }
