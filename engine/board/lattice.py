"""The lattices: cells, corners, neighbours (RULES §2), how tiles fit together, and cells as numbers.

In `Grid` a step to a neighbour is an addition, the same everywhere. The surroundings are computed once per kind of
cell: triangles that point up, triangles that point down, squares.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple

from engine.typed_text import normalize_text

Site = tuple[int, ...]  # place of a label: a corner (x, y) of several cells, or a side (x, y, number) of two cells


class Cell(NamedTuple):
    """A place for one tile. `kind` is "U" (point up), "D" (point down), or empty for a square."""

    kind: str
    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.kind}{self.x},{self.y}"


class Shape(NamedTuple):
    """The corners of a cell clockwise, its sides (i from corner i to i+1), and the cell across each side."""

    corners: tuple[Site, ...]
    sides: tuple[Site, ...]
    neighbours: tuple[Cell, ...]


class Lattice:
    """A tiling of the plane. Shapes and rings are cached."""

    def __init__(
        self,
        name: str,
        *,
        sides: int,
        first: Cell,
        shape: Callable[[Cell], Shape],
        around: Callable[[Site], tuple[Cell, ...]],
        cell: re.Pattern[str],
        order: Callable[[Cell], tuple[int, int, int]],
    ) -> None:
        self.name = name
        self.sides = sides
        self.first = first  # cell of the opening tile
        self.get_reading_order = order  # key of the reading order: top to bottom, left to right
        self.get_shape = cache(shape)
        self.get_corners = cache(lambda cell: self.get_shape(cell).corners)
        self.get_sides = cache(lambda cell: self.get_shape(cell).sides)
        self.list_cells_at = cache(around)  # the cells at a site: those around a corner, or the two of a side
        self._cell = cell

    def parse_cell(self, text: str) -> Cell:
        """Parse `U0,0` or `D-1,2`. Raises ValueError if it is no cell of this lattice."""
        match = self._cell.fullmatch(normalize_text(text))
        if match is None:
            raise ValueError(f"{text!r} is no cell; write it like {self.first}")
        return Cell(match["kind"].upper(), int(match["x"]), int(match["y"]))


def _build_triangle_shape(cell: Cell) -> Shape:
    kind, x, y = cell
    if kind == "U":
        return Shape(
            corners=((x, y), (x, y + 1), (x + 1, y)),
            sides=((x, y, 0), (x, y, 1), (x, y, 2)),
            neighbours=(Cell("D", x - 1, y), Cell("D", x, y), Cell("D", x, y - 1)),
        )
    # Every side belongs to one triangle that points up, and has its coordinates.
    return Shape(
        corners=((x, y + 1), (x + 1, y + 1), (x + 1, y)),
        sides=((x, y + 1, 2), (x + 1, y, 0), (x, y, 1)),
        neighbours=(Cell("U", x, y + 1), Cell("U", x + 1, y), Cell("U", x, y)),
    )


def _list_triangles_at(site: Site) -> tuple[Cell, ...]:
    x, y, *side = site
    if side:
        up = Cell("U", x, y)
        return up, _build_triangle_shape(up).neighbours[side[0]]
    return (
        Cell("U", x, y),
        Cell("U", x - 1, y),
        Cell("U", x, y - 1),
        Cell("D", x - 1, y),
        Cell("D", x - 1, y - 1),
        Cell("D", x, y - 1),
    )


def _build_square_shape(cell: Cell) -> Shape:
    _, x, y = cell
    # A side has the coordinates of the cell whose bottom (0) or left side (1) it is.
    return Shape(
        corners=((x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)),
        sides=((x, y + 1, 0), (x + 1, y, 1), (x, y, 0), (x, y, 1)),
        neighbours=(Cell("", x, y + 1), Cell("", x + 1, y), Cell("", x, y - 1), Cell("", x - 1, y)),
    )


def _list_squares_at(site: Site) -> tuple[Cell, ...]:
    x, y, *side = site
    cell = Cell("", x, y)
    if side:
        return cell, Cell("", x, y - 1) if side[0] == 0 else Cell("", x - 1, y)
    return cell, Cell("", x - 1, y), Cell("", x, y - 1), Cell("", x - 1, y - 1)


# Six digits limit the numbers that a forged id can cause.
_COORDINATES = r"(?P<x>-?\d{1,6}),(?P<y>-?\d{1,6})"

TRIANGLES = Lattice(
    "triangles",
    sides=3,
    first=Cell("U", 0, 0),
    shape=_build_triangle_shape,
    around=_list_triangles_at,
    cell=re.compile(r"(?P<kind>[UDud])" + _COORDINATES, re.ASCII),
    # A step to the right is half a tile, so 2x + y orders a row.
    order=lambda cell: (-cell.y, 2 * cell.x + cell.y, cell.kind == "D"),
)

SQUARES = Lattice(
    "squares",
    sides=4,
    first=Cell("", 0, 0),
    shape=_build_square_shape,
    around=_list_squares_at,
    cell=re.compile("(?P<kind>)" + _COORDINATES, re.ASCII),
    order=lambda cell: (-cell.y, cell.x, 0),
)

LATTICES = {lattice.name: lattice for lattice in (TRIANGLES, SQUARES)}
Labels = Literal["corners", "sides"]
CornerOrder = Literal["any", "collinear", "mirror"]
"""Order of the two numbers beside a corner, compared to those of the tile across the point."""


@dataclass(frozen=True, slots=True)
class Fit:
    labels: Labels = "corners"
    sums_of_five: bool = False  # touching numbers add up to a multiple of five, instead of being equal
    free_order: bool = False  # the labels of a tile have no fixed order
    wild_value: int | None = None  # what a wild label counts as on the table; None: stays wild
    within: Callable[[Cell], bool] | None = None  # whether a cell exists, on a board with an edge


@dataclass(frozen=True, slots=True)
class TrailFit(Fit):
    """How tiles fit together on a trail, where each touches the one before it (RULES §5)."""

    open_layout: bool = False  # a tile may also touch any older tile
    match_older_sides: bool = True  # sides against older tiles must agree too
    corner_plays: CornerOrder | None = None  # whether and how a tile may touch the last one by a corner


@lru_cache(maxsize=64)
def compute_board_cells(lattice: Lattice, fit: Fit) -> frozenset[Cell]:
    """Return the cells of a board with an edge; empty for one without."""
    if fit.within is None:
        return frozenset()
    found, queue = {lattice.first}, [lattice.first]
    while queue:
        neighbours = [
            near for near in lattice.get_shape(queue.pop()).neighbours if near not in found and fit.within(near)
        ]
        found.update(neighbours)
        queue += neighbours
    return frozenset(found)


X_BITS: Final = 21  # bits of x in the number of a cell: more than six digits need
SITE_BITS: Final = 4  # bits of one site in a demand: labels are at most nine
_X_OFFSET = 1 << (X_BITS - 1)
_X_MASK = (1 << X_BITS) - 1


def encode_cell(cell: Cell) -> int:
    kind, x, y = cell
    return ((y << X_BITS) + x) * 2 + (kind == "D")


Step = tuple[int, int]  # the offset of a cell that shares a site, and the weight of a label there in its demand


@dataclass(frozen=True, slots=True)
class CellKind:
    """The surroundings of every cell of a kind, as offsets."""

    name: str
    neighbour_offsets: tuple[int, ...]  # cells across the sides, clockwise
    sharing_offsets: tuple[tuple[int, ...], ...]
    """By place: the other cells at its site, five at the corner of a triangle, one at a side."""
    demand_steps: tuple[tuple[tuple[Step, ...], ...], ...]
    """By place and mark: the same with what that mark adds to each demand."""
    opposite_offsets: tuple[tuple[int, ...], ...]  # by side: the other cells around the opposite corner, in triangles
    point_contacts: tuple[tuple[int, int, int, bool], ...]
    """Cells that share one point with it: the offset, the touching corners of that cell and of this one, and whether
    the two cells lie straight across the point.
    """


class Grid:
    """A lattice in numbers, with labels on its corners or its sides."""

    __slots__ = ("_names", "first", "kinds", "sides")

    def __init__(self, lattice: Lattice, labels: Labels) -> None:
        self._names = ("U", "D") if lattice.sides == 3 else ("", "")
        self.sides = lattice.sides
        self.first = encode_cell(lattice.first)
        # By the last bit of a cell's number.
        self.kinds = tuple(_build_cell_kind(lattice, labels, name) for name in self._names)

    def decode_cell(self, number: int) -> Cell:
        flat = number >> 1
        x = ((flat + _X_OFFSET) & _X_MASK) - _X_OFFSET
        return Cell(self._names[number & 1], x, (flat - x) >> X_BITS)


@cache
def get_grid(lattice: Lattice, labels: Labels) -> Grid:
    return Grid(lattice, labels)


def _build_cell_kind(lattice: Lattice, labels: Labels, name: str) -> CellKind:
    cell = Cell(name, 0, 0)
    origin = encode_cell(cell)
    corners, sides, across = lattice.get_shape(cell)
    sharing: list[list[Step]] = []
    for site in corners if labels == "corners" else sides:
        steps = []
        for neighbour in lattice.list_cells_at(site):
            if neighbour != cell:
                shape = lattice.get_shape(neighbour)
                place = (shape.corners if labels == "corners" else shape.sides).index(site)
                steps.append((encode_cell(neighbour) - origin, 1 << SITE_BITS * place))
        sharing.append(steps)
    adding = [
        tuple(tuple((offset, mark * weight) for offset, weight in steps) for mark in range(1 << SITE_BITS))
        for steps in sharing
    ]
    far_cells = [lattice.list_cells_at(corners[(side + 2) % len(corners)]) for side in range(len(sides))]
    opposite = tuple(tuple(encode_cell(near) - origin for near in far if near != cell) for far in far_cells)
    points = []
    for neighbour in dict.fromkeys(near for corner in corners for near in lattice.list_cells_at(corner)):
        others = lattice.get_shape(neighbour).corners
        if len(shared := {*others}.intersection(corners)) == 1:
            ((x, y),) = shared
            straight = {(2 * x - corner_x, 2 * y - corner_y) for corner_x, corner_y in corners} == {*others}
            points.append((encode_cell(neighbour) - origin, others.index((x, y)), corners.index((x, y)), straight))
    return CellKind(
        name,
        tuple(encode_cell(near) - origin for near in across),
        tuple(tuple(offset for offset, _ in steps) for steps in sharing),
        tuple(adding),
        opposite,
        tuple(points),
    )
