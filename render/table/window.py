"""The part of the table that a picture shows: all of it, or the active part of a large table."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from engine.board.board import Placement
from engine.board.lattice import Cell, Labels, Lattice
from render.canvas.canvas import Box
from render.canvas.geometry import Frame, Layout, across, centred, frame, largest_edge, row_height, whole

COMFORT: dict[Labels, int] = {"corners": 62, "sides": 86}
"""The edge with readable numbers in a picture shown 400 pixels wide."""
LITTLE = 0.4  # columns and rows outside of the picture that may be ignored
BESIDE = 0.6  # margin around the live part, in cells


@dataclass(frozen=True, slots=True)
class Window:
    """A board's layout in an area, and where the table continues outside of it."""

    layout: Layout
    area: Box
    beyond: tuple[bool, bool, bool, bool] = (False, False, False, False)
    """On which sides there is more: left, top, right, bottom."""

    @property
    def cropped(self) -> bool:
        """Whether a part of the table is outside."""
        return any(self.beyond)

    def at_origin(self) -> "Window":
        """The same view on a canvas as large as the area."""
        left, top, right, bottom = self.area
        layout = replace(self.layout, x=self.layout.x - left, y=self.layout.y - top)
        return Window(layout, (0, 0, right - left, bottom - top), self.beyond)

    def shows(self, cell: Cell) -> bool:
        """Whether any of a cell's box is inside."""
        left, top, right, bottom = self.layout.box(cell)
        return right > self.area[0] and left < self.area[2] and bottom > self.area[1] and top < self.area[3]


@dataclass(frozen=True, slots=True)
class Plan:
    """The layout of a picture, without drawing it, to check what is readable."""

    width: int
    height: int
    windows: tuple[Window, ...]  # the windows with readable tiles; none before the first tile
    rack: tuple[int, ...] = ()  # the edges of tiles in visible hands, one per hand


def look(
    lattice: Lattice,
    tiles: Sequence[Placement],
    open_cells: Iterable[Cell],
    dead: Iterable[Cell],
    live: Iterable[Cell],
    area: Box,
    comfort: int,
    cells: Iterable[Cell] = (),
) -> Window:
    """Show all of the table if its numbers are readable, else a part that contains every live cell.

    `comfort` is the edge to aim at; `live` are the cells that must be visible: open places, and the last tile. `cells`
    are shown whole, with or without a tile.
    """
    return look_at(lattice, whole(lattice, tiles, open_cells, dead, cells), tuple(live), area, comfort)


def look_at(lattice: Lattice, everything: Frame, live: Collection[Cell], area: Box, comfort: int) -> Window:
    """The same for a table with a known frame."""
    left, top, right, bottom = area
    edge = largest_edge(lattice, everything, right - left, bottom - top)
    if edge < comfort and live:
        part = inside(frame(lattice, live, less=-BESIDE), everything)
        closer = min(comfort, largest_edge(lattice, part, right - left, bottom - top))
        if closer > edge:
            return near(lattice, part, everything, closer, area)
    return Window(centred(lattice, everything, edge, area), area)


def inside(part: Frame, everything: Frame) -> Frame:
    """The part of a frame that is on the table."""
    left, top, right, bottom = everything
    return max(part[0], left), max(part[1], top), min(part[2], right), min(part[3], bottom)


def near(lattice: Lattice, part: Frame, everything: Frame, edge: int, area: Box) -> Window:
    """A part of the table in the middle, shifted so that no room is wasted."""
    columns = (area[2] - area[0]) * across(lattice) / edge
    rows = (area[3] - area[1]) / row_height(lattice, edge)
    left, right = _slid(part[0], part[2], everything[0], everything[2], columns)
    top, bottom = _slid(part[1], part[3], everything[1], everything[3], rows)
    first, high, last, low = everything
    beyond = (first + LITTLE < left, high + LITTLE < top, right + LITTLE < last, bottom + LITTLE < low)
    return Window(centred(lattice, (left, top, right, bottom), edge, area), area, beyond)


def _slid(start: float, end: float, first: float, last: float, room: float) -> tuple[float, float]:
    """An interval of length `room` around start..end within first..last, or all of that if it fits."""
    if last - first <= room:
        return first, last
    begin = min(max((start + end - room) / 2, first), last - room)
    return begin, begin + room
