"""Sprites of tiles on the table or in a hand.

There are hundreds of tiles per size and rotation, but only a few dozen labels. So each label is painted once per
position, and tiles are composed of them in palette numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from PIL import Image, ImageChops

from engine.board.tiles import BOSS, Tile
from render.canvas.cache import PARTS, PIECES
from render.canvas.canvas import Box, Canvas, Sprite, some
from render.canvas.cell_outline import Outline
from render.canvas.palette import palette_of
from render.canvas.pieces import Clipping, Pieces, cuts, pieces
from render.canvas.theme import Theme
from render.faces import Face, Layer, label_layers, sum_layers, tile_layers
from render.table.plain_tile import blank, plate, shadow


@PIECES.kept
def tile_sprite(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool = False) -> Sprite:
    """A tile with these labels, clockwise; `lit` to highlight it."""
    return _sprite(edge, outline, labels, face, lit=lit)


def put_down(canvas: Canvas, edge: int, outline: Outline, labels: Tile, face: Face, x: int, y: int) -> None:
    """Put a tile with its shadow on the table, its top left here. Composed of cached parts, not cached itself."""
    parts = _parts(edge, outline, labels, face).labels
    bare, reach = with_shadow(edge, outline, labels if parts is None else None, face)
    canvas.lay(bare, x - reach, y - reach)
    paste = canvas.image.im.paste
    for part in parts or ():
        left, top, right, bottom = part.box
        paste(part.numbers.im, (x + left, y + top, x + right, y + bottom), part.mask.im)


@PIECES.kept
def with_shadow(edge: int, outline: Outline, labels: Tile | None, face: Face) -> tuple[Pieces, int]:
    """A tile on the table with its shadow (without labels for None), and how far that reaches past the cell's box."""
    thrown, reach = shadow(face.theme, edge, outline)
    sheet = thrown.numbers.copy()
    tile = _bare(edge, outline, face, lit=False) if labels is None else _sprite(edge, outline, labels, face).numbers
    sheet.paste(tile, (reach, reach), _mask(edge, outline))
    return pieces(sheet, _lying_cuts(face.theme, edge, outline)), reach


@PARTS.kept
def _lying_cuts(theme: Theme, edge: int, outline: Outline) -> tuple[Clipping, ...]:
    """The cuts of a tile with its shadow."""
    thrown, reach = shadow(theme, edge, outline)
    full = Image.new("L", thrown.size)
    full.paste(_mask(edge, outline), (reach, reach))
    return cuts(ImageChops.lighter(thrown.numbers, full), full)


@PARTS.kept
def _cuts(edge: int, outline: Outline) -> tuple[Clipping, ...]:
    """The cuts of a tile without its shadow."""
    mask = _mask(edge, outline)
    return cuts(mask, mask)


def _sprite(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool = False) -> Sprite:
    def paint() -> Image.Image:
        return _painted(edge, outline, face, _kind(labels, lit=lit), tile_layers(edge, outline, face, labels))

    numbers = _put_together(edge, outline, labels, face, lit=lit)
    return Sprite(face.theme, paint, _mask(edge, outline), numbers, _cuts(edge, outline))


def _kind(labels: Tile, *, lit: bool) -> str:
    return "ebony" if labels == BOSS else "lit" if lit else "ivory"


def _painted(
    edge: int, outline: Outline, face: Face, kind: str, layers: Iterable[Layer], box: Box | None = None
) -> Image.Image:
    """A tile in true colour, or the part of it in a box."""
    picture = plate(face.theme, edge, outline, kind=kind)[0].crop(box)
    for ink, cover in layers:
        picture.paste(ink, (0, 0), cover.crop(box))
    return picture


class _Label(NamedTuple):
    """The pixels that one label changes on a blank tile."""

    numbers: Image.Image
    mask: Image.Image
    box: Box  # its position on the tile


def _put_together(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool) -> Image.Image | None:
    """The tile in palette numbers; None if two labels share a pixel, where their colours mix."""
    parts = _parts(edge, outline, labels, face, lit=lit).labels
    if parts is None:
        return None
    picture = _bare(edge, outline, face, lit=lit).copy()
    paste = picture.im.paste
    for part in parts:
        paste(part.numbers.im, part.box, part.mask.im)
    return picture


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a tile, which many tiles share."""

    labels: tuple[_Label, ...] | None  # None if two labels share a pixel, where their colours mix


@PIECES.kept
def _parts(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool = False) -> _Parts:
    if labels == BOSS:
        return _Parts(None)
    parts = [_label(edge, outline, face, slot, label, lit=lit) for slot, label in enumerate(labels)]
    if face.signs == "pips" and (middle := _sum(edge, outline, face, labels, lit=lit)):
        parts.append(middle)
    return _Parts(None if any(_touch(one, other) for one, other in combinations(parts, 2)) else tuple(parts))


@PARTS.kept
def _bare(edge: int, outline: Outline, face: Face, *, lit: bool) -> Image.Image:
    return palette_of(face.theme).numbered(_painted(edge, outline, face, "lit" if lit else "ivory", ()))


@PARTS.kept
def _label(edge: int, outline: Outline, face: Face, slot: int, label: int, *, lit: bool) -> _Label:
    return _part(edge, outline, face, label_layers(edge, outline, face, slot, label), lit=lit)


def _sum(edge: int, outline: Outline, face: Face, labels: Tile, *, lit: bool) -> _Label | None:
    """The sum in the middle, drawn once for all tiles with that sum."""
    layers = sum_layers(edge, outline, face, labels)
    return _part(edge, outline, face, layers, lit=lit) if layers else None


def _part(edge: int, outline: Outline, face: Face, layers: list[Layer], *, lit: bool) -> _Label:
    """The pixels that these layers change on a blank tile."""
    cover = layers[0][1]
    for _, more in layers[1:]:
        cover = ImageChops.lighter(cover, more)
    box = cover.getbbox() or (0, 0, 1, 1)
    painted = _painted(edge, outline, face, "lit" if lit else "ivory", layers, box)
    return _Label(palette_of(face.theme).numbered(painted), some(cover.crop(box), 1), box)


def _touch(one: _Label, other: _Label) -> bool:
    """Whether both change the same pixel."""
    left, top = max(one.box[0], other.box[0]), max(one.box[1], other.box[1])
    right, bottom = min(one.box[2], other.box[2]), min(one.box[3], other.box[3])
    if left >= right or top >= bottom:
        return False
    here, there = (
        part.mask.crop((left - part.box[0], top - part.box[1], right - part.box[0], bottom - part.box[1]))
        for part in (one, other)
    )
    return ImageChops.logical_and(here, there).getbbox() is not None


@PARTS.kept
def _mask(edge: int, outline: Outline) -> Image.Image:
    """The paste mask of all tiles."""
    return some(blank(edge, outline), 96)
