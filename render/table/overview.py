"""The overview map in a corner of a picture that shows only a part of the table."""

from collections.abc import Collection

from PIL import Image

from engine.board.lattice import Cell, Lattice
from render.canvas import marks
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Box, Canvas, Sprite, colourise, threshold
from render.canvas.cell_outline import Outline
from render.canvas.geometry import Frame, Layout, compute_cell_width, compute_frame, compute_row_height
from render.canvas.theme import Colour, Theme
from render.table.window import Window

MAX_SHARE = 0.3  # the greatest share of the window's width and height
PAD = 10
EDGES = (12, 10, 8, 6, 4)  # edges of its tiles
DOT_SIZE = 7  # size of the dots along a side that cuts the table
CORNER_GAP = 14  # distance from the corner of the window


def draw_cut_sides(canvas: Canvas, window: Window) -> None:
    """Draw a dotted line along every side beyond which the table continues."""
    left, top, right, bottom = window.area
    upright = _render_dotted_line(canvas.theme, bottom - top, upright=True)
    flat = _render_dotted_line(canvas.theme, right - left, upright=False)
    sides = ((upright, left, top), (flat, left, top), (upright, right - DOT_SIZE, top), (flat, left, bottom - DOT_SIZE))
    for beyond, (dots, x, y) in zip(window.continues, sides, strict=True):
        if beyond:
            canvas.paste_sprite(dots, x, y)


@PART_CACHE.memoize
def _render_dotted_line(theme: Theme, length: int, *, upright: bool) -> Sprite:
    line = Image.new("L", (DOT_SIZE, length) if upright else (length, DOT_SIZE), 0)
    for step in range(0, length - DOT_SIZE, 3 * DOT_SIZE):
        line.paste(marks.render_dot(DOT_SIZE), (0, step) if upright else (step, 0))
    return Sprite(theme, colourise(line, theme.cloth, theme.quiet), threshold(line, 96))


def draw_overview(
    canvas: Canvas, window: Window, tiles: Collection[Cell], live: Collection[Cell], last_cell: Cell | None
) -> None:
    """Draw all tiles and a frame around the visible part, in the best corner, unless it hides a live place."""
    lattice, (left, top, right, bottom) = window.layout.lattice, window.area
    table_frame = compute_frame(lattice, [*tiles, *live])
    for edge in EDGES:
        width, height = _compute_size(lattice, table_frame, edge)
        if width > MAX_SHARE * (right - left) or height > MAX_SHARE * (bottom - top):
            continue
        hidden, x, y = min(
            (_compute_hidden(window, tiles, live, (x, y, x + width, y + height)), x, y)
            for x, y in _list_positions(window.area, width, height)
        )
        if hidden < len(tiles) + 1:
            _draw_map(canvas, window, table_frame, edge, (x, y, x + width, y + height), tiles, live, last_cell)
            return


def _compute_size(lattice: Lattice, table_frame: Frame, edge: int) -> tuple[int, int]:
    columns, rows = table_frame[2] - table_frame[0], table_frame[3] - table_frame[1]
    width, height = columns * edge / compute_cell_width(lattice), rows * compute_row_height(lattice, edge)
    return round(width) + 2 * PAD, round(height) + 2 * PAD


def _list_positions(area: Box, width: int, height: int) -> list[tuple[int, int]]:
    """The possible positions of the map, the preferred first."""
    left, top, right, bottom = area
    far, low = right - width - CORNER_GAP, bottom - height - CORNER_GAP
    return [(x, y) for y in (low, top + CORNER_GAP) for x in (far, left + CORNER_GAP)]


def _compute_hidden(window: Window, tiles: Collection[Cell], live: Collection[Cell], box: Box) -> int:
    """How much of the table a map in this box hides. A live place counts more than all tiles."""

    def count_hidden(cells: Collection[Cell]) -> int:
        boxes = (window.layout.compute_box(cell) for cell in cells)
        return sum(b[2] > box[0] and b[0] < box[2] and b[3] > box[1] and b[1] < box[3] for b in boxes)

    return count_hidden(tiles) + (len(tiles) + 1) * count_hidden(live)


def _draw_map(
    canvas: Canvas, window: Window, table_frame: Frame, edge: int, box: Box,
    tiles: Collection[Cell], live: Collection[Cell], last: Cell | None,
) -> None:  # fmt: skip
    lattice = window.layout.lattice
    left, top, right, bottom = box
    theme = canvas.theme
    marks.draw_plate(canvas, left, top, right - left, bottom - top)
    x = left + PAD - round(table_frame[0] * edge / compute_cell_width(lattice))
    y = top + PAD - round(table_frame[1] * compute_row_height(lattice, edge))
    layout = Layout(lattice, edge, x, y)
    for cells, colour in ((tiles, theme.lip), (live, theme.gain), ((last,) if last else (), theme.brass)):
        for cell in cells:
            spot = layout.locate_cell(cell)
            canvas.paste_sprite(_render_cell_mark(theme, edge, spot.outline, colour), spot.x, spot.y)
    # The visible part, at the scale of the map.
    share = edge / window.layout.edge
    visible_left = round(layout.x + (window.area[0] - window.layout.x) * share)
    visible_top = round(layout.y + (window.area[1] - window.layout.y) * share)
    wide = round((window.area[2] - window.area[0]) * share)
    high = round((window.area[3] - window.area[1]) * share)
    x, y = max(left + 3, visible_left), max(top + 3, visible_top)
    width, height = min(right - 3, visible_left + wide) - x, min(bottom - 3, visible_top + high) - y
    canvas.paint_shape(theme.text, x, y, marks.render_rounded_box, width, height, 5, 2)


@PART_CACHE.memoize
def _render_cell_mark(theme: Theme, edge: int, outline: Outline, colour: Colour) -> Sprite:
    cover = marks.render_tile_icon(edge, outline)
    return Sprite(theme, colourise(cover, theme.slot, colour), threshold(cover, 96))
