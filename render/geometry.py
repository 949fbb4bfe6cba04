"""From the lattice to pixels: how large to draw the board, and where each cell lies.

The board is never turned: words name corners as left, top, right, and letters run from top to bottom (docs/decisions).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import sqrt

from engine.board import Placement
from engine.lattice import Cell, Lattice, Site
from render.canvas import Box

EDGES = (16, 20, 26, 32, 38, 46, 54, 62, 70, 78, 86, 94, 104, 114, 124, 136, 150, 168, 190)
"""The edges tiles are drawn with, in pixels: few, so that drawn tiles fit again; even, so that halves are whole."""

Frame = tuple[float, float, float, float]
"""Left, top, right, bottom in half edges across and rows down."""


@cache
def rise(edge: int) -> int:
    """The height of a triangle with this edge, in whole pixels: every cell then lies on whole pixels."""
    return round(edge * sqrt(3) / 2)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a cell is drawn. Slots are its corners as seen: left, middle (the point), right."""

    x: int
    y: int
    up: bool
    slots: tuple[int, int, int]
    """Which corner of the cell is seen in each slot."""


@lru_cache(maxsize=16384)
def _spot(corners: tuple[Site, ...]) -> tuple[int, int, bool, tuple[int, int, int]]:
    """Left in half edges, top in rows, whether the point is up, and the slots."""
    seen = [(2 * x + y, -y) for x, y in corners]
    left = min(u for u, _ in seen)
    top = min(v for _, v in seen)
    slots = sorted(range(3), key=lambda corner: seen[corner][0])
    return left, top, sum(v == top for _, v in seen) == 1, (slots[0], slots[1], slots[2])


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to draw a board: the edge of a tile, and the pixel where the origin comes to lie."""

    lattice: Lattice
    edge: int
    x: int
    y: int

    @property
    def rise(self) -> int:
        """The height of a tile."""
        return rise(self.edge)

    def spot(self, cell: Cell) -> Spot:
        """Where a cell is drawn."""
        left, top, up, slots = _spot(self.lattice.shape(cell).corners)
        return Spot(self.x + left * self.edge // 2, self.y + top * self.rise, up, slots)

    def point(self, site: Site) -> tuple[int, int]:
        """The pixel of a corner."""
        x, y = site
        return self.x + (2 * x + y) * self.edge // 2, self.y - y * self.rise


def _frame(lattice: Lattice, cells: Iterable[Cell], less: float = 0) -> Frame:
    """What the cells cover; `less` leaves out that share of each cell on every side."""
    spots = [_spot(lattice.shape(cell).corners) for cell in cells]
    if not spots:
        return 0, 0, 2, 1
    return (
        min(spot[0] for spot in spots) + 2 * less,
        min(spot[1] for spot in spots) + less,
        max(spot[0] for spot in spots) + 2 - 2 * less,
        max(spot[1] for spot in spots) + 1 - less,
    )


def _join(one: Frame, other: Frame) -> Frame:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _edge(frame: Frame, width: int, height: int) -> int:
    """The largest edge with which the frame fits; the smallest there is when none does."""
    across, down = frame[2] - frame[0], frame[3] - frame[1]
    fits = [edge for edge in EDGES if across * edge / 2 <= width and down * rise(edge) <= height]
    return fits[-1] if fits else EDGES[0]


def lay_out(
    lattice: Lattice, tiles: Sequence[Placement], open_cells: Iterable[Cell], dead: Iterable[Cell], area: Box
) -> Layout:
    """Fit tiles, open cells and the middles of dead cells into an area, centred, as large as they go."""
    frame = _frame(lattice, [*(placement.cell for placement in tiles), *open_cells])
    dead = tuple(dead)
    if dead:
        frame = _join(frame, _frame(lattice, dead, less=0.3))
    left, top, right, bottom = area
    edge = _edge(frame, right - left, bottom - top)
    middle_x = (frame[0] + frame[2]) * edge / 4
    middle_y = (frame[1] + frame[3]) * rise(edge) / 2
    return Layout(lattice, edge, round((left + right) / 2 - middle_x), round((top + bottom) / 2 - middle_y))
