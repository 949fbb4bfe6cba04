"""A small picture of the whole table beside a close-up: own places in brass, and corners around the part in the
close-up.
"""

from collections.abc import Collection, Sequence
from typing import Final

from PIL import Image, ImageDraw

from engine.board.lattice import Cell
from engine.match.player_view import PlayerView
from render.canvas import marks
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Box, Canvas, Sprite, colourise, threshold
from render.canvas.cell_outline import Outline
from render.canvas.geometry import build_centred_layout, choose_edge, compute_cell_width, compute_table_frame
from render.canvas.picture import WIDTH
from render.canvas.theme import Theme
from render.faces import Face
from render.table.board_picture import draw_window
from render.table.window import Window

PAD: Final = 22  # margin around the table
MARK_SHARE: Final = 0.78  # size of the mark on a place, as a share of the edge
CORNER_LENGTH, CORNER_WIDTH = 26, 4  # length and width of the corners


def build_small_window(view: PlayerView, area: Box, fitting_cells: Collection[Cell]) -> Window:
    """The window with the whole table in an area."""
    lattice = view.rules.plane
    table_frame = compute_table_frame(lattice, view.tiles, (), (), fitting_cells)
    left, top, right, bottom = area
    edge = choose_edge(lattice, table_frame, right - left - 2 * PAD, bottom - top - 2 * PAD)
    return Window(build_centred_layout(lattice, table_frame, edge, area), area)


def compute_small_width(view: PlayerView, fitting_cells: Collection[Cell], height: int) -> int:
    """The width of the whole table at this height."""
    lattice = view.rules.plane
    table_frame = compute_table_frame(lattice, view.tiles, (), (), fitting_cells)
    edge = choose_edge(lattice, table_frame, WIDTH, height - 2 * PAD)
    return round((table_frame[2] - table_frame[0]) * edge / compute_cell_width(lattice)) + 2 * PAD


def draw_small_table(
    canvas: Canvas,
    view: PlayerView,
    area: Box,
    face: Face,
    fitting_cells: Collection[Cell],
    close_ups: Sequence[Window],
) -> None:
    """Draw the small table; `close_ups` are the windows of the close-up."""
    window = build_small_window(view, area, fitting_cells)
    draw_window(canvas, view, window, face)
    small = window.layout
    for cell in fitting_cells:
        spot = small.locate_cell(cell)
        speck = _render_place_mark(canvas.theme, small.edge, spot.outline)
        x, y = spot.outline.compute_centre(small.edge)
        middle = spot.outline.compute_centre(speck.width)
        canvas.paste_sprite(speck, round(spot.x + x - middle[0]), round(spot.y + y - middle[1]))
    for other in close_ups:
        share = small.edge / other.layout.edge
        left = small.x + round((other.area[0] - other.layout.x) * share)
        top = small.y + round((other.area[1] - other.layout.y) * share)
        right = left + round((other.area[2] - other.area[0]) * share)
        bottom = top + round((other.area[3] - other.area[1]) * share)
        rim = CORNER_WIDTH + 2
        left, top = max(left, area[0] + rim), max(top, area[1] + rim)
        _draw_corners(canvas, (left, top, min(right, area[2] - rim), min(bottom, area[3] - rim)))


def _draw_corners(canvas: Canvas, box: Box) -> None:
    left, top, right, bottom = box
    size = min(CORNER_LENGTH, (right - left) // 3, (bottom - top) // 3)
    if size < 2 * CORNER_WIDTH:
        return
    places = ((left, top), (right - size, top), (right - size, bottom - size), (left, bottom - size))
    for number, (x, y) in enumerate(places):
        canvas.paste_sprite(_render_corner(canvas.theme, size, number), x, y)


@PART_CACHE.memoize
def _render_corner(theme: Theme, size: int, number: int) -> Sprite:
    """Render one of the four corners, clockwise from the upper left."""
    cover = Image.new("L", (size, size), 0)
    pen = ImageDraw.Draw(cover)
    x, y = (0 if number in (0, 3) else size - CORNER_WIDTH), (0 if number in (0, 1) else size - CORNER_WIDTH)
    pen.rectangle((0, y, size, y + CORNER_WIDTH - 1), fill=255)
    pen.rectangle((x, 0, x + CORNER_WIDTH - 1, size), fill=255)
    return Sprite(theme, colourise(cover, theme.cloth, theme.text), threshold(cover))


@PART_CACHE.memoize
def _render_place_mark(theme: Theme, edge: int, outline: Outline) -> Sprite:
    cover = marks.render_tile_icon(2 * round(MARK_SHARE * edge / 2), outline)
    return Sprite(theme, colourise(cover, theme.cloth, theme.brass), threshold(cover, 110))
