"""Cells without a tile: a slot with its letter if a tile can go there, else a cross."""

from functools import partial
from typing import Final

from PIL import Image, ImageChops, ImageDraw

from engine.board.board import Placement
from engine.board.lattice import Cell, Labels
from engine.board.tiles import Tile
from render.canvas.cache import COMPOSITION_CACHE, PART_CACHE
from render.canvas.canvas import Box, Canvas, Sprite, colourise, render_shape, threshold
from render.canvas.cell_outline import Outline, Point, draw_rounded_polygon, shrink_polygon
from render.canvas.geometry import SLOT_INSET, SLOT_RADIUS, Layout
from render.canvas.lettering import Style
from render.canvas.lettering import render_text as lettered
from render.canvas.palette import PREVIEW_OPACITY, get_palette
from render.canvas.theme import Colour, Theme
from render.faces import Face
from render.table.plain_tile import render_blank_tile, render_ring
from render.table.tile import render_tile

LETTER_SHARE: Final = {3: 0.3, 4: 0.44}
"""Size of a letter by number of sides, as a share of the edge like all lengths. Two letters are smaller."""
TWO_LETTERS_SHARE: Final = 0.84
MIN_LETTER_SIZE: Final = 28  # the least size of a letter in pixels, if its slot has room, for phones
MAX_LETTER_SHARE: Final = {3: 0.4, 4: 0.6}
MAX_TWO_LETTERS_SHARE: Final = {3: 0.34, 4: 0.46}
TOUCH_RADIUS: Final = 0.085  # radius of the mark on a corner that touches the last tile


@COMPOSITION_CACHE.memoize
def render_open_place(
    theme: Theme, edge: int, outline: Outline, letter: str, *, playable: bool = False, touch_corner: int | None = None
) -> Sprite:
    """An open place; `playable` by the viewer. `touch_corner` is the only corner that meets the last tile."""
    if not letter:
        return _render_place(theme, edge, outline, "", playable=playable, touch_corner=touch_corner)
    empty_place = render_open_place(theme, edge, outline, "", playable=playable, touch_corner=touch_corner)
    text = lettered(letter, Style.LOUD, compute_letter_size(edge, outline, letter))
    (x, y), index_image = outline.compute_centre_pixel(edge), empty_place.index_image.copy()
    x, y = x - text.width // 2, y - text.height // 2
    ground = index_image.crop((x, y, x + text.width, y + text.height)).getcolors(1)
    if ground is None:  # the letter does not fit into the part of the slot with one colour
        return _render_place(theme, edge, outline, letter, playable=playable, touch_corner=touch_corner)
    lettering = colourise(text, theme.slot, theme.accent if playable else theme.quiet)
    index_image.paste(get_palette(theme).to_index_image(lettering), (x, y))
    whole = partial(_render_place, theme, edge, outline, letter, playable=playable, touch_corner=touch_corner)
    return Sprite(theme, lambda: whole().rgb_image, empty_place.mask, index_image, empty_place.cuts)


def _render_place(
    theme: Theme, edge: int, outline: Outline, letter: str, *, playable: bool, touch_corner: int | None
) -> Sprite:
    """The same drawn completely, which takes five times as long."""

    def paint() -> tuple[Image.Image, Image.Image]:
        """The slot and its coverage."""
        cover = _render_slot(edge, outline)
        picture, both = colourise(cover, theme.cloth, theme.slot), cover.copy()
        if theme.outlined or playable:
            inner = _render_inner_slot(edge, outline, max(2.0, (0.03 if playable else 0.016) * edge))
            line = ImageChops.subtract(cover, inner)
            picture.paste(theme.brass if playable else theme.slot_edge, (0, 0), line)
        else:
            # The thickness of the cloth: dark at the top, bright at the bottom.
            above = ImageChops.subtract(cover, _shift_down(cover, max(1, round(0.014 * edge))))
            below = ImageChops.subtract(_shift_down(cover, max(1, round(0.01 * edge))), cover)
            picture.paste(theme.groove, (0, 0), above)
            picture.paste(theme.slot_edge, (0, 0), below)
            both = ImageChops.lighter(both, below)
        if touch_corner is not None:
            mark = _render_touch_mark(edge, outline, touch_corner)
            picture.paste(theme.brass if playable else theme.quiet, (0, 0), mark)
        if letter:
            ink = theme.accent if playable else theme.quiet
            _draw_letter(picture, both, edge, outline, letter, ink)
        return picture, both

    picture, both = paint()
    # True colours take four times the memory, and only tests need them.
    return Sprite(theme, lambda: paint()[0], threshold(both, 64), get_palette(theme).to_index_image(picture))


@PART_CACHE.memoize
def _render_slot(edge: int, outline: Outline) -> Image.Image:

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        points: list[Point] = [(x * scale, y * scale) for x, y in outline.compute_corners(edge)]
        core = shrink_polygon(points, SLOT_INSET[outline.sides] * edge * scale)
        draw_rounded_polygon(pen, core, SLOT_RADIUS[outline.sides] * edge * scale)

    return render_shape(edge, outline.compute_height(edge), draw)


def _shift_down(cover: Image.Image, offset: int) -> Image.Image:
    sheet = Image.new("L", cover.size, 0)
    sheet.paste(cover, (0, offset))
    return sheet


def compute_letter_size(edge: int, outline: Outline, letter: str) -> int:
    share, room = LETTER_SHARE[outline.sides], MAX_LETTER_SHARE[outline.sides]
    if len(letter) > 1:
        share, room = share * TWO_LETTERS_SHARE, MAX_TWO_LETTERS_SHARE[outline.sides]
    return round(max(share * edge, min(MIN_LETTER_SIZE, room * edge)))


def _render_inner_slot(edge: int, outline: Outline, inset: float) -> Image.Image:
    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        points: list[Point] = [(x * scale, y * scale) for x, y in outline.compute_corners(edge)]
        inner = shrink_polygon(points, (SLOT_INSET[outline.sides] * edge + inset) * scale)
        draw_rounded_polygon(pen, inner, max(1, (SLOT_RADIUS[outline.sides] * edge - inset) * scale))

    return render_shape(edge, outline.compute_height(edge), draw)


def _render_touch_mark(edge: int, outline: Outline, corner: int) -> Image.Image:
    # At the round end of the slot.
    inset = (SLOT_INSET[outline.sides] + SLOT_RADIUS[outline.sides] / 2) * edge
    x, y = shrink_polygon(outline.compute_corners(edge), inset)[corner]
    reach = TOUCH_RADIUS * edge

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        pen.ellipse([v * scale for v in (x - reach, y - reach, x + reach, y + reach)], 255)

    return ImageChops.darker(render_shape(edge, outline.compute_height(edge), draw), _render_slot(edge, outline))


@PART_CACHE.memoize
def render_dead_mark(theme: Theme, edge: int, *, impossible: bool = False) -> Sprite:
    """The sign on a place that no unplayed tile fits: an x, or a ring with a bar if the set has no such tile."""
    size = max(22, round(0.19 * edge))

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        far, wide = size * scale - 1, round(max(2.4, 0.024 * edge) * scale)
        inset = round((0.22 if impossible else 0.12) * far)
        pen.line((inset, far - inset, far - inset, inset), 255, wide)
        if impossible:
            pen.ellipse((0, 0, far, far), outline=255, width=wide)
        else:
            pen.line((inset, inset, far - inset, far - inset), 255, wide)

    lines = render_shape(size, size, draw)
    return Sprite(theme, colourise(lines, theme.cloth, theme.faint), threshold(lines))


@COMPOSITION_CACHE.memoize
def render_preview_tile(edge: int, outline: Outline, labels: Tile, face: Face) -> Sprite:
    """A tile that is chosen but not played: pale, in brass."""
    theme = face.theme
    tile = render_tile(edge, outline, labels, face, lit=True)
    picture = tile.blend(theme.cloth, 1 - PREVIEW_OPACITY).rgb_image.copy()
    line = render_ring(edge, outline, 0.045 * edge)
    picture.paste(theme.brass, (0, 0), line)
    mask = render_blank_tile(edge, outline).copy()
    mask.paste(255, (0, 0), line)
    return Sprite(theme, picture, threshold(mask, 96))


@COMPOSITION_CACHE.memoize
def render_first_place(theme: Theme, edge: int, outline: Outline, letter: str) -> Sprite:
    """The first place of a round: a slot with a brass edge and its letter."""
    whole = _render_slot(edge, outline)
    picture = colourise(whole, theme.cloth, theme.slot)
    line = ImageChops.subtract(whole, _render_inner_slot(edge, outline, 0.03 * edge))
    picture.paste(theme.brass, (0, 0), line)
    if letter:
        _draw_letter(picture, whole.copy(), edge, outline, letter, theme.accent)
    return Sprite(theme, picture, threshold(whole, 96))


def _draw_letter(
    picture: Image.Image, cover: Image.Image, edge: int, outline: Outline, letter: str, ink: Colour
) -> None:
    """Draw a letter in the middle of a cell, into its picture and its coverage."""
    text = lettered(letter, Style.LOUD, compute_letter_size(edge, outline, letter))
    x, y = outline.compute_centre_pixel(edge)
    top_left = (x - text.width // 2, y - text.height // 2)
    picture.paste(ink, top_left, text)
    cover.paste(255, top_left, text)


TAG_RADIUS: Final = 0.155  # of the tag, as a share of the edge
MIN_TAG_RADIUS: Final = 25  # its least radius in pixels, readable on a phone
TAG_LETTER_SHARE: Final = 1.3  # size of one letter, as a share of the radius
TAG_TWO_LETTERS_SHARE: Final = 1.02
TAG_LINE_WIDTH: Final = 0.14  # width of its brass line, as a share of the radius
TAG_INWARD_SHARE: Final = 0.173  # how far a tag at a corner is moved towards the middle, as a share of the distance
TAG_OUTWARD_SHARE: Final = 0.2  # how far a tag at a side is moved outwards, if no tile is there


def draw_place_tag(
    canvas: Canvas, layout: Layout, labels: Labels, chosen: Placement, letter: str, taken: set[Cell], area: Box
) -> None:
    """Stamp the letter on the chosen tile, away from its own numbers and from other tiles."""
    sprite = render_place_tag(canvas.theme, layout.edge, letter)
    x, y = locate_tag(layout, labels, chosen.cell, taken)
    left, top, right, bottom = area
    x = min(max(x - sprite.width // 2, left), right - sprite.width)
    y = min(max(y - sprite.height // 2, top), bottom - sprite.height)
    canvas.paste_sprite(sprite, x, y)


def locate_tag(layout: Layout, labels: Labels, cell: Cell, taken: set[Cell]) -> tuple[int, int]:
    """The middle of the tag, away from the numbers: at a side or corner with the fewest tiles, preferably high."""
    sites, _, across = layout.lattice.get_shape(cell)
    points, spot = [layout.locate_corner(site) for site in sites], layout.locate_cell(cell)
    if labels == "corners":
        ends = zip(points, [*points[1:], points[0]], strict=True)
        anchors = [((x + to_x) / 2, (y + to_y) / 2) for (x, y), (to_x, to_y) in ends]
        tile_counts = [int(near in taken) for near in across]
        shares = [0 if lies else -TAG_OUTWARD_SHARE for lies in tile_counts]
    else:
        anchors = [(float(x), float(y)) for x, y in points]
        tile_counts = [sum(near in taken for near in layout.lattice.list_cells_at(site)) for site in sites]
        shares = [TAG_INWARD_SHARE] * len(points)
    heart_x, heart_y = spot.outline.compute_centre(layout.edge)
    middles = [
        (round(x + (spot.x + heart_x - x) * share), round(y + (spot.y + heart_y - y) * share))
        for (x, y), share in zip(anchors, shares, strict=True)
    ]
    number = min(range(len(middles)), key=lambda one: (tile_counts[one], middles[one][1], -middles[one][0]))
    return middles[number]


@COMPOSITION_CACHE.memoize
def render_place_tag(theme: Theme, edge: int, letter: str) -> Sprite:
    """A small round slot with its letter."""
    radius = max(MIN_TAG_RADIUS, round(TAG_RADIUS * edge))
    size = 2 * radius
    whole = _render_disc(size, 0)
    picture = colourise(whole, theme.cloth, theme.brass)
    picture.paste(theme.slot, (0, 0), _render_disc(size, max(2, round(TAG_LINE_WIDTH * radius))))
    share = TAG_LETTER_SHARE if len(letter) == 1 else TAG_TWO_LETTERS_SHARE
    text = lettered(letter, Style.LOUD, round(share * radius))
    picture.paste(theme.accent, (radius - text.width // 2, radius - text.height // 2), text)
    return Sprite(theme, picture, threshold(whole, 96))


def _render_disc(size: int, inset: int) -> Image.Image:

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        pen.ellipse([inset * scale, inset * scale, (size - inset) * scale - 1, (size - inset) * scale - 1], 255)

    return render_shape(size, size, draw)
