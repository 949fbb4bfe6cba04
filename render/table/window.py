"""The part of the table that a picture shows: all of it, or the active part of a large table."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from engine.board.lattice import Cell, Labels, Lattice
from render.canvas.canvas import Box
from render.canvas.geometry import (
    Frame,
    Layout,
    build_centred_layout,
    choose_edge,
    compute_cell_width,
    compute_frame,
    compute_row_height,
)

READABLE_EDGE: dict[Labels, int] = {"corners": 62, "sides": 86}
"""The edge with readable numbers in a picture shown 400 pixels wide."""
IGNORED_OVERHANG = 0.4  # columns and rows outside of the picture that may be ignored
LIVE_MARGIN = 0.6  # margin around the live part, in cells


@dataclass(frozen=True, slots=True)
class Window:
    """A board's layout in an area, and where the table continues outside of it."""

    layout: Layout
    area: Box
    continues: tuple[bool, bool, bool, bool] = (False, False, False, False)
    """On which sides there is more: left, top, right, bottom."""

    @property
    def is_cropped(self) -> bool:
        """Whether a part of the table is outside."""
        return any(self.continues)

    def to_origin(self) -> "Window":
        """The same view on a canvas as large as the area."""
        left, top, right, bottom = self.area
        layout = replace(self.layout, x=self.layout.x - left, y=self.layout.y - top)
        return Window(layout, (0, 0, right - left, bottom - top), self.continues)

    def is_cell_visible(self, cell: Cell) -> bool:
        """Whether a part of a cell's box is inside the window."""
        left, top, right, bottom = self.layout.compute_box(cell)
        return right > self.area[0] and left < self.area[2] and bottom > self.area[1] and top < self.area[3]


def build_frame_window(
    lattice: Lattice, table_frame: Frame, live: Collection[Cell], area: Box, target_edge: int
) -> Window:
    """Show all of the table if its numbers are readable, else a part that contains every live cell.

    `target_edge` is the edge to aim at; `live` are the cells that must be visible: open places, and the last tile.
    """
    left, top, right, bottom = area
    edge = choose_edge(lattice, table_frame, right - left, bottom - top)
    if edge < target_edge and live:
        part = clip_frame(compute_frame(lattice, live, inset=-LIVE_MARGIN), table_frame)
        closer = min(target_edge, choose_edge(lattice, part, right - left, bottom - top))
        if closer > edge:
            return build_close_window(lattice, part, table_frame, closer, area)
    return Window(build_centred_layout(lattice, table_frame, edge, area), area)


def clip_frame(part: Frame, table_frame: Frame) -> Frame:
    """The part of a frame that is on the table."""
    left, top, right, bottom = table_frame
    return max(part[0], left), max(part[1], top), min(part[2], right), min(part[3], bottom)


def build_close_window(lattice: Lattice, part: Frame, table_frame: Frame, edge: int, area: Box) -> Window:
    """A part of the table in the middle, shifted so that no room is wasted."""
    columns = (area[2] - area[0]) * compute_cell_width(lattice) / edge
    rows = (area[3] - area[1]) / compute_row_height(lattice, edge)
    left, right = _slide_interval(part[0], part[2], table_frame[0], table_frame[2], columns)
    top, bottom = _slide_interval(part[1], part[3], table_frame[1], table_frame[3], rows)
    first, height, last, low = table_frame
    beyond = (
        first + IGNORED_OVERHANG < left,
        height + IGNORED_OVERHANG < top,
        right + IGNORED_OVERHANG < last,
        bottom + IGNORED_OVERHANG < low,
    )
    return Window(build_centred_layout(lattice, (left, top, right, bottom), edge, area), area, beyond)


def _slide_interval(start: float, end: float, first: float, last: float, room: float) -> tuple[float, float]:
    """An interval of length `room` around start..end within first..last, or all of that if it fits."""
    if last - first <= room:
        return first, last
    begin = min(max((start + end - room) / 2, first), last - room)
    return begin, begin + room
