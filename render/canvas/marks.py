"""Small signs (dots, flag, star) as coverages for any colour, drawn once per size; panels and bars."""

from math import cos, pi, sin
from typing import Final, Literal, NamedTuple

from PIL import Image, ImageDraw

from render.canvas.cache import PARTS, PIECES
from render.canvas.canvas import Canvas, Sprite, inked, shape, soft, some
from render.canvas.cell_outline import Outline, rounded
from render.canvas.pieces import Clipping, cuts
from render.canvas.theme import Colour, Theme
from render.table.plain_tile import thrown


@PARTS.kept
def dot(size: int) -> Image.Image:
    """A filled circle; `size` is its diameter."""
    return shape(size, size, lambda pen, k: pen.ellipse((0, 0, size * k - 1, size * k - 1), 255))


@PARTS.kept
def round_sign(size: int, sign: Literal["won", "tied", "lost"]) -> Image.Image:
    """The result of a round: a full circle, a ring, or a half-filled ring."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        box = (0, 0, size * scale - 1, size * scale - 1)
        if sign == "won":
            pen.ellipse(box, 255)
            return
        if sign == "tied":
            pen.pieslice(box, 90, 270, 255)
        pen.ellipse(box, outline=255, width=3 * scale)

    return shape(size, size, draw)


@PIECES.kept
def slab(width: int, height: int, radius: int, line: int = 0) -> Image.Image:
    """A rectangle with round corners, filled or as an outline."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        box = (0, 0, width * scale - 1, height * scale - 1)
        if line:
            pen.rounded_rectangle(box, radius * scale, outline=255, width=line * scale)
        else:
            pen.rounded_rectangle(box, radius * scale, fill=255)

    return shape(width, height, draw)


class Mask(NamedTuple):
    """A paste mask and its cuts."""

    image: Image.Image
    cuts: tuple[Clipping, ...]


@PARTS.kept
def slab_mask(width: int, height: int) -> Mask:
    """The mask of all plates and panels of a size."""
    mask = some(slab(width, height, RADIUS), 110)
    return Mask(mask, cuts(mask, mask))


@PARTS.kept
def little_tile(edge: int, outline: Outline) -> Image.Image:
    """A tile icon, next to the number of tiles of a seat."""
    points = outline.corners(edge)
    high = outline.height(edge)
    return shape(edge, high, lambda pen, k: rounded(pen, [(x * k, y * k) for x, y in points], 0.12 * edge * k))


@PARTS.kept
def computer(size: int) -> Image.Image:
    """A head with two eyes and an antenna: a computer player."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        unit = size * scale / 20
        pen.rounded_rectangle((1 * unit, 6 * unit, 19 * unit, 19 * unit), 4 * unit, fill=255)
        pen.rectangle((9 * unit, 2 * unit, 11 * unit, 7 * unit), fill=255)
        pen.ellipse((7.6 * unit, 0, 12.4 * unit, 4.8 * unit), fill=255)
        for x in (6.8, 13.2):
            pen.ellipse(((x - 2) * unit, 9.5 * unit, (x + 2) * unit, 13.5 * unit), fill=0)

    return shape(size, size, draw)


@PARTS.kept
def flag(size: int) -> Image.Image:
    """A flag on a pole: this seat has resigned."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        unit = size * scale / 20
        pen.rounded_rectangle((3 * unit, 1 * unit, 5.4 * unit, 20 * unit), 1 * unit, fill=255)
        pen.polygon([(v[0] * unit, v[1] * unit) for v in ((5, 2), (18, 2), (14, 7), (18, 12), (5, 12))], fill=255)

    return shape(size, size, draw)


@PARTS.kept
def star(size: int) -> Image.Image:
    """A star: this seat won."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half = size * scale / 2
        turns = [(pi * i / 5, half * (0.46 if i % 2 else 1.0)) for i in range(10)]
        pen.polygon([(half + reach * sin(turn), half * 1.06 - reach * cos(turn)) for turn, reach in turns], fill=255)

    return shape(size, size, draw)


@PARTS.kept
def tick(size: int) -> Image.Image:
    """A tick: this seat went out with an empty hand, or this try is right."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        unit, wide = size * scale / 20, round(3.2 * size * scale / 20)
        points = [(x * unit, y * unit) for x, y in ((2.5, 10.5), (8, 16), (17.5, 4.5))]
        pen.line(points, 255, wide, joint="curve")
        for x, y in points:
            pen.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), 255)

    return shape(size, size, draw)


@PARTS.kept
def ballot_x(size: int) -> Image.Image:
    """A cross: this try is wrong."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        unit, wide = size * scale / 20, round(3.2 * size * scale / 20)
        near, far = 3.5 * unit, 16.5 * unit
        for line in (((near, near), (far, far)), ((near, far), (far, near))):
            pen.line(line, 255, wide)
            for x, y in line:
                pen.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), 255)

    return shape(size, size, draw)


RADIUS: Final = 20
THICK: Final = 6  # the height of the lip of a raised plate


def panel(canvas: Canvas, x: int, y: int, width: int, height: int, *, lit: bool = False, ringed: bool = False) -> None:
    """Draw a plate: cut into the cloth, or raised ivory if `lit`; with a brass edge if `ringed`."""
    if lit:
        plate_shadow(canvas, x, y, width, height)
    canvas.stamp(plate_sprite(canvas.theme, width, height, lit=lit, ringed=ringed), x, y)


def plate_shadow(canvas: Canvas, x: int, y: int, width: int, height: int) -> None:
    """Draw the shadow of a raised plate."""
    if not canvas.theme.outlined:
        shadow, reach = _below(canvas.theme, width, height)
        canvas.shade(shadow, x - reach, y - reach)


def ground(theme: Theme, *, lit: bool) -> Colour:
    """The ground colour of a plate."""
    return theme.plate if lit else theme.slot


@PIECES.kept
def _below(theme: Theme, width: int, height: int) -> tuple[Sprite, int]:
    return thrown(theme, slab(width, height, RADIUS), 150)


@PIECES.kept
def plate_sprite(theme: Theme, width: int, height: int, *, lit: bool, ringed: bool) -> Sprite:
    """A plate with round corners."""
    whole = slab(width, height, RADIUS)

    def part(top: int, high: int) -> Image.Image:
        sheet = Image.new("L", (width, height), 0)
        sheet.paste(slab(width, high, RADIUS), (0, top))
        return sheet

    def paint() -> Image.Image:
        if lit:
            picture = soft(whole, theme.deep, theme.lip)
            picture.paste(theme.ivory_edge, (0, 0), part(0, height - THICK))
            picture.paste(theme.plate, (0, 0), part(3, height - THICK - 3))
        elif theme.outlined:
            picture = soft(whole, theme.cloth, theme.slot_edge)
            picture.paste(theme.slot, (2, 2), slab(width - 4, height - 4, RADIUS - 2))
        else:
            picture = soft(whole, theme.cloth, theme.slot_edge)
            picture.paste(theme.groove, (0, 0), part(0, height - 2))
            picture.paste(theme.slot, (0, 0), part(3, height - 5))
        if ringed:
            picture.paste(theme.brass_dark, (0, 0), slab(width, height, RADIUS, line=6))
            picture.paste(theme.brass, (1, 1), slab(width - 2, height - 2, RADIUS - 1, line=3))
        return picture

    mask = slab_mask(width, height)
    return Sprite(theme, paint, mask.image, cuts=mask.cuts)


def bar(canvas: Canvas, x: int, y: int, width: int, share: float, colour: Colour, *, lit: bool) -> None:
    """Draw a progress bar: full from 1 on, empty at 0 and below."""
    high, theme = 8, canvas.theme
    under = ground(theme, lit=lit)
    groove = theme.plate_groove if lit else theme.groove
    canvas.stamp(inked(theme, groove, under, slab, width, high, high // 2), x, y)
    done = round(width * min(1.0, max(0.0, share)))
    if done >= high:
        canvas.stamp(inked(theme, colour, under, slab, done, high, high // 2), x, y)


WREATH: Final = 172  # side of the wreath's box
LEAVES: Final = 7  # on either side


@PARTS.kept
def wreath(theme: Theme, size: int) -> Sprite:
    """A laurel wreath in brass, open at the top."""
    bright, dark = _leaves(size, 0), _leaves(size, 1)
    picture = soft(dark, theme.cloth, theme.brass_dark)
    picture.paste(theme.brass, (0, 0), bright)
    both = dark.copy()
    both.paste(255, (0, 0), bright)
    return Sprite(theme, picture, some(both, 110))


def _leaves(size: int, side: int) -> Image.Image:

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half, reach = size * scale / 2, size * scale * 0.395
        for leaf in range(LEAVES):
            # From the bottom up to either side of the gap at the top.
            turn = pi * (0.06 + 0.78 * leaf / (LEAVES - 1))
            for mirror in (-1, 1):
                x, y = half + mirror * reach * sin(turn), half + reach * cos(turn)
                along = turn + pi / 2 + (0.55 if side else -0.55)
                _leaf(pen, x, y, mirror, along, size * scale * (0.2 - 0.01 * leaf))

    return shape(size, size, draw)


def _leaf(pen: ImageDraw.ImageDraw, x: float, y: float, mirror: int, along: float, long: float) -> None:
    dx, dy = mirror * sin(along), cos(along)
    outline: list[tuple[float, float]] = []
    for side, steps in ((1, range(25)), (-1, range(24, -1, -1))):
        for part in (step / 24 for step in steps):
            wide = side * long * 0.24 * sin(pi * part) ** 0.8
            outline.append((x + dx * long * part - dy * wide, y + dy * long * part + dx * wide))
    pen.polygon(outline, fill=255)
