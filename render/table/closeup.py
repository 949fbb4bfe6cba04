"""A close look at some cells of a table: in one window if possible, else in several, side by side."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Protocol

from engine.board.lattice import Cell, Lattice
from engine.board.tiles import tile_text
from engine.match.player_view import Move
from render.canvas import marks
from render.canvas.canvas import Box, Canvas
from render.canvas.geometry import EDGES, Frame, across, frame, row_height
from render.canvas.lettering import Style, draw_text, fitted, length
from render.canvas.tokens import bridge_stud, hexagon_stud
from render.table.cards import signed
from render.table.window import Window, inside, near

BESIDE = 0.5  # margin around a cell, in cells
AIR = 0.14  # cloth around the whole table, in cells
GUTTER = 24  # pixels between two windows
COLUMNS = (1, 2, 3)  # numbers of windows side by side to try


def close_up(
    lattice: Lattice, everything: Frame, cells: Iterable[Cell], area: Box, edges: Sequence[int]
) -> Window | None:
    """Show all cells in one window that fills an area, as close as possible; None if the smallest edge does not fit.

    `everything` is the frame of the whole table; `edges` are the choices, the largest first.
    """
    part = _around(lattice, cells, everything)
    left, top, right, bottom = area
    for edge in edges:
        wide, high = _pixels(lattice, part, edge)
        if wide <= right - left and high <= bottom - top:
            return near(lattice, part, everything, edge, area)
    return None


def close_ups(lattice: Lattice, everything: Frame, cells: Iterable[Cell], area: Box, edge: int) -> list[Window]:
    """Show all cells in several windows of this edge, in rows from the top of an area, possibly past its bottom.

    Each row fills the width and is as high as its highest window. Of several arrangements, the one with the fewest
    windows within the area is taken, else the lowest one.
    """
    left, top, right, bottom = area
    wide, cells = right - left, tuple(cells)

    def packed(columns: int, high: int) -> _Rows:
        most = (wide - GUTTER * (columns - 1)) // columns
        groups = _split(lattice, everything, cells, edge, most, high)
        sizes = {group: _pixels(lattice, _around(lattice, group, everything), edge) for group in groups}
        return _Rows(sizes, _rows(sorted(groups, key=lambda group: -sizes[group][1]), sizes, wide))

    highs = [(bottom - top) * share // 4 for share in (4, 3, 2)]
    tried = [packed(columns, high) for columns in COLUMNS for high in highs]
    found = min(tried, key=lambda one: (max(0, one.height - (bottom - top)), len(one.sizes), one.height))
    windows, y = [], top
    for row in found.rows:
        high = max(found.sizes[group][1] for group in row)
        # All windows share the remaining width equally.
        more = (wide - sum(found.sizes[group][0] for group in row) - GUTTER * (len(row) - 1)) // len(row)
        x = left
        for number, group in enumerate(row):
            end = right if number == len(row) - 1 else x + found.sizes[group][0] + more
            part = _around(lattice, group, everything)
            windows.append(near(lattice, part, everything, edge, (x, y, end, y + high)))
            x = end + GUTTER
        y += high + GUTTER
    return windows


@dataclass(frozen=True, slots=True)
class _Rows:
    """Groups of cells in rows, with the width and height of each."""

    sizes: dict[tuple[Cell, ...], tuple[int, int]]
    rows: list[list[tuple[Cell, ...]]]

    @property
    def height(self) -> int:
        return sum(max(self.sizes[group][1] for group in row) + GUTTER for row in self.rows) - GUTTER


def aired(lattice: Lattice, everything: Frame) -> Frame:
    """The frame of a table with a little cloth around it."""
    left, top, right, bottom = everything
    wide = AIR * across(lattice)
    return left - wide, top - AIR, right + wide, bottom + AIR


def edges_between(least: int, most: int) -> tuple[int, ...]:
    """The edges for a close look, the largest first: every second one, so that drawings are reused."""
    return tuple(edge for edge in reversed(EDGES) if least <= edge <= most)[::-1][::2][::-1]


def _around(lattice: Lattice, cells: Iterable[Cell], everything: Frame) -> Frame:
    """The frame of cells with a margin, limited to the table."""
    return inside(frame(lattice, cells, less=-BESIDE), everything)


def _pixels(lattice: Lattice, part: Frame, edge: int) -> tuple[int, int]:
    """The width and height of a part of the table."""
    wide, high = (part[2] - part[0]) * edge / across(lattice), (part[3] - part[1]) * row_height(lattice, edge)
    return round(wide + 0.5), round(high + 0.5)


def _split(
    lattice: Lattice, everything: Frame, cells: tuple[Cell, ...], edge: int, wide: int, high: int
) -> list[tuple[Cell, ...]]:
    """Cells in groups that fit. A group that does not fit is cut across its longer side at the widest gap."""
    part = _around(lattice, cells, everything)
    size = _pixels(lattice, part, edge)
    if len(cells) == 1 or (size[0] <= wide and size[1] <= high):
        return [cells]
    # The side that is relatively too long.
    side = 0 if size[0] * high > size[1] * wide else 1
    ordered = sorted(cells, key=lambda cell: frame(lattice, [cell])[side])
    starts = [frame(lattice, [cell])[side] for cell in ordered]
    cut = max(range(1, len(ordered)), key=lambda at: (starts[at] - starts[at - 1], -abs(2 * at - len(ordered))))
    halves = (_split(lattice, everything, tuple(half), edge, wide, high) for half in (ordered[:cut], ordered[cut:]))
    return [group for half in halves for group in half]


def _rows(
    groups: Sequence[tuple[Cell, ...]], sizes: dict[tuple[Cell, ...], tuple[int, int]], wide: int
) -> list[list[tuple[Cell, ...]]]:
    """Groups in rows of limited width, each in the first row with room."""
    rows: list[list[tuple[Cell, ...]]] = []
    for group in groups:
        for row in rows:
            if sum(sizes[other][0] + GUTTER for other in row) + sizes[group][0] <= wide:
                row.append(group)
                break
        else:
            rows.append([group])
    return rows


PAD: Final = 26
ROW: Final = 58
TITLE, FOOT = 34, 32
LETTER, TILE, POINTS = 38, 34, 40
STUD: Final = 36
LEAST: Final = 290  # the least width of a row


class Said(Protocol):
    """The words of the list."""

    @property
    def best(self) -> str:
        """Its title."""

    @property
    def fitting(self) -> str:
        """Its last line."""


def best_places(canvas: Canvas, area: Box, moves: Sequence[Move], said: Said) -> None:
    """List as many moves as fit, the best first: letter, tile, hexagons and bridges, points."""
    theme = canvas.theme
    left, top, right, bottom = area
    marks.panel(canvas, left, top, right - left, bottom - top)
    room, ground = right - left - 2 * PAD, theme.slot
    title = fitted(said.best, Style.LOUD, TITLE, room)
    draw_text(canvas, title, left + PAD, top + 52, Style.LOUD, TITLE, theme.text, ground=ground)
    foot = FOOT + 28 if said.fitting else 8
    rows = max(1, (bottom - foot - 8 - top - 52) // ROW)
    columns = 2 if room > 2 * LEAST else 1
    wide = (room - (columns - 1) * 2 * PAD) // columns
    scoring = any(move.points for move in moves)
    for number, move in enumerate(islice(_different(moves), rows * columns)):
        x = left + PAD + number // rows * (wide + 2 * PAD)
        _row(canvas, move, x, top + 52 + ROW * (1 + number % rows), wide, scoring=scoring, first=number == 0)
    line = fitted(said.fitting, Style.TEXT, FOOT, room)
    draw_text(canvas, line, left + PAD, bottom - 28, Style.TEXT, FOOT, theme.quiet, ground=ground)


def _row(canvas: Canvas, move: Move, x: int, base: int, wide: int, *, scoring: bool, first: bool) -> None:
    theme, ground, end = canvas.theme, canvas.theme.slot, x + wide
    draw_text(canvas, move.letter, x, base, Style.LOUD, LETTER, theme.accent, ground=ground)
    x += max(48, length(move.letter, Style.LOUD, LETTER) + 14)
    tile = tile_text(move.placement.tile)
    x += draw_text(canvas, tile, x, base, Style.TEXT, TILE, theme.text, ground=ground)
    if scoring:
        colour, points = theme.accent if first else theme.text, signed(move.points)
        end -= draw_text(canvas, points, end, base, Style.LOUD, POINTS, colour, ground=ground, side="right")
    for made, stud in ((move.hexagons, hexagon_stud), (move.bridge, bridge_stud)):
        if made and end - STUD - 10 > x + 8:
            end -= STUD + 10
            canvas.stamp(stud(theme, STUD), end, base - 31)


def _different(moves: Sequence[Move]) -> Iterator[Move]:
    """The best move of each tile at each place."""
    known = set()
    for move in moves:
        key = move.letter, move.placement.tile
        if key not in known:
            known.add(key)
            yield move
