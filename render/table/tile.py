"""Sprites of tiles on the table or in a hand.

There are hundreds of tiles per size and rotation, but only a few dozen labels. So each label is painted once per
position, and tiles are composed of them in palette numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from PIL import Image, ImageChops, ImageFilter

from engine.board.tiles import BOSS, Tile
from render.canvas.cache import COMPOSITION_CACHE, PART_CACHE
from render.canvas.canvas import Box, Canvas, Sprite, colourise, threshold
from render.canvas.cell_outline import Outline
from render.canvas.palette import get_palette
from render.canvas.pieces import CutBox, Pieces, compute_cuts, cut_picture
from render.canvas.theme import Colour, Theme, mix
from render.faces import Face, Layer, build_label_layers, build_sum_layers, build_tile_layers
from render.table.plain_tile import paint_tile_shadow, render_blank_tile, render_tile_plate, render_tile_shadow

GROUND_SHADOW_OFFSET, GROUND_SHADOW_BLUR, GROUND_SHADOW_DEPTH = (0.022, 0.045), 0.02, 0.5
"""The shadow of a tile on a plain ground: offset to the right and down, blur as shares of the edge, and darkness."""


@COMPOSITION_CACHE.memoize
def render_tile(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool = False) -> Sprite:
    """A tile with these labels, clockwise; `lit` to highlight it."""
    return _build_sprite(edge, outline, labels, face, lit=lit)


def paint_tile_with_shadow(
    canvas: Canvas, edge: int, outline: Outline, labels: Tile, face: Face, x: int, y: int
) -> None:
    """Put a tile with its shadow on the table, its top left here. Composed of cached parts, not cached itself.

    In true colours the shadow falls on tiles, too.
    """
    if canvas.is_true_colour:
        paint_tile_shadow(canvas, edge, outline, x, y)
        paste_true_colour_tile(canvas, edge, outline, labels, face, x, y)
        return
    parts = _build_parts(edge, outline, labels, face).labels
    tile_pieces, reach = cut_tile_with_shadow(edge, outline, labels if parts is None else None, face)
    canvas.paste_pieces(tile_pieces, x - reach, y - reach)
    paste = canvas.image.im.paste
    for part in parts or ():
        left, top, right, bottom = part.box
        paste(part.index_image.im, (x + left, y + top, x + right, y + bottom), part.mask.im)


def paste_true_colour_tile(
    canvas: Canvas, edge: int, outline: Outline, labels: Tile, face: Face, x: int, y: int
) -> None:
    tile = render_tile(edge, outline, labels, face).rgb_image
    canvas.image.paste(tile, (x, y), render_blank_tile(edge, outline))


@COMPOSITION_CACHE.memoize
def render_tile_on(
    edge: int, outline: Outline, labels: Tile, face: Face, ground: Colour, *, lit: bool = False, lift: int = 0
) -> Sprite:
    """A tile with smooth edges on a plain ground, with a short shadow that is `lift` pixels longer."""
    tile, kind = render_tile(edge, outline, labels, face, lit=lit), _choose_kind(labels, lit=lit)
    blank = _render_blank_on(face.theme, edge, outline, kind, ground, lift)

    def paint() -> Image.Image:
        picture = blank.rgb_image.copy()
        picture.paste(tile.rgb_image, (0, 0), tile.mask)
        return picture

    numbers = blank.index_image.copy()
    numbers.paste(tile.index_image, (0, 0), tile.mask)
    return Sprite(face.theme, paint, blank.mask, numbers, blank.cuts)


@PART_CACHE.memoize
def _render_blank_on(theme: Theme, edge: int, outline: Outline, kind: str, ground: Colour, lift: int) -> Sprite:
    plate, cover = render_tile_plate(theme, edge, outline, kind=kind)
    right, down = (round(share * edge) + lift // 2 for share in GROUND_SHADOW_OFFSET)
    shadow = Image.new("L", (cover.width + 2 * right, cover.height + 2 * down))
    shadow.paste(cover, (right, down + lift // 2))
    shadow = shadow.filter(ImageFilter.GaussianBlur(GROUND_SHADOW_BLUR * edge))
    picture = colourise(shadow, ground, mix(ground, (0, 0, 0), GROUND_SHADOW_DEPTH))
    picture.paste(plate, (0, 0), cover)
    shadow.paste(255, (0, 0), cover)
    return Sprite(theme, picture, threshold(shadow))


def _choose_kind(labels: Tile, *, lit: bool) -> str:
    return "ebony" if labels == BOSS else "lit" if lit else "ivory"


@COMPOSITION_CACHE.memoize
def cut_tile_with_shadow(edge: int, outline: Outline, labels: Tile | None, face: Face) -> tuple[Pieces, int]:
    """A tile on the table with its shadow (without labels for None), and how far that reaches past the cell's box."""
    thrown, reach = render_tile_shadow(face.theme, edge, outline)
    sheet, cover = thrown.index_image.copy(), render_blank_tile(edge, outline)
    if labels is None:
        tile = _render_true_colour(edge, outline, face, "ivory", ())
    else:
        tile = _build_sprite(edge, outline, labels, face).rgb_image
    # The edges are mixed with the shadow, which makes them smooth.
    mixed = thrown.rgb_image.crop((reach, reach, reach + cover.width, reach + cover.height))
    mixed.paste(tile, (0, 0), cover)
    sheet.paste(get_palette(face.theme).to_index_image(mixed), (reach, reach), threshold(cover, 1))
    return cut_picture(sheet, _compute_shadow_cuts(face.theme, edge, outline)), reach


@PART_CACHE.memoize
def _compute_shadow_cuts(theme: Theme, edge: int, outline: Outline) -> tuple[CutBox, ...]:
    """The boxes into which a tile with its shadow is cut."""
    thrown, reach = render_tile_shadow(theme, edge, outline)
    full = Image.new("L", thrown.size)
    full.paste(_build_mask(edge, outline), (reach, reach))
    return compute_cuts(ImageChops.lighter(thrown.index_image, full), full)


@PART_CACHE.memoize
def _compute_cuts(edge: int, outline: Outline) -> tuple[CutBox, ...]:
    """The boxes into which a tile without its shadow is cut."""
    mask = _build_mask(edge, outline)
    return compute_cuts(mask, mask)


def _build_sprite(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool = False) -> Sprite:
    def paint() -> Image.Image:
        kind = _choose_kind(labels, lit=lit)
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
    """The pixels that a tile covers completely."""
    return threshold(render_blank_tile(edge, outline), 255)
