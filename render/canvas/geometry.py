"""Positions of cells in pixels, and the size of a board. Boards are never rotated (docs/decisions)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import sqrt
from typing import NamedTuple

from engine.board.board import Placement
from engine.board.lattice import Cell, Lattice, Site
from render.canvas.canvas import Box
from render.canvas.cell_outline import Outline

EDGES = (
    *(16, 20, 26, 32, 38, 44, 48, 52, 54, 58, 62, 66, 72, 78, 84, 90, 96),
    *(104, 112, 120, 130, 140, 150, 162, 174, 188, 204, 220, 240),
)
"""The edges of tiles in pixels: few, so that drawn tiles can be reused; even, so that halves are whole."""

Frame = tuple[float, float, float, float]
"""Left, top, right, bottom in columns and rows; a square is one column wide, a triangle two."""

OUTLINES = {"U": Outline.UP, "D": Outline.DOWN, "": Outline.SQUARE}
"""The outline for each kind of cell."""


class Spot(NamedTuple):
    """Where a cell is drawn: the top left of its box, and its outline."""

    x: int
    y: int
    outline: Outline


def column(site: Site, sides: int) -> int:
    """The column of a corner relative to the origin; rows of triangles are shifted by half an edge."""
    return 2 * site[0] + site[1] if sides == 3 else site[0]


@lru_cache(maxsize=4096)
def _place(cell: Cell) -> tuple[int, int]:
    """The left column and the top row of a cell."""
    kind, x, y = cell
    return (2 * x + y + (kind == "D") if kind else x), -y - 1


@dataclass(frozen=True)
class Layout:
    """A way to draw a board: the edge of a tile, and the pixel of the origin."""

    lattice: Lattice
    edge: int
    x: int
    y: int

    @cached_property
    def step(self) -> int:
        """The width of a column."""
        return self.edge // across(self.lattice)

    @cached_property
    def row(self) -> int:
        """The height of a row and of a tile."""
        return row_height(self.lattice, self.edge)

    def spot(self, cell: Cell) -> Spot:
        left, top = _place(cell)
        return Spot(self.x + left * self.step, self.y + top * self.row, OUTLINES[cell.kind])

    def point(self, site: Site) -> tuple[int, int]:
        return self.x + column(site, self.lattice.sides) * self.step, self.y - site[1] * self.row

    def box(self, cell: Cell) -> Box:
        left, top = _place(cell)
        x, y = self.x + left * self.step, self.y + top * self.row
        return x, y, x + self.edge, y + self.row


def across(lattice: Lattice) -> int:
    """The width of a cell in columns."""
    return 2 if lattice.sides == 3 else 1


def row_height(lattice: Lattice, edge: int) -> int:
    """The height of a row of cells with this edge."""
    return OUTLINES[lattice.first.kind].height(edge)


def frame(lattice: Lattice, cells: Iterable[Cell], less: float = 0) -> Frame:
    """The frame of cells. `less` leaves out that share of each cell on every side; a negative value adds it."""
    places = [_place(cell) for cell in cells]
    wide = across(lattice)
    if not places:
        return 0, 0, wide, 1
    lefts, tops = zip(*places, strict=True)
    right, bottom = max(lefts) + wide, max(tops) + 1
    return min(lefts) + wide * less, min(tops) + less, right - wide * less, bottom - less


SLOT_INSET = {3: 0.08, 4: 0.1}
"""The inset of an open place's slot on every side, as a share of the edge, by number of sides."""
SLOT_ROUND = {3: 0.11, 4: 0.09}
"""The radius of its corners. Round corners leave the ends of a triangle free, so that tiles can be larger."""


def _left_free(kind: str) -> Frame:
    """The margins of a slot in its cell: left, top, right, bottom, as shares of its box."""
    if not kind:
        return (SLOT_INSET[4],) * 4
    inset, radius = SLOT_INSET[3], SLOT_ROUND[3]
    side, high = (inset + radius) * sqrt(3) - radius, sqrt(3) / 2
    end, base = (2 * (inset + radius) - radius) / high, inset / high
    return (side, end, side, base) if kind == "U" else (side, base, side, end)


LEFT_FREE = {kind: _left_free(kind) for kind in OUTLINES}


def slots_frame(lattice: Lattice, cells: Iterable[Cell]) -> Frame | None:
    """The frame of the slots of open places; None without places."""
    wide, frames = across(lattice), []
    for cell in cells:
        left, top = _place(cell)
        less = LEFT_FREE[cell.kind]
        frames.append((left + wide * less[0], top + less[1], left + wide * (1 - less[2]), top + 1 - less[3]))
    if not frames:
        return None
    lefts, tops, rights, bottoms = zip(*frames, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def union(one: Frame, other: Frame) -> Frame:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def whole(
    lattice: Lattice,
    tiles: Sequence[Placement],
    open_cells: Iterable[Cell],
    dead: Iterable[Cell],
    cells: Iterable[Cell] = (),
) -> Frame:
    """The frame of tiles, slots in open cells, middles of dead cells, and whole `cells`."""
    full = [*(placement.cell for placement in tiles), *cells]
    slots, dead = slots_frame(lattice, open_cells), tuple(dead)
    covered = frame(lattice, full) if full or slots is None else slots
    if slots is not None:
        covered = union(covered, slots)
    return union(covered, frame(lattice, dead, less=0.3)) if dead else covered


def largest_edge(lattice: Lattice, shown: Frame, width: int, height: int) -> int:
    """The largest edge with which the frame fits, else the smallest edge."""
    columns, rows = (shown[2] - shown[0]) / across(lattice), shown[3] - shown[1]
    for edge in reversed(EDGES):
        if columns * edge <= width and rows * row_height(lattice, edge) <= height:
            return edge
    return EDGES[0]


def centred(lattice: Lattice, shown: Frame, edge: int, area: Box) -> Layout:
    """The layout with a frame in the middle of an area."""
    left, top, right, bottom = area
    middle_x = (shown[0] + shown[2]) / 2 * edge / across(lattice)
    middle_y = (shown[1] + shown[3]) / 2 * row_height(lattice, edge)
    return Layout(lattice, edge, round((left + right) / 2 - middle_x), round((top + bottom) / 2 - middle_y))


def lay_out(
    lattice: Lattice, tiles: Sequence[Placement], open_cells: Iterable[Cell], dead: Iterable[Cell], area: Box
) -> Layout:
    """Fit tiles, open cells and the middles of dead cells into an area, centred, as large as possible."""
    shown = whole(lattice, tiles, open_cells, dead)
    left, top, right, bottom = area
    return centred(lattice, shown, largest_edge(lattice, shown, right - left, bottom - top), area)
