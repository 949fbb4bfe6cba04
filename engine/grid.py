"""Cells as small numbers: a step from a cell to one beside it is an addition, the same all over the plane.

So nothing is kept for any cell. What surrounds one is worked out once for each kind: triangles that point up, triangles
that point down, squares.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from engine.fit import Labels
from engine.lattice import Cell, Lattice

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
