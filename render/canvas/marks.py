"""Small signs (dots, flag, star) as coverages for any colour, drawn once per size; panels and bars."""

from math import cos, pi, sin
from typing import Final, Literal, NamedTuple

from PIL import Image, ImageDraw

from render.canvas.cache import COMPOSITION_CACHE, PART_CACHE
from render.canvas.canvas import Canvas, Sprite, colourise, render_shape, render_sprite, threshold
from render.canvas.cell_outline import Outline, draw_rounded_polygon
from render.canvas.pieces import CutBox, compute_cuts
from render.canvas.theme import Colour, Theme
from render.table.plain_tile import render_shadow


@PART_CACHE.memoize
def render_dot(size: int) -> Image.Image:
    """A filled circle; `size` is its diameter."""
    return render_shape(size, size, lambda pen, k: pen.ellipse((0, 0, size * k - 1, size * k - 1), 255))


@PART_CACHE.memoize
def render_round_sign(size: int, sign: Literal["won", "tied", "lost"]) -> Image.Image:
    """The result of a round: a full circle, a ring, or a half-filled ring."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        box = (0, 0, size * scale - 1, size * scale - 1)
        if sign == "won":
            pen.ellipse(box, 255)
            return
        if sign == "tied":
            pen.pieslice(box, 90, 270, 255)
        pen.ellipse(box, outline=255, width=3 * scale)

    return render_shape(size, size, draw)


@COMPOSITION_CACHE.memoize
def render_rounded_box(width: int, height: int, radius: int, line: int = 0) -> Image.Image:
    """A rectangle with round corners, filled or as an outline."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        box = (0, 0, width * scale - 1, height * scale - 1)
        if line:
            pen.rounded_rectangle(box, radius * scale, outline=255, width=line * scale)
        else:
            pen.rounded_rectangle(box, radius * scale, fill=255)

    return render_shape(width, height, draw)


class PlateMask(NamedTuple):
    image: Image.Image
    cuts: tuple[CutBox, ...]


@PART_CACHE.memoize
def build_plate_mask(width: int, height: int) -> PlateMask:
    """The mask of all plates and panels of a size."""
    mask = threshold(render_rounded_box(width, height, RADIUS), 110)
    return PlateMask(mask, compute_cuts(mask, mask))


@PART_CACHE.memoize
def render_tile_icon(edge: int, outline: Outline) -> Image.Image:
    """A tile icon, next to the number of tiles of a seat."""
    points = outline.compute_corners(edge)
    height = outline.compute_height(edge)
    return render_shape(
        edge, height, lambda pen, k: draw_rounded_polygon(pen, [(x * k, y * k) for x, y in points], 0.12 * edge * k)
    )


@PART_CACHE.memoize
def render_computer(size: int) -> Image.Image:
    """A head with two eyes and an antenna: a computer player."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        unit = size * scale / 20
        pen.rounded_rectangle((1 * unit, 6 * unit, 19 * unit, 19 * unit), 4 * unit, fill=255)
        pen.rectangle((9 * unit, 2 * unit, 11 * unit, 7 * unit), fill=255)
        pen.ellipse((7.6 * unit, 0, 12.4 * unit, 4.8 * unit), fill=255)
        for x in (6.8, 13.2):
            pen.ellipse(((x - 2) * unit, 9.5 * unit, (x + 2) * unit, 13.5 * unit), fill=0)

    return render_shape(size, size, draw)


@PART_CACHE.memoize
def render_flag(size: int) -> Image.Image:
    """A flag on a pole: this seat has resigned."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        unit = size * scale / 20
        pen.rounded_rectangle((3 * unit, 1 * unit, 5.4 * unit, 20 * unit), 1 * unit, fill=255)
        pen.polygon([(v[0] * unit, v[1] * unit) for v in ((5, 2), (18, 2), (14, 7), (18, 12), (5, 12))], fill=255)

    return render_shape(size, size, draw)


@PART_CACHE.memoize
def render_star(size: int) -> Image.Image:
    """A star: this seat won."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half = size * scale / 2
        turns = [(pi * i / 5, half * (0.46 if i % 2 else 1.0)) for i in range(10)]
        pen.polygon([(half + reach * sin(turn), half * 1.06 - reach * cos(turn)) for turn, reach in turns], fill=255)

    return render_shape(size, size, draw)


@PART_CACHE.memoize
def render_tick(size: int) -> Image.Image:
    """A tick: this seat went out with an empty hand, or this try is right."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        unit, wide = size * scale / 20, round(3.2 * size * scale / 20)
        points = [(x * unit, y * unit) for x, y in ((2.5, 10.5), (8, 16), (17.5, 4.5))]
        pen.line(points, 255, wide, joint="curve")
        for x, y in points:
            pen.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), 255)

    return render_shape(size, size, draw)


@PART_CACHE.memoize
def render_cross(size: int) -> Image.Image:
    """A cross: this try is wrong."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        unit, wide = size * scale / 20, round(3.2 * size * scale / 20)
        near, far = 3.5 * unit, 16.5 * unit
        for line in (((near, near), (far, far)), ((near, far), (far, near))):
            pen.line(line, 255, wide)
            for x, y in line:
                pen.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), 255)

    return render_shape(size, size, draw)


RADIUS: Final = 20
LIP_HEIGHT: Final = 6  # the height of the lip of a raised plate


def draw_plate(
    canvas: Canvas, x: int, y: int, width: int, height: int, *, lit: bool = False, ringed: bool = False
) -> None:
    """Draw a plate: cut into the cloth, or raised ivory if `lit`; with a brass edge if `ringed`."""
    if lit:
        draw_plate_shadow(canvas, x, y, width, height)
    canvas.paste_sprite(render_plate(canvas.theme, width, height, lit=lit, ringed=ringed), x, y)


def draw_plate_shadow(canvas: Canvas, x: int, y: int, width: int, height: int) -> None:
    if not canvas.theme.outlined:
        shadow, reach = _render_plate_shadow(canvas.theme, width, height)
        canvas.paint_shadow(shadow, x - reach, y - reach)


def choose_ground(theme: Theme, *, lit: bool) -> Colour:
    return theme.plate if lit else theme.slot


@COMPOSITION_CACHE.memoize
def _render_plate_shadow(theme: Theme, width: int, height: int) -> tuple[Sprite, int]:
    return render_shadow(theme, render_rounded_box(width, height, RADIUS), 150)


@COMPOSITION_CACHE.memoize
def render_plate(theme: Theme, width: int, height: int, *, lit: bool, ringed: bool) -> Sprite:
    """A plate with round corners."""
    whole = render_rounded_box(width, height, RADIUS)

    def part(top: int, high: int) -> Image.Image:
        sheet = Image.new("L", (width, height), 0)
        sheet.paste(render_rounded_box(width, high, RADIUS), (0, top))
        return sheet

    def paint() -> Image.Image:
        if lit:
            picture = colourise(whole, theme.deep, theme.lip)
            picture.paste(theme.ivory_edge, (0, 0), part(0, height - LIP_HEIGHT))
            picture.paste(theme.plate, (0, 0), part(3, height - LIP_HEIGHT - 3))
        elif theme.outlined:
            picture = colourise(whole, theme.cloth, theme.slot_edge)
            picture.paste(theme.slot, (2, 2), render_rounded_box(width - 4, height - 4, RADIUS - 2))
        else:
            picture = colourise(whole, theme.cloth, theme.slot_edge)
            picture.paste(theme.groove, (0, 0), part(0, height - 2))
            picture.paste(theme.slot, (0, 0), part(3, height - 5))
        if ringed:
            picture.paste(theme.brass_dark, (0, 0), render_rounded_box(width, height, RADIUS, line=6))
            picture.paste(theme.brass, (1, 1), render_rounded_box(width - 2, height - 2, RADIUS - 1, line=3))
        return picture

    mask = build_plate_mask(width, height)
    return Sprite(theme, paint, mask.image, cuts=mask.cuts)


def draw_bar(canvas: Canvas, x: int, y: int, width: int, share: float, colour: Colour, *, lit: bool) -> None:
    """Draw a progress bar: full from 1 on, empty at 0 and below."""
    height, theme = 8, canvas.theme
    ground = choose_ground(theme, lit=lit)
    groove = theme.plate_groove if lit else theme.groove
    canvas.paste_sprite(render_sprite(theme, groove, ground, render_rounded_box, width, height, height // 2), x, y)
    done = round(width * min(1.0, max(0.0, share)))
    if done >= height:
        canvas.paste_sprite(render_sprite(theme, colour, ground, render_rounded_box, done, height, height // 2), x, y)


WREATH_SIZE: Final = 172  # side of the wreath's box
LEAF_COUNT: Final = 7  # on either side


@PART_CACHE.memoize
def render_wreath(theme: Theme, size: int) -> Sprite:
    """A laurel wreath in brass, open at the top."""
    bright, dark = _render_leaves(size, 0), _render_leaves(size, 1)
    picture = colourise(dark, theme.cloth, theme.brass_dark)
    picture.paste(theme.brass, (0, 0), bright)
    both = dark.copy()
    both.paste(255, (0, 0), bright)
    return Sprite(theme, picture, threshold(both, 110))


def _render_leaves(size: int, side: int) -> Image.Image:

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half, reach = size * scale / 2, size * scale * 0.395
        for leaf in range(LEAF_COUNT):
            # From the bottom up to either side of the gap at the top.
            turn = pi * (0.06 + 0.78 * leaf / (LEAF_COUNT - 1))
            for mirror in (-1, 1):
                x, y = half + mirror * reach * sin(turn), half + reach * cos(turn)
                along = turn + pi / 2 + (0.55 if side else -0.55)
                _draw_leaf(pen, x, y, mirror, along, size * scale * (0.2 - 0.01 * leaf))

    return render_shape(size, size, draw)


def _draw_leaf(pen: ImageDraw.ImageDraw, x: float, y: float, mirror: int, angle: float, length: float) -> None:
    dx, dy = mirror * sin(angle), cos(angle)
    outline: list[tuple[float, float]] = []
    for side, steps in ((1, range(25)), (-1, range(24, -1, -1))):
        for part in (step / 24 for step in steps):
            width = side * length * 0.24 * sin(pi * part) ** 0.8
            outline.append((x + dx * length * part - dy * width, y + dy * length * part + dx * width))
    pen.polygon(outline, fill=255)
