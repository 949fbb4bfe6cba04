"""The overview map in a corner of a picture that shows only a part of the table."""

from collections.abc import Collection

from PIL import Image

from engine.board.lattice import Cell, Lattice
from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Box, Canvas, Sprite, soft, some
from render.canvas.cell_outline import Outline
from render.canvas.geometry import Frame, Layout, across, frame, row_height
from render.canvas.theme import Colour, Theme
from render.table.window import Window

SHARE = 0.3  # the greatest share of the window's width and height
PAD = 10
EDGES = (12, 10, 8, 6, 4)  # edges of its tiles
DOT = 7  # size of the dots along a side that cuts the table
AWAY = 14  # distance from the corner of the window


def draw_cuts(canvas: Canvas, window: Window) -> None:
    """Draw a dotted line along every side beyond which the table continues."""
    left, top, right, bottom = window.area
    upright, flat = _dots(canvas.theme, bottom - top, upright=True), _dots(canvas.theme, right - left, upright=False)
    sides = ((upright, left, top), (flat, left, top), (upright, right - DOT, top), (flat, left, bottom - DOT))
    for beyond, (dots, x, y) in zip(window.beyond, sides, strict=True):
        if beyond:
            canvas.stamp(dots, x, y)


@PARTS.kept
def _dots(theme: Theme, length: int, *, upright: bool) -> Sprite:
    line = Image.new("L", (DOT, length) if upright else (length, DOT), 0)
    for step in range(0, length - DOT, 3 * DOT):
        line.paste(marks.dot(DOT), (0, step) if upright else (step, 0))
    return Sprite(theme, soft(line, theme.cloth, theme.quiet), some(line, 96))


def draw_overview(
    canvas: Canvas, window: Window, tiles: Collection[Cell], live: Collection[Cell], last: Cell | None
) -> None:
    """Draw all tiles and a frame around the visible part, in the best corner, unless it hides a live place."""
    lattice = window.layout.lattice
    everything = frame(lattice, [*tiles, *live])
    for edge in EDGES:
        width, height = _size(lattice, everything, edge)
        if width > SHARE * (window.area[2] - window.area[0]) or height > SHARE * (window.area[3] - window.area[1]):
            continue
        hidden, x, y = min(
            (_hides(window, tiles, live, (x, y, x + width, y + height)), x, y)
            for x, y in _corners(window.area, width, height)
        )
        if hidden < len(tiles) + 1:
            _draw(canvas, window, everything, edge, (x, y, x + width, y + height), tiles, live, last)
            return


def _size(lattice: Lattice, everything: Frame, edge: int) -> tuple[int, int]:
    columns, rows = everything[2] - everything[0], everything[3] - everything[1]
    return round(columns * edge / across(lattice)) + 2 * PAD, round(rows * row_height(lattice, edge)) + 2 * PAD


def _corners(area: Box, width: int, height: int) -> list[tuple[int, int]]:
    """The possible positions of the map, the preferred first."""
    left, top, right, bottom = area
    far, low = right - width - AWAY, bottom - height - AWAY
    return [(x, y) for y in (low, top + AWAY) for x in (far, left + AWAY)]


def _hides(window: Window, tiles: Collection[Cell], live: Collection[Cell], box: Box) -> int:
    """How much of the table a map in this box hides. A live place counts more than all tiles."""

    def hidden(cells: Collection[Cell]) -> int:
        boxes = (window.layout.box(cell) for cell in cells)
        return sum(b[2] > box[0] and b[0] < box[2] and b[3] > box[1] and b[1] < box[3] for b in boxes)

    return hidden(tiles) + (len(tiles) + 1) * hidden(live)


def _draw(
    canvas: Canvas, window: Window, everything: Frame, edge: int, box: Box,
    tiles: Collection[Cell], live: Collection[Cell], last: Cell | None,
) -> None:  # fmt: skip
    lattice = window.layout.lattice
    left, top, right, bottom = box
    theme = canvas.theme
    marks.panel(canvas, left, top, right - left, bottom - top)
    x = left + PAD - round(everything[0] * edge / across(lattice))
    y = top + PAD - round(everything[1] * row_height(lattice, edge))
    small = Layout(lattice, edge, x, y)
    for cells, colour in ((tiles, theme.lip), (live, theme.gain), ((last,) if last else (), theme.brass)):
        for cell in cells:
            spot = small.spot(cell)
            canvas.stamp(_speck(theme, edge, spot.outline, colour), spot.x, spot.y)
    # The visible part, at the scale of the map.
    share = edge / window.layout.edge
    across_from = round(small.x + (window.area[0] - window.layout.x) * share)
    down_from = round(small.y + (window.area[1] - window.layout.y) * share)
    wide = round((window.area[2] - window.area[0]) * share)
    high = round((window.area[3] - window.area[1]) * share)
    x, y = max(left + 3, across_from), max(top + 3, down_from)
    width, height = min(right - 3, across_from + wide) - x, min(bottom - 3, down_from + high) - y
    canvas.glaze(theme.text, x, y, marks.slab, width, height, 5, 2)


@PARTS.kept
def _speck(theme: Theme, edge: int, outline: Outline, colour: Colour) -> Sprite:
    cover = marks.little_tile(edge, outline)
    return Sprite(theme, soft(cover, theme.slot, colour), some(cover, 96))
