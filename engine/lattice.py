"""Where tiles can lie: cells, their corners and their neighbours (RULES §2)."""

import re
from collections.abc import Callable
from typing import NamedTuple

Site = tuple[int, int]
"""A corner of the lattice, shared by six triangles. Labels lie on sites, not on tiles."""


class Cell(NamedTuple):
    """One place for one tile. `kind` is "U" (point up) or "D" (point down)."""

    kind: str
    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.kind}{self.x},{self.y}"


class Shape(NamedTuple):
    """What surrounds a cell: its corners clockwise, and the cell across side i (from corner i to i+1)."""

    corners: tuple[Site, ...]
    across: tuple[Cell, ...]


class Lattice:
    """A tiling of the plane. Shapes are worked out once per cell and kept."""

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
    ) -> None:
        self.name = name
        self.sides = sides
        self.full = full
        """How many cells meet at a corner: six triangles make a hexagon."""
        self.first = first
        """The cell of the opening tile."""
        self.around = around
        """The cells that meet at a corner."""
        self._shape = shape
        self._shapes: dict[Cell, Shape] = {}
        self._cell = cell

    def shape(self, cell: Cell) -> Shape:
        """The corners and neighbours of a cell."""
        known = self._shapes.get(cell)
        if known is None:
            known = self._shapes[cell] = self._shape(cell)
        return known

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
            across=(Cell("D", x - 1, y), Cell("D", x, y), Cell("D", x, y - 1)),
        )
    return Shape(
        corners=((x, y + 1), (x + 1, y + 1), (x + 1, y)),
        across=(Cell("U", x, y + 1), Cell("U", x + 1, y), Cell("U", x, y)),
    )


def _hexagon(site: Site) -> tuple[Cell, ...]:
    x, y = site
    return (
        Cell("U", x, y),
        Cell("U", x - 1, y),
        Cell("U", x, y - 1),
        Cell("D", x - 1, y),
        Cell("D", x - 1, y - 1),
        Cell("D", x, y - 1),
    )


TRIANGLES = Lattice(
    "triangles",
    sides=3,
    full=6,
    first=Cell("U", 0, 0),
    shape=_triangle,
    around=_hexagon,
    # Six digits bound what a forged place can make the numbers do.
    cell=re.compile(r"(?P<kind>[UDud])(?P<x>-?\d{1,6}),(?P<y>-?\d{1,6})", re.ASCII),
)

LATTICES = {TRIANGLES.name: TRIANGLES}
