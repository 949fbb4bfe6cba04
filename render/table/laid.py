"""The tiles on the table and their shadows, without highlights. Each drawing is cached and extended tile by tile.

A played tile never moves, so the next tile is added to the last drawing. The drawing does not depend on its position in
a picture.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.board.board import Placement
from engine.board.lattice import Cell, Lattice, Site
from render.canvas.cache import Cache
from render.canvas.canvas import Box, Canvas, Sprite
from render.canvas.geometry import CellPosition, Layout
from render.canvas.theme import Colour
from render.faces import Face
from render.table.plain_tile import (
    compute_shadow_reach,
    paint_tile_shadow,
    render_brass_ring,
    render_hexagon,
    render_line,
)
from render.table.tile import paint_tile_with_shadow, paste_true_colour_tile, render_tile

CACHE_BYTES: Final = 10 * 1024 * 1024  # bytes of cached drawings; a full table takes about 0.7 MB
MAX_NEW_TILES: Final = 6  # new tiles added to a cached drawing; with more a new one is made


@dataclass(frozen=True, slots=True)
class TilesDrawing:
    """A drawing of some tiles. Only its current owner may add to it."""

    tiles: tuple[Placement, ...]
    layout: Layout  # with the origin of the lattice at the pixel 0, 0
    face: Face
    canvas: Canvas
    left: int  # the canvas's position relative to the origin
    top: int

    @property
    def bytes(self) -> int:
        """The memory it takes. PNG has a byte before every row."""
        return (1 + self.canvas.width) * self.canvas.height


DRAWING_CACHE: Final[Cache[TilesDrawing]] = Cache(CACHE_BYTES)  # recent drawings


def _pop_cached_drawing(layout: Layout, face: Face, tiles: tuple[Placement, ...]) -> TilesDrawing | None:
    """The cached drawing of these tiles, or of all but the last few."""
    for count in range(len(tiles), max(0, len(tiles) - MAX_NEW_TILES), -1):
        key = _build_key(layout, face, count, tiles[count - 1])
        cached = DRAWING_CACHE.pop(key)
        if cached is not None:
            if cached.tiles == tiles[:count]:
                return cached
            DRAWING_CACHE.put(key, cached, cached.bytes)
    return None


def _build_key(layout: Layout, face: Face, count: int, last: Placement) -> tuple[int, Face, int, Placement]:
    """A key that two tables rarely share."""
    return layout.edge, face, count, last


@contextmanager
def open_tiles_drawing(lattice: Lattice, edge: int, face: Face, tiles: tuple[Placement, ...]) -> Iterator[TilesDrawing]:
    """Yield a drawing of these tiles (at least one, in the order of play)."""
    layout = Layout(lattice, edge, 0, 0)
    cached = _pop_cached_drawing(layout, face, tiles)
    drawing = _create_drawing(layout, face, tiles) if cached is None else _extend_drawing(cached, tiles)
    yield drawing
    DRAWING_CACHE.put(_build_key(layout, face, len(tiles), tiles[-1]), drawing, drawing.bytes)


def paint_tiles(canvas: Canvas, layout: Layout, face: Face, tiles: tuple[Placement, ...]) -> None:
    """Draw the tiles with their shadows on the cloth."""
    if canvas.is_true_colour:
        _draw_true_colour_tiles(canvas, layout, face, tiles)
    elif tiles:
        with open_tiles_drawing(layout.lattice, layout.edge, face, tiles) as drawing:
            whole = Sprite(face.theme, drawing.canvas.image, index_image=drawing.canvas.image)
            canvas.paint_shadow(whole, layout.x + drawing.left, layout.y + drawing.top)


def _create_drawing(layout: Layout, face: Face, tiles: tuple[Placement, ...]) -> TilesDrawing:
    left, top, right, bottom = _compute_tiles_box(layout, tiles)
    canvas = Canvas(right - left, bottom - top, face.theme)
    _draw_tiles(canvas, layout, face, tiles, left, top)
    return TilesDrawing(tiles, layout, face, canvas, left, top)


def _draw_tiles(canvas: Canvas, layout: Layout, face: Face, tiles: Sequence[Placement], left: int, top: int) -> None:
    for placement in tiles:
        spot = layout.locate_cell(placement.cell)
        paint_tile_with_shadow(
            canvas, layout.edge, spot.outline, placement.shown_labels, face, spot.x - left, spot.y - top
        )


def _draw_true_colour_tiles(canvas: Canvas, layout: Layout, face: Face, tiles: Sequence[Placement]) -> None:
    """The same in true colour. Shadows come first, so that they do not fall on tiles."""
    spots = [layout.locate_cell(placement.cell) for placement in tiles]
    for spot in spots:
        paint_tile_shadow(canvas, layout.edge, spot.outline, spot.x, spot.y)
    for placement, spot in zip(tiles, spots, strict=True):
        paste_true_colour_tile(canvas, layout.edge, spot.outline, placement.shown_labels, face, spot.x, spot.y)


def _extend_drawing(drawing: TilesDrawing, tiles: tuple[Placement, ...]) -> TilesDrawing:
    """The same drawing with further tiles, on a larger canvas if needed."""
    new_tiles = tiles[len(drawing.tiles) :]
    if not new_tiles:
        return drawing
    canvas = drawing.canvas
    old_box = (drawing.left, drawing.top, drawing.left + canvas.width, drawing.top + canvas.height)
    left, top, right, bottom = new_box = _compute_tiles_box(drawing.layout, new_tiles, old_box)
    if new_box != old_box:
        canvas = Canvas(right - left, bottom - top, drawing.face.theme)
        canvas.paste_canvas(drawing.canvas, drawing.left - left, drawing.top - top)
    _draw_tiles(canvas, drawing.layout, drawing.face, new_tiles, left, top)
    return TilesDrawing(tiles, drawing.layout, drawing.face, canvas, left, top)


@lru_cache(maxsize=4096)
def list_nearby_cells(lattice: Lattice, cell: Cell) -> frozenset[Cell]:
    """The cell and all cells that share a corner with it. Shadow and light of a tile reach no further."""
    return frozenset(near for corner in lattice.get_shape(cell).corners for near in lattice.list_cells_at(corner))


def _compute_shadow_box(edge: int, spot: CellPosition) -> Box:
    """The pixels of a tile and its shadow."""
    reach = compute_shadow_reach(edge)
    x, y = spot.x - reach, spot.y - reach
    return x, y, x + edge + 2 * reach, y + spot.outline.compute_height(edge) + 2 * reach


def _compute_tiles_box(layout: Layout, tiles: Sequence[Placement], *boxes_before: Box) -> Box:
    """The pixels of tiles with their shadows, and of `before`."""
    boxes = (_compute_shadow_box(layout.edge, layout.locate_cell(placement.cell)) for placement in tiles)
    lefts, tops, rights, bottoms = zip(*boxes_before, *boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def paint_tile(canvas: Canvas, layout: Layout, tile: Placement, face: Face, *, lit: bool = False) -> None:
    """Stamp a tile in its cell, without a shadow."""
    spot = layout.locate_cell(tile.cell)
    canvas.paste_sprite(render_tile(layout.edge, spot.outline, tile.shown_labels, face, lit=lit), spot.x, spot.y)


def paint_ring(canvas: Canvas, layout: Layout, cell: Cell) -> None:
    """Stamp the brass ring of the last tile around a cell."""
    spot = layout.locate_cell(cell)
    ring, pad = render_brass_ring(canvas.theme, layout.edge, spot.outline)
    canvas.paste_sprite(ring, spot.x - pad, spot.y - pad)


def paint_hexagon(canvas: Canvas, layout: Layout, site: Site, *, newest: bool) -> None:
    """Stamp the outline of a hexagon around a corner."""
    x, y = layout.locate_corner(site)
    line, width = render_hexagon(canvas.theme, layout.edge, layout.row_height, newest=newest)
    canvas.paste_sprite(line, x - layout.edge - width, y - layout.row_height - width)


def draw_rim(canvas: Canvas, layout: Layout, cells: Collection[Cell], colour: Colour, width: int) -> None:
    """Draw a line along the edge of an area of cells."""
    for cell in cells:
        corners, _, neighbours = layout.lattice.get_shape(cell)
        for number, near in enumerate(neighbours):
            if near not in cells:
                ends = layout.locate_corner(corners[number]), layout.locate_corner(corners[(number + 1) % len(corners)])
                (x, y), (to_x, to_y) = sorted(ends, key=lambda point: point[1])
                canvas.paint_shape(colour, min(x, to_x) - width, y - width, render_line, to_x - x, to_y - y, width)
