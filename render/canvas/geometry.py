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


class CellPosition(NamedTuple):
    """Where a cell is drawn: the top left of its box, and its outline."""

    x: int
    y: int
    outline: Outline


def compute_column(site: Site, sides: int) -> int:
    """The column of a corner relative to the origin; rows of triangles are shifted by half an edge."""
    return 2 * site[0] + site[1] if sides == 3 else site[0]


@lru_cache(maxsize=4096)
def _compute_top_left(cell: Cell) -> tuple[int, int]:
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
    def column_width(self) -> int:
        return self.edge // compute_cell_width(self.lattice)

    @cached_property
    def row_height(self) -> int:
        return compute_row_height(self.lattice, self.edge)

    def locate_cell(self, cell: Cell) -> CellPosition:
        left, top = _compute_top_left(cell)
        return CellPosition(self.x + left * self.column_width, self.y + top * self.row_height, OUTLINES[cell.kind])

    def locate_corner(self, site: Site) -> tuple[int, int]:
        return self.x + compute_column(site, self.lattice.sides) * self.column_width, self.y - site[1] * self.row_height

    def compute_box(self, cell: Cell) -> Box:
        left, top = _compute_top_left(cell)
        x, y = self.x + left * self.column_width, self.y + top * self.row_height
        return x, y, x + self.edge, y + self.row_height


def compute_cell_width(lattice: Lattice) -> int:
    """The width of a cell in columns."""
    return 2 if lattice.sides == 3 else 1


def compute_row_height(lattice: Lattice, edge: int) -> int:
    return OUTLINES[lattice.first.kind].compute_height(edge)


def compute_frame(lattice: Lattice, cells: Iterable[Cell], inset: float = 0) -> Frame:
    """The frame of cells. `less` leaves out that share of each cell on every side; a negative value adds it."""
    top_lefts = [_compute_top_left(cell) for cell in cells]
    width = compute_cell_width(lattice)
    if not top_lefts:
        return 0, 0, width, 1
    lefts, tops = zip(*top_lefts, strict=True)
    right, bottom = max(lefts) + width, max(tops) + 1
    return min(lefts) + width * inset, min(tops) + inset, right - width * inset, bottom - inset


SLOT_INSET = {3: 0.08, 4: 0.1}
"""The inset of an open place's slot on every side, as a share of the edge, by number of sides."""
SLOT_RADIUS = {3: 0.11, 4: 0.09}
"""The radius of its corners. Round corners leave the ends of a triangle free, so that tiles can be larger."""


def _compute_slot_margins(kind: str) -> Frame:
    """The margins of a slot in its cell: left, top, right, bottom, as shares of its box."""
    if not kind:
        return (SLOT_INSET[4],) * 4
    inset, radius = SLOT_INSET[3], SLOT_RADIUS[3]
    side, height = (inset + radius) * sqrt(3) - radius, sqrt(3) / 2
    end, base = (2 * (inset + radius) - radius) / height, inset / height
    return (side, end, side, base) if kind == "U" else (side, base, side, end)


SLOT_MARGINS = {kind: _compute_slot_margins(kind) for kind in OUTLINES}


def compute_slots_frame(lattice: Lattice, cells: Iterable[Cell]) -> Frame | None:
    """The frame of the slots of open places; None without places."""
    width, frames = compute_cell_width(lattice), []
    for cell in cells:
        left, top = _compute_top_left(cell)
        margins = SLOT_MARGINS[cell.kind]
        frames.append(
            (left + width * margins[0], top + margins[1], left + width * (1 - margins[2]), top + 1 - margins[3])
        )
    if not frames:
        return None
    lefts, tops, rights, bottoms = zip(*frames, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def merge_frames(first: Frame, second: Frame) -> Frame:
    return min(first[0], second[0]), min(first[1], second[1]), max(first[2], second[2]), max(first[3], second[3])


def compute_table_frame(
    lattice: Lattice,
    tiles: Sequence[Placement],
    open_cells: Iterable[Cell],
    dead_cells: Iterable[Cell],
    cells: Iterable[Cell] = (),
) -> Frame:
    """The frame of tiles, slots in open cells, middles of dead cells, and whole `cells`."""
    full = [*(placement.cell for placement in tiles), *cells]
    slots, dead_cells = compute_slots_frame(lattice, open_cells), tuple(dead_cells)
    covered = compute_frame(lattice, full) if full or slots is None else slots
    if slots is not None:
        covered = merge_frames(covered, slots)
    return merge_frames(covered, compute_frame(lattice, dead_cells, inset=0.3)) if dead_cells else covered


def choose_edge(lattice: Lattice, frame: Frame, width: int, height: int) -> int:
    """The largest edge with which the frame fits, else the smallest edge."""
    columns, rows = (frame[2] - frame[0]) / compute_cell_width(lattice), frame[3] - frame[1]
    for edge in reversed(EDGES):
        if columns * edge <= width and rows * compute_row_height(lattice, edge) <= height:
            return edge
    return EDGES[0]


def build_centred_layout(lattice: Lattice, frame: Frame, edge: int, area: Box) -> Layout:
    left, top, right, bottom = area
    middle_x = (frame[0] + frame[2]) / 2 * edge / compute_cell_width(lattice)
    middle_y = (frame[1] + frame[3]) / 2 * compute_row_height(lattice, edge)
    return Layout(lattice, edge, round((left + right) / 2 - middle_x), round((top + bottom) / 2 - middle_y))
