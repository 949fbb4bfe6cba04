"""A close-up at some cells of a table: in one window if possible, else in several, side by side."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from engine.board.lattice import Cell, Lattice
from engine.board.tiles import format_tile_notation
from engine.match.player_view import Move
from render.canvas import marks
from render.canvas.canvas import Box, Canvas
from render.canvas.geometry import EDGES, Frame, compute_cell_width, compute_frame, compute_row_height
from render.canvas.lettering import Style, draw_fitted_text, draw_text, measure_text
from render.canvas.tokens import render_bridge_stud, render_hexagon_stud
from render.table.cards import format_signed
from render.table.window import Window, build_close_window, clip_frame

CELL_MARGIN = 0.5  # margin around a cell, in cells
TABLE_MARGIN = 0.14  # cloth around the whole table, in cells
GUTTER = 24  # pixels between two windows
COLUMN_COUNTS = (1, 2, 3)  # numbers of windows side by side to try


def find_close_up(
    lattice: Lattice, table_frame: Frame, cells: Iterable[Cell], area: Box, edges: Sequence[int]
) -> Window | None:
    """Show all cells in one window that fills an area, as close as possible; None if the smallest edge does not fit.

    `table_frame` is the frame of the whole table; `edges` are the choices, the largest first.
    """
    part = _compute_frame(lattice, cells, table_frame)
    left, top, right, bottom = area
    for edge in edges:
        width, height = _compute_size(lattice, part, edge)
        if width <= right - left and height <= bottom - top:
            return build_close_window(lattice, part, table_frame, edge, area)
    return None


def build_close_ups(lattice: Lattice, table_frame: Frame, cells: Iterable[Cell], area: Box, edge: int) -> list[Window]:
    """Show all cells in several windows of this edge, in rows from the top of an area, possibly past its bottom.

    Each row fills the width and is as high as its highest window. Of several arrangements, the one with the fewest
    windows within the area is taken, else the lowest one.
    """
    left, top, right, bottom = area
    width, cells = right - left, tuple(cells)

    def pack_windows(columns: int, height: int) -> _WindowRows:
        most = (width - GUTTER * (columns - 1)) // columns
        groups = _split_cells(lattice, table_frame, cells, edge, most, height)
        sizes = {group: _compute_size(lattice, _compute_frame(lattice, group, table_frame), edge) for group in groups}
        return _WindowRows(sizes, _arrange_rows(sorted(groups, key=lambda group: -sizes[group][1]), sizes, width))

    heights = [(bottom - top) * share // 4 for share in (4, 3, 2)]
    arrangements = [pack_windows(columns, high) for columns in COLUMN_COUNTS for high in heights]
    best = min(arrangements, key=lambda one: (max(0, one.height - (bottom - top)), len(one.sizes), one.height))
    windows, y = [], top
    for row in best.rows:
        high = max(best.sizes[group][1] for group in row)
        # All windows share the remaining width equally.
        more = (width - sum(best.sizes[group][0] for group in row) - GUTTER * (len(row) - 1)) // len(row)
        x = left
        for number, group in enumerate(row):
            end = right if number == len(row) - 1 else x + best.sizes[group][0] + more
            part = _compute_frame(lattice, group, table_frame)
            windows.append(build_close_window(lattice, part, table_frame, edge, (x, y, end, y + high)))
            x = end + GUTTER
        y += high + GUTTER
    return windows


@dataclass(frozen=True, slots=True)
class _WindowRows:
    """Groups of cells in rows, with the width and height of each."""

    sizes: dict[tuple[Cell, ...], tuple[int, int]]
    rows: list[list[tuple[Cell, ...]]]

    @property
    def height(self) -> int:
        return sum(max(self.sizes[group][1] for group in row) + GUTTER for row in self.rows) - GUTTER


def pad_frame(lattice: Lattice, table_frame: Frame) -> Frame:
    """The frame of a table with a little cloth around it."""
    left, top, right, bottom = table_frame
    width = TABLE_MARGIN * compute_cell_width(lattice)
    return left - width, top - TABLE_MARGIN, right + width, bottom + TABLE_MARGIN


def list_edges(smallest: int, largest: int) -> tuple[int, ...]:
    """The edges for a close-up, the largest first: every second one, so that drawings are reused."""
    return tuple(edge for edge in reversed(EDGES) if smallest <= edge <= largest)[::-1][::2][::-1]


def _compute_frame(lattice: Lattice, cells: Iterable[Cell], table_frame: Frame) -> Frame:
    """The frame of cells with a margin, limited to the table."""
    return clip_frame(compute_frame(lattice, cells, inset=-CELL_MARGIN), table_frame)


def _compute_size(lattice: Lattice, part: Frame, edge: int) -> tuple[int, int]:
    width = (part[2] - part[0]) * edge / compute_cell_width(lattice)
    height = (part[3] - part[1]) * compute_row_height(lattice, edge)
    return round(width + 0.5), round(height + 0.5)


def _split_cells(
    lattice: Lattice, table_frame: Frame, cells: tuple[Cell, ...], edge: int, width: int, height: int
) -> list[tuple[Cell, ...]]:
    """Cells in groups that fit. A group that does not fit is cut across its longer side at the widest gap."""
    part = _compute_frame(lattice, cells, table_frame)
    size = _compute_size(lattice, part, edge)
    if len(cells) == 1 or (size[0] <= width and size[1] <= height):
        return [cells]
    # The side that is relatively too long.
    side = 0 if size[0] * height > size[1] * width else 1
    ordered = sorted(cells, key=lambda cell: compute_frame(lattice, [cell])[side])
    starts = [compute_frame(lattice, [cell])[side] for cell in ordered]
    cut = max(range(1, len(ordered)), key=lambda at: (starts[at] - starts[at - 1], -abs(2 * at - len(ordered))))
    halves = tuple(ordered[:cut]), tuple(ordered[cut:])
    return [group for half in halves for group in _split_cells(lattice, table_frame, half, edge, width, height)]


def _arrange_rows(
    groups: Sequence[tuple[Cell, ...]], sizes: dict[tuple[Cell, ...], tuple[int, int]], width: int
) -> list[list[tuple[Cell, ...]]]:
    """Groups in rows of limited width, each in the first row with room."""
    rows: list[list[tuple[Cell, ...]]] = []
    for group in groups:
        for row in rows:
            if sum(sizes[other][0] + GUTTER for other in row) + sizes[group][0] <= width:
                row.append(group)
                break
        else:
            rows.append([group])
    return rows


PAD: Final = 26
ROW_HEIGHT: Final = 58
TITLE, FOOTER = 34, 32
LETTER, TILE, POINTS = 38, 34, 40
STUD: Final = 36
MIN_ROW_WIDTH: Final = 290  # the least width of a row


def draw_best_places(canvas: Canvas, area: Box, moves: Sequence[Move], title: str, footer: str) -> None:
    """List as many moves as fit, the best first: letter, tile, hexagons and bridges, points."""
    theme = canvas.theme
    left, top, right, bottom = area
    marks.draw_plate(canvas, left, top, right - left, bottom - top)
    room, ground = right - left - 2 * PAD, theme.slot
    draw_fitted_text(canvas, title, left + PAD, top + 52, Style.LOUD, (TITLE,), room, theme.text, ground=ground)
    foot = FOOTER + 28 if footer else 8
    rows = max(1, (bottom - foot - 8 - top - 52) // ROW_HEIGHT)
    columns = 2 if room > 2 * MIN_ROW_WIDTH else 1
    width = (room - (columns - 1) * 2 * PAD) // columns
    scoring = any(move.points for move in moves)
    for number, move in enumerate(islice(_iterate_distinct_moves(moves), rows * columns)):
        x = left + PAD + number // rows * (width + 2 * PAD)
        base = top + 52 + ROW_HEIGHT * (1 + number % rows)
        _draw_row(canvas, move, x, base, width, scoring=scoring, first=number == 0)
    draw_fitted_text(canvas, footer, left + PAD, bottom - 28, Style.TEXT, (FOOTER,), room, theme.quiet, ground=ground)


def _draw_row(canvas: Canvas, move: Move, x: int, base: int, width: int, *, scoring: bool, first: bool) -> None:
    theme, ground, end = canvas.theme, canvas.theme.slot, x + width
    draw_text(canvas, move.letter, x, base, Style.LOUD, LETTER, theme.accent, ground=ground)
    x += max(48, measure_text(move.letter, Style.LOUD, LETTER) + 14)
    tile = format_tile_notation(move.placement.tile)
    x += draw_text(canvas, tile, x, base, Style.TEXT, TILE, theme.text, ground=ground)
    if scoring:
        colour, points = theme.accent if first else theme.text, format_signed(move.points)
        end -= draw_text(canvas, points, end, base, Style.LOUD, POINTS, colour, ground=ground, side="right")
    for made, stud in ((move.hexagons, render_hexagon_stud), (move.bridge, render_bridge_stud)):
        if made and end - STUD - 10 > x + 8:
            end -= STUD + 10
            canvas.paste_sprite(stud(theme, STUD), end, base - 31)


def _iterate_distinct_moves(moves: Sequence[Move]) -> Iterator[Move]:
    """The best move of each tile at each place."""
    known = set()
    for move in moves:
        key = move.letter, move.placement.tile
        if key not in known:
            known.add(key)
            yield move
