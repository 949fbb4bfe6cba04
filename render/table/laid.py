"""The tiles on the table and their shadows, without anything said about them: drawn once, then tile by tile.

What is played stays where it is, so the last drawing of a table is kept and the next tile is put down on it. It knows
nothing of the picture around it: a board that is centred anew, or shown in another picture, only moves it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.board.board import Placement
from engine.board.lattice import Cell, Lattice
from render.canvas.cache import Cache
from render.canvas.canvas import Box, Canvas
from render.canvas.geometry import Layout, Spot
from render.faces import Face
from render.table.plain_tile import shadow, shadow_reach
from render.table.tile import put_down, tile_sprite

KEPT: Final = 10 * 1024 * 1024
"""Bytes of drawings that are kept; one of a full table takes about 0.7 MB."""
FEW: Final = 6
"""So many new tiles are added to an old drawing; with more it is drawn anew."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A drawing of some tiles. One at a time has it: whoever does may put more on it."""

    tiles: tuple[Placement, ...]
    layout: Layout
    """With the origin of the lattice at the pixel 0, 0."""
    face: Face
    canvas: Canvas
    left: int
    """Where the canvas begins, seen from the origin."""
    top: int

    @property
    def bytes(self) -> int:
        """The memory it takes: PNG has a byte before every row."""
        return (1 + self.canvas.width) * self.canvas.height


DRAWINGS: Final[Cache[Laid]] = Cache(KEPT)
"""The drawings of late."""


def _nearest(layout: Layout, face: Face, tiles: tuple[Placement, ...]) -> Laid | None:
    """The drawing of these tiles, or of all but the last few."""
    for count in range(len(tiles), max(0, len(tiles) - FEW), -1):
        key = _key(layout, face, count, tiles[count - 1])
        known = DRAWINGS.take(key)
        if known is not None:
            if known.tiles == tiles[:count]:
                return known
            DRAWINGS.keep(key, known, known.bytes)
    return None


def _key(layout: Layout, face: Face, count: int, last: Placement) -> tuple[int, Face, int, Placement]:
    """Two tables seldom have all of these in common."""
    return layout.edge, face, count, last


@contextmanager
def laid_tiles(
    lattice: Lattice, edge: int, face: Face, tiles: tuple[Placement, ...], *, true: bool = False
) -> Iterator[Laid]:
    """These tiles, at least one, in the order of play, for as long as the block lasts: after it others have them.
    `true` as for a canvas: then nothing is kept.
    """
    layout = Layout(lattice, edge, 0, 0)
    if true:
        yield _drawn(layout, face, tiles, true=True)
        return
    known = _nearest(layout, face, tiles)
    drawing = _drawn(layout, face, tiles) if known is None else _more(known, tiles)
    yield drawing
    DRAWINGS.keep(_key(layout, face, len(tiles), tiles[-1]), drawing, drawing.bytes)


def _drawn(layout: Layout, face: Face, tiles: tuple[Placement, ...], *, true: bool = False) -> Laid:
    """All tiles on a new canvas: their shadows first, which never fall on a tile."""
    left, top, right, bottom = _around(layout, tiles)
    canvas = Canvas(right - left, bottom - top, face.theme, true=true)
    if true:
        _painted(canvas, layout, face, tiles, left, top)
    else:
        _lay(canvas, layout, face, tiles, left, top)
    return Laid(tiles, layout, face, canvas, left, top)


def _lay(canvas: Canvas, layout: Layout, face: Face, tiles: Sequence[Placement], left: int, top: int) -> None:
    """Put tiles down."""
    for placement in tiles:
        spot = layout.spot(placement.cell)
        put_down(canvas, layout.edge, spot.outline, placement.shown, face, spot.x - left, spot.y - top)


def _painted(canvas: Canvas, layout: Layout, face: Face, tiles: Sequence[Placement], left: int, top: int) -> None:
    """The same in true colour: shadows come first, and so fall on no tile."""
    spots = [layout.spot(placement.cell) for placement in tiles]
    for spot in spots:
        sprite, reach = shadow(canvas.theme, layout.edge, spot.outline)
        canvas.shade(sprite, spot.x - reach - left, spot.y - reach - top)
    for placement, spot in zip(tiles, spots, strict=True):
        canvas.stamp(tile_sprite(layout.edge, spot.outline, placement.shown, face), spot.x - left, spot.y - top)


def _more(known: Laid, tiles: tuple[Placement, ...]) -> Laid:
    """The same drawing with the tiles that came after it; on a larger canvas where they reach past its edges."""
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
    """The cell, and those it has a corner in common with: no shadow and no light of a tile reaches further."""
    return frozenset(near for corner in lattice.shape(cell).corners for near in lattice.around(corner))


def _shaded(edge: int, spot: Spot) -> Box:
    """The pixels of a tile and its shadow."""
    reach = shadow_reach(edge)
    x, y = spot.x - reach, spot.y - reach
    return x, y, x + edge + 2 * reach, y + spot.outline.height(edge) + 2 * reach


def _around(layout: Layout, tiles: Sequence[Placement], *before: Box) -> Box:
    """The pixels of tiles with their shadows, and of what was there before."""
    boxes = [*before, *(_shaded(layout.edge, layout.spot(placement.cell)) for placement in tiles)]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
