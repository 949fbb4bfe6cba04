"""Cells without a tile: lettered where one can go, crossed where none can, dashed where one is about to."""

from PIL import Image, ImageChops, ImageDraw

from engine.tiles import Tile
from render.blank import blank
from render.canvas import Sprite, shape, soft, some
from render.faces import Face
from render.kept import PARTS, PIECES
from render.lettering import Style
from render.lettering import cover as lettered
from render.marks import slab
from render.outline import Outline
from render.palette import GHOST, numbered, veil
from render.rings import dashed
from render.theme import THEME, Colour
from render.tile import tile_sprite

BADGE = {3: 0.19, 4: 0.25}
"""The radius of a letter's badge by the sides of a cell, as a share of the edge like all lengths here."""
LEAST = 20
"""The radius in pixels below which a badge does not shrink as long as its cell has room: in a picture shown 400 pixels
wide its letter can just be read."""
ROOM = {3: 0.26, 4: 0.42}
"""The radius of the largest badge that its cell has room for."""
LETTER = 1.32
"""The size of a letter, as a share of the badge's radius; two letters are smaller, on a wider badge."""
TWO = 1.12
WIDER = 1.36
HEART = {("corners", 3): 0.12, ("corners", 4): 0.16, ("sides", 3): 0.105, ("sides", 4): 0.16}
"""The radius of a ghost's badge: what its labels leave free in the middle."""
TOUCH = 0.2
"""The radius of the mark on a corner that touches the last tile."""


@PIECES.kept
def open_place(edge: int, outline: Outline, letter: str, *, loud: bool = False, touch: int | None = None) -> Sprite:
    """An open place with its letter; `loud` when it is one's own to fill.

    `touch` is the corner that meets the last tile in a corner-to-corner play.
    """

    def paint() -> tuple[Image.Image, Image.Image]:
        """The place, and what it covers."""
        line = dashed(edge, outline, max(1.6, 0.02 * edge))
        ink = THEME.mint if loud else THEME.faint
        picture = soft(line, THEME.ground, ink)
        both = line.copy()
        if touch is not None:
            wedge = _wedge(edge, outline, touch)
            picture.paste(ink, (0, 0), wedge)
            both.paste(255, (0, 0), wedge)
        if letter:
            radius = round(max(BADGE[outline.sides] * edge, min(LEAST, ROOM[outline.sides] * edge)))
            colours = (THEME.mint, THEME.dark_digit) if loud else (THEME.badge, THEME.white)
            _badge(picture, both, outline.heart(edge), letter, radius, *colours)
        return picture, both

    picture, both = paint()
    # True colours take four times the memory, and only the yardstick asks for them.
    return Sprite(lambda: paint()[0], some(both), numbered(picture))


def _wedge(edge: int, outline: Outline, corner: int) -> Image.Image:
    """The coverage of a corner of a cell."""
    x, y = outline.corners(edge)[corner]
    reach = TOUCH * edge

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        pen.ellipse([v * scale for v in (x - reach, y - reach, x + reach, y + reach)], 255)

    return ImageChops.darker(shape(edge, outline.height(edge), draw), blank(edge, outline))


@PARTS.kept
def cross(edge: int) -> Sprite:
    """The small x on a place that no unplayed tile fits."""
    size = max(8, round(0.16 * edge))

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        far, wide = size * scale - 1, round(max(1.6, 0.022 * edge) * scale)
        near = wide // 2
        pen.line((near, near, far - near, far - near), 255, wide)
        pen.line((near, far - near, far - near, near), 255, wide)

    lines = shape(size, size, draw)
    return Sprite(soft(lines, THEME.ground, THEME.faint), some(lines))


@PIECES.kept
def ghost(edge: int, outline: Outline, labels: Tile, face: Face, letter: str) -> Sprite:
    """A tile that is chosen but not played, with the letter of its place."""
    solid = tile_sprite(edge, outline, labels, face)
    pale = solid.changed(lambda: veil(THEME.ground, 1 - GHOST), THEME.ground, 1 - GHOST)
    line = dashed(edge, outline, 0.05 * edge)
    picture = pale.rgb.copy()
    picture.paste(THEME.gold, (0, 0), line)
    assert solid.mask is not None
    mask = solid.mask.convert("L")
    mask.paste(255, (0, 0), line)
    if letter:
        radius = round(HEART[face.labels, outline.sides] * edge)
        _badge(picture, mask, outline.heart(edge), letter, radius, THEME.gold, THEME.dark_digit)
    return Sprite(picture, some(mask))


@PIECES.kept
def first(edge: int, outline: Outline, letter: str) -> Sprite:
    """The first place of a round: a panel with a dashed gold outline and its letter."""
    whole = blank(edge, outline)
    picture = soft(whole, THEME.ground, THEME.panel)
    picture.paste(THEME.gold, (0, 0), dashed(edge, outline, 4.4))
    if letter:
        radius = round(0.17 * edge)
        _badge(picture, whole.copy(), outline.heart(edge), letter, radius, THEME.gold, THEME.dark_digit)
    return Sprite(picture, some(whole))


def _badge(
    picture: Image.Image, cover: Image.Image, at: tuple[int, int], letter: str, radius: int, colour: Colour, ink: Colour
) -> None:
    """Put a letter on a badge in the middle of a cell: into its picture, and into its coverage."""
    wide = radius if len(letter) == 1 else round(radius * WIDER)
    plate = slab(2 * wide, 2 * radius, radius)
    picture.paste(colour, (at[0] - wide, at[1] - radius), plate)
    cover.paste(255, (at[0] - wide, at[1] - radius), plate)
    text = lettered(letter, Style.LOUD, round(radius * (LETTER if len(letter) == 1 else TWO)))
    picture.paste(ink, (at[0] - text.width // 2, at[1] - text.height // 2), text)
