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
from render.canvas.canvas import Box, Canvas
from render.canvas.geometry import Layout, Spot
from render.canvas.theme import Colour
from render.faces import Face
from render.table.plain_tile import brass_ring, hexagon, shadow, shadow_reach, stroke
from render.table.tile import put_down, tile_sprite

KEPT: Final = 10 * 1024 * 1024  # bytes of cached drawings; a full table takes about 0.7 MB
FEW: Final = 6  # new tiles added to a cached drawing; with more a new one is made


@dataclass(frozen=True, slots=True)
class Laid:
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


DRAWINGS: Final[Cache[Laid]] = Cache(KEPT)  # recent drawings


def _nearest(layout: Layout, face: Face, tiles: tuple[Placement, ...]) -> Laid | None:
    """The cached drawing of these tiles, or of all but the last few."""
    for count in range(len(tiles), max(0, len(tiles) - FEW), -1):
        key = _key(layout, face, count, tiles[count - 1])
        known = DRAWINGS.take(key)
        if known is not None:
            if known.tiles == tiles[:count]:
                return known
            DRAWINGS.keep(key, known, known.bytes)
    return None


def _key(layout: Layout, face: Face, count: int, last: Placement) -> tuple[int, Face, int, Placement]:
    """A key that two tables rarely share."""
    return layout.edge, face, count, last


@contextmanager
def laid_tiles(
    lattice: Lattice, edge: int, face: Face, tiles: tuple[Placement, ...], *, true: bool = False
) -> Iterator[Laid]:
    """Yield a drawing of these tiles (at least one, in the order of play). `true`: in 24-bit colour and not cached."""
    layout = Layout(lattice, edge, 0, 0)
    if true:
        yield _drawn(layout, face, tiles, true=True)
        return
    known = _nearest(layout, face, tiles)
    drawing = _drawn(layout, face, tiles) if known is None else _more(known, tiles)
    yield drawing
    DRAWINGS.keep(_key(layout, face, len(tiles), tiles[-1]), drawing, drawing.bytes)


def _drawn(layout: Layout, face: Face, tiles: tuple[Placement, ...], *, true: bool = False) -> Laid:
    left, top, right, bottom = _around(layout, tiles)
    canvas = Canvas(right - left, bottom - top, face.theme, true=true)
    if true:
        _painted(canvas, layout, face, tiles, left, top)
    else:
        _lay(canvas, layout, face, tiles, left, top)
    return Laid(tiles, layout, face, canvas, left, top)


def _lay(canvas: Canvas, layout: Layout, face: Face, tiles: Sequence[Placement], left: int, top: int) -> None:
    for placement in tiles:
        spot = layout.spot(placement.cell)
        put_down(canvas, layout.edge, spot.outline, placement.shown, face, spot.x - left, spot.y - top)


def _painted(canvas: Canvas, layout: Layout, face: Face, tiles: Sequence[Placement], left: int, top: int) -> None:
    """The same in true colour. Shadows come first, so that they do not fall on tiles."""
    spots = [layout.spot(placement.cell) for placement in tiles]
    for spot in spots:
        sprite, reach = shadow(canvas.theme, layout.edge, spot.outline)
        canvas.shade(sprite, spot.x - reach - left, spot.y - reach - top)
    for placement, spot in zip(tiles, spots, strict=True):
        canvas.stamp(tile_sprite(layout.edge, spot.outline, placement.shown, face), spot.x - left, spot.y - top)


def _more(known: Laid, tiles: tuple[Placement, ...]) -> Laid:
    """The same drawing with further tiles, on a larger canvas if needed."""
    more = tiles[len(known.tiles) :]
    if not more:
        return known
    canvas = known.canvas
    before = (known.left, known.top, known.left + canvas.width, known.top + canvas.height)
    left, top, right, bottom = around = _around(known.layout, more, before)
    if around != before:
        canvas = Canvas(right - left, bottom - top, known.face.theme)
        canvas.inset(known.canvas, known.left - left, known.top - top)
    _lay(canvas, known.layout, known.face, more, left, top)
    return Laid(tiles, known.layout, known.face, canvas, left, top)


@lru_cache(maxsize=4096)
def beside(lattice: Lattice, cell: Cell) -> frozenset[Cell]:
    """The cell and all cells that share a corner with it. Shadow and light of a tile reach no further."""
    return frozenset(near for corner in lattice.shape(cell).corners for near in lattice.around(corner))


def _shaded(edge: int, spot: Spot) -> Box:
    """The pixels of a tile and its shadow."""
    reach = shadow_reach(edge)
    x, y = spot.x - reach, spot.y - reach
    return x, y, x + edge + 2 * reach, y + spot.outline.height(edge) + 2 * reach


def _around(layout: Layout, tiles: Sequence[Placement], *before: Box) -> Box:
    """The pixels of tiles with their shadows, and of `before`."""
    boxes = [*before, *(_shaded(layout.edge, layout.spot(placement.cell)) for placement in tiles)]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def stamp_tile(canvas: Canvas, layout: Layout, tile: Placement, face: Face, *, lit: bool = False) -> None:
    """Stamp a tile in its cell, without a shadow."""
    spot = layout.spot(tile.cell)
    canvas.stamp(tile_sprite(layout.edge, spot.outline, tile.shown, face, lit=lit), spot.x, spot.y)


def stamp_ring(canvas: Canvas, layout: Layout, cell: Cell) -> None:
    """Stamp the brass ring of the last tile around a cell."""
    spot = layout.spot(cell)
    ring, pad = brass_ring(canvas.theme, layout.edge, spot.outline)
    canvas.stamp(ring, spot.x - pad, spot.y - pad)


def stamp_hexagon(canvas: Canvas, layout: Layout, site: Site, *, newest: bool) -> None:
    """Stamp the outline of a hexagon around a corner."""
    x, y = layout.point(site)
    line, width = hexagon(canvas.theme, layout.edge, layout.row, newest=newest)
    canvas.stamp(line, x - layout.edge - width, y - layout.row - width)


def draw_rim(canvas: Canvas, layout: Layout, inside: Collection[Cell], colour: Colour, width: int) -> None:
    """Draw a line along the edge of an area of cells."""
    for cell in inside:
        corners, _, beyond = layout.lattice.shape(cell)
        for number, near in enumerate(beyond):
            if near not in inside:
                ends = layout.point(corners[number]), layout.point(corners[(number + 1) % len(corners)])
                (x, y), (to_x, to_y) = sorted(ends, key=lambda point: point[1])
                canvas.glaze(colour, min(x, to_x) - width, y - width, stroke, to_x - x, to_y - y, width)
