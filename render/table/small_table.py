"""The whole table small beside a close look: own places in brass, and corners around the close-up."""

from collections.abc import Collection, Sequence
from typing import Final

from PIL import Image, ImageDraw

from engine.board.lattice import Cell
from engine.match.player_view import PlayerView
from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Box, Canvas, Sprite, soft, some
from render.canvas.cell_outline import Outline
from render.canvas.geometry import across, centred, largest_edge, whole
from render.canvas.picture import WIDTH
from render.canvas.theme import Theme
from render.faces import Face
from render.table.board_picture import draw_window
from render.table.window import Window

PAD: Final = 22  # margin around the table
SPECK: Final = 0.78  # size of the mark on a place, as a share of the edge
CORNER, LINE = 26, 4  # length and width of the corners


def small_window(seen: PlayerView, area: Box, fits: Collection[Cell]) -> Window:
    """The window with the whole table in an area."""
    lattice = seen.rules.plane
    everything = whole(lattice, seen.tiles, (), (), fits)
    left, top, right, bottom = area
    edge = largest_edge(lattice, everything, right - left - 2 * PAD, bottom - top - 2 * PAD)
    return Window(centred(lattice, everything, edge, area), area)


def small_width(seen: PlayerView, fits: Collection[Cell], high: int) -> int:
    """The width of the whole table at this height."""
    lattice = seen.rules.plane
    everything = whole(lattice, seen.tiles, (), (), fits)
    edge = largest_edge(lattice, everything, WIDTH, high - 2 * PAD)
    return round((everything[2] - everything[0]) * edge / across(lattice)) + 2 * PAD


def draw_small(
    canvas: Canvas, seen: PlayerView, area: Box, face: Face, fits: Collection[Cell], close: Sequence[Window]
) -> None:
    """Draw the small table; `close` are the windows of the close look."""
    window = small_window(seen, area, fits)
    draw_window(canvas, seen, window, face)
    small = window.layout
    for cell in fits:
        spot = small.spot(cell)
        speck = _speck(canvas.theme, small.edge, spot.outline)
        x, y = spot.outline.centre(small.edge)
        middle = spot.outline.centre(speck.width)
        canvas.stamp(speck, round(spot.x + x - middle[0]), round(spot.y + y - middle[1]))
    for other in close:
        share = small.edge / other.layout.edge
        left = small.x + round((other.area[0] - other.layout.x) * share)
        top = small.y + round((other.area[1] - other.layout.y) * share)
        right = left + round((other.area[2] - other.area[0]) * share)
        bottom = top + round((other.area[3] - other.area[1]) * share)
        rim = LINE + 2
        left, top = max(left, area[0] + rim), max(top, area[1] + rim)
        _corners(canvas, (left, top, min(right, area[2] - rim), min(bottom, area[3] - rim)))


def _corners(canvas: Canvas, box: Box) -> None:
    left, top, right, bottom = box
    size = min(CORNER, (right - left) // 3, (bottom - top) // 3)
    if size < 2 * LINE:
        return
    places = ((left, top), (right - size, top), (right - size, bottom - size), (left, bottom - size))
    for number, (x, y) in enumerate(places):
        canvas.stamp(_corner(canvas.theme, size, number), x, y)


@PARTS.kept
def _corner(theme: Theme, size: int, number: int) -> Sprite:
    """One of the four, clockwise from the upper left."""
    cover = Image.new("L", (size, size), 0)
    pen = ImageDraw.Draw(cover)
    x, y = (0 if number in (0, 3) else size - LINE), (0 if number in (0, 1) else size - LINE)
    pen.rectangle((0, y, size, y + LINE - 1), fill=255)
    pen.rectangle((x, 0, x + LINE - 1, size), fill=255)
    return Sprite(theme, soft(cover, theme.cloth, theme.text), some(cover))


@PARTS.kept
def _speck(theme: Theme, edge: int, outline: Outline) -> Sprite:
    cover = marks.little_tile(2 * round(SPECK * edge / 2), outline)
    return Sprite(theme, soft(cover, theme.cloth, theme.brass), some(cover, 110))
