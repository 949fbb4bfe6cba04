"""Cells without a tile: a slot with its letter if a tile can go there, else a cross."""

from functools import partial
from typing import Final

from PIL import Image, ImageChops, ImageDraw

from engine.board.board import Placement
from engine.board.lattice import Cell, Labels
from engine.board.tiles import Tile
from render.canvas.cache import PARTS, PIECES
from render.canvas.canvas import Box, Canvas, Sprite, shape, soft, some
from render.canvas.cell_outline import Outline, Point, rounded, shrunk
from render.canvas.geometry import SLOT_INSET, SLOT_ROUND, Layout
from render.canvas.lettering import Style
from render.canvas.lettering import cover as lettered
from render.canvas.palette import GHOST, palette_of
from render.canvas.theme import Colour, Theme
from render.faces import Face
from render.table.plain_tile import blank, ring
from render.table.tile import tile_sprite

LETTER: Final = {3: 0.3, 4: 0.44}
"""Size of a letter by number of sides, as a share of the edge like all lengths. Two letters are smaller."""
TWO: Final = 0.84
LEAST: Final = 28  # the least size of a letter in pixels, if its slot has room, for phones
ROOM: Final = {3: 0.4, 4: 0.6}
ROOM_FOR_TWO: Final = {3: 0.34, 4: 0.46}
TOUCH: Final = 0.085  # radius of the mark on a corner that touches the last tile


@PIECES.kept
def open_place(
    theme: Theme, edge: int, outline: Outline, letter: str, *, loud: bool = False, touch: int | None = None
) -> Sprite:
    """An open place; `loud` if the viewer can fill it. `touch` is the only corner that meets the last tile."""
    if not letter:
        return _painted_place(theme, edge, outline, "", loud=loud, touch=touch)
    bare = open_place(theme, edge, outline, "", loud=loud, touch=touch)
    text = lettered(letter, Style.LOUD, letter_size(edge, outline, letter))
    (x, y), numbers = outline.heart(edge), bare.numbers.copy()
    x, y = x - text.width // 2, y - text.height // 2
    ground = numbers.crop((x, y, x + text.width, y + text.height)).getcolors(1)
    if ground is None:  # it reaches past the plain part of its slot
        return _painted_place(theme, edge, outline, letter, loud=loud, touch=touch)
    numbers.paste(palette_of(theme).numbered(soft(text, theme.slot, theme.accent if loud else theme.quiet)), (x, y))
    whole = partial(_painted_place, theme, edge, outline, letter, loud=loud, touch=touch)
    return Sprite(theme, lambda: whole().rgb, bare.mask, numbers, bare.cuts)


def _painted_place(theme: Theme, edge: int, outline: Outline, letter: str, *, loud: bool, touch: int | None) -> Sprite:
    """The same drawn completely, which takes five times as long."""

    def paint() -> tuple[Image.Image, Image.Image]:
        """The slot and its coverage."""
        cover = _cut(edge, outline)
        picture, both = soft(cover, theme.cloth, theme.slot), cover.copy()
        if theme.outlined or loud:
            line = ImageChops.subtract(cover, _smaller(edge, outline, max(2.0, (0.03 if loud else 0.016) * edge)))
            picture.paste(theme.brass if loud else theme.slot_edge, (0, 0), line)
        else:
            # The thickness of the cloth: dark at the top, bright at the bottom.
            above = ImageChops.subtract(cover, _moved(cover, max(1, round(0.014 * edge))))
            below = ImageChops.subtract(_moved(cover, max(1, round(0.01 * edge))), cover)
            picture.paste(theme.groove, (0, 0), above)
            picture.paste(theme.slot_edge, (0, 0), below)
            both = ImageChops.lighter(both, below)
        if touch is not None:
            picture.paste(theme.brass if loud else theme.quiet, (0, 0), _wedge(edge, outline, touch))
        if letter:
            ink = theme.accent if loud else theme.quiet
            _write(picture, both, outline.heart(edge), letter, letter_size(edge, outline, letter), ink)
        return picture, both

    picture, both = paint()
    # True colours take four times the memory, and only tests need them.
    return Sprite(theme, lambda: paint()[0], some(both, 64), palette_of(theme).numbered(picture))


@PARTS.kept
def _cut(edge: int, outline: Outline) -> Image.Image:

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        points: list[Point] = [(x * scale, y * scale) for x, y in outline.corners(edge)]
        rounded(pen, shrunk(points, SLOT_INSET[outline.sides] * edge * scale), SLOT_ROUND[outline.sides] * edge * scale)

    return shape(edge, outline.height(edge), draw)


def _moved(cover: Image.Image, down: int) -> Image.Image:
    sheet = Image.new("L", cover.size, 0)
    sheet.paste(cover, (0, down))
    return sheet


def letter_size(edge: int, outline: Outline, letter: str) -> int:
    """The size of an open place's letter in pixels."""
    share, room = LETTER[outline.sides], ROOM[outline.sides]
    if len(letter) > 1:
        share, room = share * TWO, ROOM_FOR_TWO[outline.sides]
    return round(max(share * edge, min(LEAST, room * edge)))


def _smaller(edge: int, outline: Outline, by: float) -> Image.Image:
    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        points: list[Point] = [(x * scale, y * scale) for x, y in outline.corners(edge)]
        inner = shrunk(points, (SLOT_INSET[outline.sides] * edge + by) * scale)
        rounded(pen, inner, max(1, (SLOT_ROUND[outline.sides] * edge - by) * scale))

    return shape(edge, outline.height(edge), draw)


def _wedge(edge: int, outline: Outline, corner: int) -> Image.Image:
    # At the round end of the slot.
    x, y = shrunk(outline.corners(edge), (SLOT_INSET[outline.sides] + SLOT_ROUND[outline.sides] / 2) * edge)[corner]
    reach = TOUCH * edge

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        pen.ellipse([v * scale for v in (x - reach, y - reach, x + reach, y + reach)], 255)

    return ImageChops.darker(shape(edge, outline.height(edge), draw), _cut(edge, outline))


@PARTS.kept
def cross(theme: Theme, edge: int) -> Sprite:
    """The small x on a place that no unplayed tile fits."""
    size = max(8, round(0.12 * edge))

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        far, wide = size * scale - 1, round(max(1.6, 0.016 * edge) * scale)
        near = wide // 2
        pen.line((near, near, far - near, far - near), 255, wide)
        pen.line((near, far - near, far - near, near), 255, wide)

    lines = shape(size, size, draw)
    return Sprite(theme, soft(lines, theme.cloth, theme.faint), some(lines))


@PIECES.kept
def ghost(edge: int, outline: Outline, labels: Tile, face: Face) -> Sprite:
    """A tile that is chosen but not played: pale, in brass."""
    theme = face.theme
    picture = tile_sprite(edge, outline, labels, face, lit=True).changed(theme.cloth, 1 - GHOST).rgb.copy()
    line = ring(edge, outline, 0.045 * edge)
    picture.paste(theme.brass, (0, 0), line)
    mask = blank(edge, outline).copy()
    mask.paste(255, (0, 0), line)
    return Sprite(theme, picture, some(mask, 96))


@PIECES.kept
def first(theme: Theme, edge: int, outline: Outline, letter: str) -> Sprite:
    """The first place of a round: a slot with a brass edge and its letter."""
    whole = _cut(edge, outline)
    picture = soft(whole, theme.cloth, theme.slot)
    line = ImageChops.subtract(whole, _smaller(edge, outline, 0.03 * edge))
    picture.paste(theme.brass, (0, 0), line)
    if letter:
        _write(picture, whole.copy(), outline.heart(edge), letter, letter_size(edge, outline, letter), theme.accent)
    return Sprite(theme, picture, some(whole, 96))


def _write(picture: Image.Image, cover: Image.Image, at: tuple[int, int], letter: str, size: int, ink: Colour) -> None:
    """Draw a letter in the middle of a cell, into its picture and its coverage."""
    text = lettered(letter, Style.LOUD, size)
    where = (at[0] - text.width // 2, at[1] - text.height // 2)
    picture.paste(ink, where, text)
    cover.paste(255, where, text)


RADIUS: Final = 0.155  # of the tag, as a share of the edge
LEAST_TAG: Final = 25  # its least radius in pixels, readable on a phone
WRITTEN: Final = 1.3  # size of one letter, as a share of the radius
WRITTEN_TWO: Final = 1.02
LINE: Final = 0.14  # width of its brass line, as a share of the radius
INWARDS: Final = 0.173  # how far a tag at a corner is moved towards the middle, as a share of the distance
OUTWARDS: Final = 0.2  # how far a tag at a side is moved outwards, if no tile is there


def name_place(
    canvas: Canvas, layout: Layout, labels: Labels, chosen: Placement, letter: str, taken: set[Cell], area: Box
) -> None:
    """Stamp the letter on the chosen tile, away from its own numbers and from other tiles."""
    sprite = place_tag(canvas.theme, layout.edge, letter)
    x, y = tag_at(layout, labels, chosen.cell, taken)
    left, top, right, bottom = area
    x = min(max(x - sprite.width // 2, left), right - sprite.width)
    y = min(max(y - sprite.height // 2, top), bottom - sprite.height)
    canvas.stamp(sprite, x, y)


def tag_at(layout: Layout, labels: Labels, cell: Cell, taken: set[Cell]) -> tuple[int, int]:
    """The middle of the tag, away from the numbers: at a side or corner with the fewest tiles, preferably high."""
    sites, _, across = layout.lattice.shape(cell)
    points, spot = [layout.point(site) for site in sites], layout.spot(cell)
    if labels == "corners":
        ends = zip(points, [*points[1:], points[0]], strict=True)
        ways = [((x + to_x) / 2, (y + to_y) / 2) for (x, y), (to_x, to_y) in ends]
        crowd = [int(near in taken) for near in across]
        inwards = [0 if lies else -OUTWARDS for lies in crowd]
    else:
        ways = [(float(x), float(y)) for x, y in points]
        crowd = [sum(near in taken for near in layout.lattice.around(site)) for site in sites]
        inwards = [INWARDS] * len(points)
    heart_x, heart_y = spot.outline.centre(layout.edge)
    middles = [
        (round(x + (spot.x + heart_x - x) * share), round(y + (spot.y + heart_y - y) * share))
        for (x, y), share in zip(ways, inwards, strict=True)
    ]
    number = min(range(len(middles)), key=lambda one: (crowd[one], middles[one][1], -middles[one][0]))
    return middles[number]


@PIECES.kept
def place_tag(theme: Theme, edge: int, letter: str) -> Sprite:
    """A small round slot with its letter."""
    radius = max(LEAST_TAG, round(RADIUS * edge))
    size = 2 * radius
    whole = _disc(size, 0)
    picture = soft(whole, theme.cloth, theme.brass)
    picture.paste(theme.slot, (0, 0), _disc(size, max(2, round(LINE * radius))))
    text = lettered(letter, Style.LOUD, round((WRITTEN if len(letter) == 1 else WRITTEN_TWO) * radius))
    picture.paste(theme.accent, (radius - text.width // 2, radius - text.height // 2), text)
    return Sprite(theme, picture, some(whole, 96))


def _disc(size: int, inset: int) -> Image.Image:

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        pen.ellipse([inset * scale, inset * scale, (size - inset) * scale - 1, (size - inset) * scale - 1], 255)

    return shape(size, size, draw)
