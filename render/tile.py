"""A tile as it lies on the table or stands in a hand, and how it looks dim or as a ghost.

There are hundreds of tiles of a size, turned every way, and a few dozen labels. So each label is painted once, in its
place on a tile, and tiles are put together from them in palette numbers.
"""

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from PIL import Image, ImageChops

from engine.tiles import BOSS, Tile
from render.blank import blank, plate
from render.canvas import Box, Sprite, some
from render.faces import Face, Layer, field_layers, label_fields, label_sign, sign_layers
from render.kept import PARTS, PIECES
from render.outline import Outline
from render.palette import DIM, numbered, veil
from render.rings import RING, ring
from render.theme import THEME, Colour


@PIECES.kept
def tile_sprite(edge: int, outline: Outline, labels: Tile, face: Face, colour: Colour | None = None) -> Sprite:
    """A tile that shows these labels, clockwise; with a ring in a colour when it is one to look at."""

    def paint() -> Image.Image:
        fields, signs = field_layers(edge, outline, face, labels), sign_layers(edge, outline, face, labels)
        return _painted(edge, outline, fields, colour, signs)

    together = _put_together(edge, outline, labels, face, colour)
    return Sprite(paint, _mask(edge, outline, ringed=colour is not None), together)


def _painted(
    edge: int,
    outline: Outline,
    fields: Iterable[Layer],
    colour: Colour | None,
    signs: Iterable[Layer],
    box: Box | None = None,
) -> Image.Image:
    """A tile in true colour, or the part of it in a box. Signs come last: a ring never hides one."""
    picture = plate(edge, outline)[0].crop(box)
    rings = [(colour, ring(edge, outline, RING * edge))] if colour else []
    for ink, cover in (*fields, *rings, *signs):
        picture.paste(ink, (0, 0), cover.crop(box))
    return picture


class _Label(NamedTuple):
    """What one label changes of a tile without any."""

    numbers: Image.Image
    mask: Image.Image
    box: Box
    """Where it is on the tile."""


def _put_together(edge: int, outline: Outline, labels: Tile, face: Face, colour: Colour | None) -> Image.Image | None:
    """The tile in palette numbers; None where two labels share a pixel, in which their colours mix."""
    if labels == BOSS:
        return None
    parts = [_label(edge, outline, face, slot, label, colour) for slot, label in enumerate(labels)]
    if any(_touch(one, other) for one, other in combinations(parts, 2)):
        return None
    picture = _bare(edge, outline, colour).copy()
    for part in parts:
        picture.paste(part.numbers, part.box, part.mask)
    return picture


@PARTS.kept
def _bare(edge: int, outline: Outline, colour: Colour | None) -> Image.Image:
    """A tile without labels."""
    return numbered(_painted(edge, outline, (), colour, ()))


@PARTS.kept
def _label(edge: int, outline: Outline, face: Face, slot: int, label: int, colour: Colour | None) -> _Label:
    fields, sign = label_fields(edge, outline, face, slot, label), label_sign(edge, outline, face, slot, label)
    cover = sign[1]
    for _, field in fields:
        cover = ImageChops.lighter(cover, field)
    box = cover.getbbox() or (0, 0, 1, 1)
    return _Label(numbered(_painted(edge, outline, fields, colour, (sign,), box)), some(cover.crop(box), 1), box)


def _touch(one: _Label, other: _Label) -> bool:
    """Whether there is a pixel that both change."""
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
def _mask(edge: int, outline: Outline, *, ringed: bool) -> Image.Image:
    """Where a tile is pasted: all of them share it. A ring reaches a little further than the tile."""
    whole = blank(edge, outline)
    return some(ImageChops.lighter(whole, ring(edge, outline, RING * edge)) if ringed else whole)


@PIECES.kept
def dim(edge: int, outline: Outline, labels: Tile, face: Face) -> Sprite:
    """A tile of a hand that fits nowhere now."""
    return tile_sprite(edge, outline, labels, face).changed(lambda: veil(THEME.panel, DIM), THEME.panel, DIM)
