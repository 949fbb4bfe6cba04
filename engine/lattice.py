"""Where tiles can lie: cells, their corners and their neighbours (RULES §2)."""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

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
