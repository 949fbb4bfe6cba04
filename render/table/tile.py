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
from render.canvas.cache import COMPOSITION_CACHE, PART_CACHE
from render.canvas.canvas import Box, Canvas, Sprite, threshold
from render.canvas.cell_outline import Outline
from render.canvas.palette import get_palette
from render.canvas.pieces import CutBox, Pieces, compute_cuts, cut_picture
from render.canvas.theme import Theme
from render.faces import Face, Layer, build_label_layers, build_sum_layers, build_tile_layers
from render.table.plain_tile import render_blank_tile, render_tile_plate, render_tile_shadow


@COMPOSITION_CACHE.memoize
def render_tile(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool = False) -> Sprite:
    """A tile with these labels, clockwise; `lit` to highlight it."""
    return _build_sprite(edge, outline, labels, face, lit=lit)


def paint_tile_with_shadow(
    canvas: Canvas, edge: int, outline: Outline, labels: Tile, face: Face, x: int, y: int
) -> None:
    """Put a tile with its shadow on the table, its top left here. Composed of cached parts, not cached itself."""
    parts = _build_parts(edge, outline, labels, face).labels
    tile_pieces, reach = cut_tile_with_shadow(edge, outline, labels if parts is None else None, face)
    canvas.paste_pieces(tile_pieces, x - reach, y - reach)
    paste = canvas.image.im.paste
    for part in parts or ():
        left, top, right, bottom = part.box
        paste(part.index_image.im, (x + left, y + top, x + right, y + bottom), part.mask.im)


@COMPOSITION_CACHE.memoize
def cut_tile_with_shadow(edge: int, outline: Outline, labels: Tile | None, face: Face) -> tuple[Pieces, int]:
    """A tile on the table with its shadow (without labels for None), and how far that reaches past the cell's box."""
    thrown, reach = render_tile_shadow(face.theme, edge, outline)
    sheet = thrown.index_image.copy()
    if labels is None:
        tile = _render_bare_tile(edge, outline, face, lit=False)
    else:
        tile = _build_sprite(edge, outline, labels, face).index_image
    sheet.paste(tile, (reach, reach), _build_mask(edge, outline))
    return cut_picture(sheet, _compute_shadow_cuts(face.theme, edge, outline)), reach


@PART_CACHE.memoize
def _compute_shadow_cuts(theme: Theme, edge: int, outline: Outline) -> tuple[CutBox, ...]:
    """The cuts of a tile with its shadow."""
    thrown, reach = render_tile_shadow(theme, edge, outline)
    full = Image.new("L", thrown.size)
    full.paste(_build_mask(edge, outline), (reach, reach))
    return compute_cuts(ImageChops.lighter(thrown.index_image, full), full)


@PART_CACHE.memoize
def _compute_cuts(edge: int, outline: Outline) -> tuple[CutBox, ...]:
    """The cuts of a tile without its shadow."""
    mask = _build_mask(edge, outline)
    return compute_cuts(mask, mask)


def _build_sprite(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool = False) -> Sprite:
    def paint() -> Image.Image:
        kind = "ebony" if labels == BOSS else "lit" if lit else "ivory"
        return _render_true_colour(edge, outline, face, kind, build_tile_layers(edge, outline, face, labels))

    numbers = _compose_labels(edge, outline, labels, face, lit=lit)
    return Sprite(face.theme, paint, _build_mask(edge, outline), numbers, _compute_cuts(edge, outline))


def _render_true_colour(
    edge: int, outline: Outline, face: Face, kind: str, layers: Iterable[Layer], box: Box | None = None
) -> Image.Image:
    """A tile in true colour, or the part of it in a box."""
    picture = render_tile_plate(face.theme, edge, outline, kind=kind)[0].crop(box)
    for ink, cover in layers:
        picture.paste(ink, (0, 0), cover.crop(box))
    return picture


class _LabelPixels(NamedTuple):
    """The pixels that one label changes on a blank tile."""

    index_image: Image.Image
    mask: Image.Image
    box: Box  # its position on the tile


def _compose_labels(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool) -> Image.Image | None:
    """The tile in palette numbers; None if two labels share a pixel, where their colours mix."""
    parts = _build_parts(edge, outline, labels, face, lit=lit).labels
    if parts is None:
        return None
    picture = _render_bare_tile(edge, outline, face, lit=lit).copy()
    paste = picture.im.paste
    for part in parts:
        paste(part.index_image.im, part.box, part.mask.im)
    return picture


@dataclass(frozen=True, slots=True)
class _TileParts:
    """The parts of a tile, which many tiles share."""

    labels: tuple[_LabelPixels, ...] | None  # None if two labels share a pixel, where their colours mix


@COMPOSITION_CACHE.memoize
def _build_parts(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool = False) -> _TileParts:
    if labels == BOSS:
        return _TileParts(None)
    parts = [_build_label(edge, outline, face, slot, label, lit=lit) for slot, label in enumerate(labels)]
    if sum_layers := build_sum_layers(edge, outline, face, labels):
        parts.append(_build_label_pixels(edge, outline, face, sum_layers, lit=lit))
    return _TileParts(None if any(_has_overlap(one, other) for one, other in combinations(parts, 2)) else tuple(parts))


@PART_CACHE.memoize
def _render_bare_tile(edge: int, outline: Outline, face: Face, *, lit: bool) -> Image.Image:
    picture = _render_true_colour(edge, outline, face, "lit" if lit else "ivory", ())
    return get_palette(face.theme).to_index_image(picture)


@PART_CACHE.memoize
def _build_label(edge: int, outline: Outline, face: Face, slot: int, label: int, *, lit: bool) -> _LabelPixels:
    return _build_label_pixels(edge, outline, face, build_label_layers(edge, outline, face, slot, label), lit=lit)


def _build_label_pixels(edge: int, outline: Outline, face: Face, layers: list[Layer], *, lit: bool) -> _LabelPixels:
    """The pixels that these layers change on a blank tile."""
    cover = layers[0][1]
    for _, more in layers[1:]:
        cover = ImageChops.lighter(cover, more)
    box = cover.getbbox() or (0, 0, 1, 1)
    painted = _render_true_colour(edge, outline, face, "lit" if lit else "ivory", layers, box)
    return _LabelPixels(get_palette(face.theme).to_index_image(painted), threshold(cover.crop(box), 1), box)


def _has_overlap(one: _LabelPixels, other: _LabelPixels) -> bool:
    """Whether both change the same pixel."""
    left, top = max(one.box[0], other.box[0]), max(one.box[1], other.box[1])
    right, bottom = min(one.box[2], other.box[2]), min(one.box[3], other.box[3])
    if left >= right or top >= bottom:
        return False
    first_mask, second_mask = (
        part.mask.crop((left - part.box[0], top - part.box[1], right - part.box[0], bottom - part.box[1]))
        for part in (one, other)
    )
    return ImageChops.logical_and(first_mask, second_mask).getbbox() is not None


@PART_CACHE.memoize
def _build_mask(edge: int, outline: Outline) -> Image.Image:
    """The paste mask of all tiles."""
    return threshold(render_blank_tile(edge, outline), 96)
