"""Seat tokens, which differ by shape and colour, and the studs that mark a hexagon and a bridge."""

from math import cos, pi, sin

from PIL import Image, ImageDraw

from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Sprite, colourise, render_shape, threshold
from render.canvas.palette import compute_rim_colour
from render.canvas.theme import Theme

SEAT_SHAPES = ("disc", "square", "diamond", "hexagon", "star", "cross")  # by seat; from the seventh on again, hollow


@PART_CACHE.memoize
def render_seat_token(theme: Theme, seat: int, size: int) -> Sprite:
    """The token of a seat, counted from 0; `size` is the side of its box."""
    colour = theme.get_seat_colour(seat)
    whole, inner, heart = (render_seat_shape(seat, size, share) for share in (1.0, 0.8, 0.42))
    picture = colourise(whole, theme.slot, compute_rim_colour(colour))
    picture.paste(colour, (0, 0), inner)
    if seat >= len(theme.seats):
        picture.paste(theme.ink, (0, 0), heart)
    return Sprite(theme, picture, threshold(whole, 110))


@PART_CACHE.memoize
def render_seat_shape(seat: int, size: int, share: float = 1.0) -> Image.Image:
    """The coverage of a seat's shape, scaled by `share`."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half = size * scale / 2
        far = half * share

        def polygon(count: int, *reaches: float) -> None:
            points = [(2 * pi * i / count, far * reaches[i % len(reaches)]) for i in range(count)]
            pen.polygon([(half + reach * sin(turn), half - reach * cos(turn)) for turn, reach in points], fill=255)

        match SEAT_SHAPES[seat % len(SEAT_SHAPES)]:
            case "disc":
                pen.ellipse((half - far * 0.94, half - far * 0.94, half + far * 0.94, half + far * 0.94), fill=255)
            case "square":
                side = far * 0.84
                pen.rounded_rectangle((half - side, half - side, half + side, half + side), far * 0.2, fill=255)
            case "diamond":
                polygon(4, 1.04)
            case "hexagon":
                polygon(6, 1.0)
            case "star":
                polygon(10, 1.08, 1.08 * 0.5)
            case _:
                arm = far * 0.34
                pen.rounded_rectangle((half - arm, half - far, half + arm, half + far), far * 0.12, fill=255)
                pen.rounded_rectangle((half - far, half - arm, half + far, half + arm), far * 0.12, fill=255)

    return render_shape(size, size, draw)


@PART_CACHE.memoize
def render_hexagon_stud(theme: Theme, size: int) -> Sprite:
    """The brass stud in the middle of a hexagon."""

    def sign(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half = size * scale / 2
        for reach, ink in ((0.5, 255), (0.3, 0)):
            corners = [(half + half * reach * sin(pi * i / 3), half - half * reach * cos(pi * i / 3)) for i in range(6)]
            pen.polygon(corners, fill=ink)

    return _render_stud(theme, size, render_shape(size, size, sign), copper=False)


@PART_CACHE.memoize
def render_bridge_stud(theme: Theme, size: int) -> Sprite:
    """The copper stud where a bridge touches."""

    def sign(pen: ImageDraw.ImageDraw, scale: int) -> None:
        unit = size * scale / 20
        wide = round(1.7 * unit)
        pen.line((5.2 * unit, 7.2 * unit, 14.8 * unit, 7.2 * unit), 255, wide)
        pen.arc((6.4 * unit, 8.6 * unit, 13.6 * unit, 17 * unit), 180, 360, 255, wide)

    return _render_stud(theme, size, render_shape(size, size, sign), copper=True)


def _render_stud(theme: Theme, size: int, sign: Image.Image, *, copper: bool) -> Sprite:
    edge, face = (theme.copper_dark, theme.copper) if copper else (theme.brass_dark, theme.brass)

    def disc(inset: float) -> Image.Image:
        def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
            by = inset * size * scale
            pen.ellipse((by, by, size * scale - 1 - by, size * scale - 1 - by), fill=255)

        return render_shape(size, size, draw)

    whole = disc(0)
    picture = colourise(whole, theme.lip, edge)
    if not copper:
        picture.paste(theme.brass_light, (0, 0), disc(0.08))
    picture.paste(face, (0, 0), disc(0.1 if copper else 0.13))
    picture.paste(theme.dark_digit, (0, 0), sign)
    return Sprite(theme, picture, threshold(whole, 40))
