"""Where tiles can lie: cells, their corners and their neighbours (RULES §2); how tiles fit together there; and the same
cells as small numbers.

In `Grid` a step from a cell to one beside it is an addition, the same all over the plane. What surrounds a cell is
worked out once for each kind: triangles that point up, triangles that point down, squares.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple

Site = tuple[int, ...]
"""Where a label can lie: a corner (x, y), shared by six triangles or four squares, or a side (x, y, number), shared by
two cells. Labels lie on sites, not on tiles."""


class Cell(NamedTuple):
    """One place for one tile. `kind` is "U" (point up) or "D" (point down), and nothing for a square."""

    kind: str
    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.kind}{self.x},{self.y}"


class Shape(NamedTuple):
    """What surrounds a cell: its corners clockwise, its sides (i runs from corner i to i+1), the cell across each."""

    corners: tuple[Site, ...]
    sides: tuple[Site, ...]
    across: tuple[Cell, ...]


class Lattice:
    """A tiling of the plane. Shapes and rings are worked out once and kept."""

    def __init__(
        self,
        name: str,
        *,
        sides: int,
        full: int,
        first: Cell,
        shape: Callable[[Cell], Shape],
        around: Callable[[Site], tuple[Cell, ...]],
        cell: re.Pattern[str],
        order: Callable[[Cell], tuple[int, int, int]],
    ) -> None:
        self.name = name
        self.sides = sides
        self.full = full
        """How many cells meet at a corner: six triangles make a hexagon."""
        self.first = first
        """The cell of the opening tile."""
        self.order = order
        """A key that sorts cells as one reads: top to bottom, left to right."""
        self.shape = cache(shape)
        """The corners, sides and neighbours of a cell."""
        self.corners_of = cache(lambda cell: self.shape(cell).corners)
        self.sides_of = cache(lambda cell: self.shape(cell).sides)
        self.around = cache(around)
        """The cells that meet at a site: those around a corner, or the two that share a side."""
        self._cell = cell

    def parse_cell(self, text: str) -> Cell:
        """Read `U0,0` or `D-1,2`. Raises ValueError when it is no cell of this lattice."""
        match = self._cell.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"{text!r} is no cell; write it like {self.first}")
        return Cell(match["kind"].upper(), int(match["x"]), int(match["y"]))


def _triangle(cell: Cell) -> Shape:
    kind, x, y = cell
    if kind == "U":
        return Shape(
            corners=((x, y), (x, y + 1), (x + 1, y)),
            sides=((x, y, 0), (x, y, 1), (x, y, 2)),
            across=(Cell("D", x - 1, y), Cell("D", x, y), Cell("D", x, y - 1)),
        )
    # Every side belongs to one triangle that points up, and is called after it.
    return Shape(
        corners=((x, y + 1), (x + 1, y + 1), (x + 1, y)),
        sides=((x, y + 1, 2), (x + 1, y, 0), (x, y, 1)),
        across=(Cell("U", x, y + 1), Cell("U", x + 1, y), Cell("U", x, y)),
    )


def _triangles_at(site: Site) -> tuple[Cell, ...]:
    x, y, *side = site
    if side:
        up = Cell("U", x, y)
        return up, _triangle(up).across[side[0]]
    return (
        Cell("U", x, y),
        Cell("U", x - 1, y),
        Cell("U", x, y - 1),
        Cell("D", x - 1, y),
        Cell("D", x - 1, y - 1),
        Cell("D", x, y - 1),
    )


def _square(cell: Cell) -> Shape:
    _, x, y = cell
    # A side is called after the cell that it is the bottom (0) or the left side (1) of.
    return Shape(
        corners=((x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)),
        sides=((x, y + 1, 0), (x + 1, y, 1), (x, y, 0), (x, y, 1)),
        across=(Cell("", x, y + 1), Cell("", x + 1, y), Cell("", x, y - 1), Cell("", x - 1, y)),
    )


def _squares_at(site: Site) -> tuple[Cell, ...]:
    x, y, *side = site
    here = Cell("", x, y)
    if side:
        return here, Cell("", x, y - 1) if side[0] == 0 else Cell("", x - 1, y)
    return here, Cell("", x - 1, y), Cell("", x, y - 1), Cell("", x - 1, y - 1)


# Six digits bound what a forged place can make the numbers do.
_AT = r"(?P<x>-?\d{1,6}),(?P<y>-?\d{1,6})"

TRIANGLES = Lattice(
    "triangles",
    sides=3,
    full=6,
    first=Cell("U", 0, 0),
    shape=_triangle,
    around=_triangles_at,
    cell=re.compile(r"(?P<kind>[UDud])" + _AT, re.ASCII),
    # Twice x plus y grows to the right at half a tile a step.
    order=lambda cell: (-cell.y, 2 * cell.x + cell.y, cell.kind == "D"),
)

SQUARES = Lattice(
    "squares",
    sides=4,
    full=4,
    first=Cell("", 0, 0),
    shape=_square,
    around=_squares_at,
    cell=re.compile("(?P<kind>)" + _AT, re.ASCII),
    order=lambda cell: (-cell.y, cell.x, 0),
)

LATTICES = {lattice.name: lattice for lattice in (TRIANGLES, SQUARES)}


Labels = Literal["corners", "sides"]
"""Where the labels of a tile lie."""

CornerOrder = Literal["any", "collinear", "mirror"]
"""In which order the two numbers beside a corner must meet those of the tile on the other side of the point."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How tiles go together on a table."""

    labels: Labels = "corners"
    fives: bool = False
    """Numbers that meet add up to a multiple of five, instead of being equal."""
    free: bool = False
    """The labels of a tile have no fixed order."""
    wild_stands: int | None = None
    """The number that a wild label counts as once it lies; None leaves it wild."""
    within: Callable[[Cell], bool] | None = None
    """Says which cells there are, on a board with an edge."""


@dataclass(frozen=True, slots=True)
class TrailFit(Fit):
    """How tiles go together on a trail, where each goes next to the one before it (RULES §5)."""

    everywhere: bool = False
    """A tile may also go next to any older tile."""
    older_sides: bool = True
    """Sides against older tiles must agree too."""
    corner_plays: CornerOrder | None = None
    """Whether, and how, a tile may touch the last one from corner to corner."""


@lru_cache(maxsize=64)
def cells_within(lattice: Lattice, fit: Fit) -> frozenset[Cell]:
    """The cells of a board with an edge, all those that can be walked to from the first; none where it has no edge."""
    if fit.within is None:
        return frozenset()
    found, ahead = {lattice.first}, [lattice.first]
    while ahead:
        beside = [near for near in lattice.shape(ahead.pop()).across if near not in found and fit.within(near)]
        found.update(beside)
        ahead += beside
    return frozenset(found)


BITS: Final = 21
"""The bits of a number that tell how far right a cell is: more than the six digits that a place is written with."""
DIGIT: Final = 4
"""The bits that one site takes in what a cell demands: no label is above nine."""

_MIDDLE = 1 << (BITS - 1)
_RIGHT = (1 << BITS) - 1


def number_of(cell: Cell) -> int:
    """The number of a cell."""
    kind, x, y = cell
    return ((y << BITS) + x) * 2 + (kind == "D")


Step = tuple[int, int]
"""The way to a cell that shares a site, and what a label there adds to all that this cell demands."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What surrounds every cell of a kind."""

    name: str
    across: tuple[int, ...]
    """The steps to the cells across its sides, clockwise."""
    sharing: tuple[tuple[int, ...], ...]
    """By place: the steps to the other cells that meet at its site, five at the corner of a triangle, one at a side."""
    adding: tuple[tuple[tuple[Step, ...], ...], ...]
    """By place and mark: the same with what that mark adds to the demand of each."""
    opposite: tuple[tuple[int, ...], ...]
    """By side: the steps to the other cells around the corner opposite, in triangles."""
    points: tuple[tuple[int, int, int, bool], ...]
    """The cells that share one point with it: the step, the corner of that cell and of this one which meet, and whether
    the two cells lie straight across the point."""


class Grid:
    """A lattice in numbers, with labels on its corners or on its sides."""

    __slots__ = ("_names", "first", "kinds", "sides")

    def __init__(self, lattice: Lattice, labels: Labels) -> None:
        self._names = ("U", "D") if lattice.sides == 3 else ("", "")
        self.sides = lattice.sides
        self.first = number_of(lattice.first)
        self.kinds = tuple(_kind(lattice, labels, name) for name in self._names)
        """What surrounds a cell, by the last bit of its number."""

    def cell(self, number: int) -> Cell:
        """The cell with this number."""
        flat = number >> 1
        x = ((flat + _MIDDLE) & _RIGHT) - _MIDDLE
        return Cell(self._names[number & 1], x, (flat - x) >> BITS)


@cache
def grid_of(lattice: Lattice, labels: Labels) -> Grid:
    """The grid of a lattice, one for all tables."""
    return Grid(lattice, labels)


def _kind(lattice: Lattice, labels: Labels, name: str) -> Kind:
    here = Cell(name, 0, 0)
    zero = number_of(here)
    corners, sides, across = lattice.shape(here)
    sharing: list[list[Step]] = []
    for site in corners if labels == "corners" else sides:
        steps = []
        for near in lattice.around(site):
            if near != here:
                shape = lattice.shape(near)
                place = (shape.corners if labels == "corners" else shape.sides).index(site)
                steps.append((number_of(near) - zero, 1 << DIGIT * place))
        sharing.append(steps)
    adding = [
        tuple(tuple((offset, mark * weight) for offset, weight in steps) for mark in range(1 << DIGIT))
        for steps in sharing
    ]
    opposite = tuple(
        tuple(number_of(near) - zero for near in lattice.around(corners[(side + 2) % len(corners)]) if near != here)
        for side in range(len(sides))
    )
    points = []
    for near in dict.fromkeys(near for corner in corners for near in lattice.around(corner)):
        others = lattice.shape(near).corners
        if len(shared := {*others}.intersection(corners)) == 1:
            ((x, y),) = shared
            straight = {(2 * x - right, 2 * y - up) for right, up in corners} == {*others}
            points.append((number_of(near) - zero, others.index((x, y)), corners.index((x, y)), straight))
    return Kind(
        name,
        tuple(number_of(near) - zero for near in across),
        tuple(tuple(offset for offset, _ in steps) for steps in sharing),
        tuple(adding),
        opposite,
        tuple(points),
    )
