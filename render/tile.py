"""A tile as it lies on the table: an ivory triangle with a lip, and a disc of its value's colour in each corner.

All six tiles around a corner carry the same value there, so their discs join into one round flower: what matches and
what does not shows before a digit is read.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import cos, pi, sin

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render.canvas import SMOOTH, Sprite, shape, soft, some
from render.geometry import rise
from render.lettering import Style, font
from render.palette import SHADES
from render.theme import THEME, Colour

INSET = 0.017
"""Half the gap between two tiles, as a share of the edge, like all lengths here."""
ROUND = 0.055
LIP = 0.032
DISC = 0.425
DIGIT = 0.305
DIGIT_AT = 0.306
"""From the corner to the middle of its digit."""
RING = 0.046

Labels = tuple[int, int, int]
"""Values as seen: left, middle (the point), right."""
Point = tuple[float, float]


def corners(edge: float, up: bool) -> tuple[Point, Point, Point]:
    """The corners of a cell in its box: left, middle, right."""
    high = rise(round(edge))
    return ((0, high), (edge / 2, 0), (edge, high)) if up else ((0, 0), (edge / 2, high), (edge, 0))


def shrunk(points: Sequence[Point], distance: float) -> list[Point]:
    """An equilateral triangle with its sides moved inwards."""
    x = sum(point[0] for point in points) / 3
    y = sum(point[1] for point in points) / 3
    reach = ((points[0][0] - x) ** 2 + (points[0][1] - y) ** 2) ** 0.5
    share = 1 - 2 * distance / reach
    return [(x + (px - x) * share, y + (py - y) * share) for px, py in points]


def rounded(draw: ImageDraw.ImageDraw, points: Sequence[Point], radius: float, ink: int = 255) -> None:
    """Fill a triangle whose corners are rounded."""
    core = shrunk(points, radius)
    draw.polygon(core, fill=ink)
    for i, (x, y) in enumerate(core):
        draw.line([core[i - 1], (x, y)], fill=ink, width=round(radius * 2))
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=ink)


@lru_cache(maxsize=64)
def _large(edge: int, up: bool) -> tuple[Image.Image, Image.Image]:
    """The whole tile and its face without the lip, enlarged."""
    size = edge * SMOOTH
    whole = Image.new("L", (size, rise(edge) * SMOOTH), 0)
    points = [(x * SMOOTH, y * SMOOTH) for x, y in corners(edge, up)]
    rounded(ImageDraw.Draw(whole), shrunk(points, INSET * size), ROUND * size)
    face = ImageChops.darker(whole, ImageChops.offset(whole, 0, -round(LIP * size)))
    return whole, face


@lru_cache(maxsize=64)
def _blank(edge: int, up: bool) -> tuple[Image.Image, Image.Image]:
    """A tile without values, and its coverage."""
    whole, face = (large.reduce(SMOOTH) for large in _large(edge, up))
    picture = soft(whole, THEME.gap, THEME.lip)
    picture.paste(THEME.face, (0, 0), face)
    return picture, whole


def blank(edge: int, up: bool) -> Image.Image:
    """The coverage of a tile."""
    return _blank(edge, up)[1]


@lru_cache(maxsize=512)
def _corner(edge: int, up: bool, slot: int, value: int) -> tuple[Image.Image, Image.Image]:
    """The coverage of one corner's disc and of its digit."""
    _, face = _large(edge, up)
    x, y = corners(edge, up)[slot]
    reach = DISC * edge
    disc = Image.new("L", face.size, 0)
    ImageDraw.Draw(disc).ellipse([round(v * SMOOTH) for v in (x - reach, y - reach, x + reach, y + reach)], fill=255)
    down = 1 if up else -1
    toward = {0: -down * pi / 6, 1: down * pi / 2, 2: pi + down * pi / 6}[slot]
    at = (x + DIGIT_AT * edge * cos(toward), y + DIGIT_AT * edge * sin(toward))
    return ImageChops.darker(disc, face).reduce(SMOOTH), _digit(face.size, value, at, DIGIT * edge)


def _digit(size: tuple[int, int], value: int, at: Point, height: float) -> Image.Image:
    """A digit with the middle of its ink at a point; `size` is enlarged."""
    letters = font(Style.LOUD, round(height * SMOOTH))
    left, top, right, bottom = letters.getbbox(str(value), anchor="ls")
    x = round(at[0] * SMOOTH - (left + right) / 2)
    y = round(at[1] * SMOOTH - (top + bottom) / 2)
    sheet = Image.new("L", size, 0)
    ImageDraw.Draw(sheet).text((x, y), str(value), fill=255, font=letters, anchor="ls")
    return sheet.reduce(SMOOTH)


@lru_cache(maxsize=512)
def tile(edge: int, up: bool, labels: Labels, ring: Colour | None = None) -> Sprite:
    """A tile, with an outline in a colour when it is one to look at."""
    plain, whole = _blank(edge, up)
    picture = plain.copy()
    for slot, value in enumerate(labels):
        picture.paste(THEME.values[value], (0, 0), _corner(edge, up, slot, value)[0])
    if ring:
        line = _ring(edge, up, RING * edge)
        picture.paste(ring, (0, 0), line)
        whole = ImageChops.lighter(whole, line)
    # Digits come last: an outline never hides one.
    for slot, value in enumerate(labels):
        picture.paste(THEME.digit(value), (0, 0), _corner(edge, up, slot, value)[1])
    return Sprite(picture, some(whole))


@lru_cache(maxsize=128)
def _ring(edge: int, up: bool, width: float, dashed: bool = False) -> Image.Image:
    """The coverage of an outline that runs just inside a cell's edge."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        points = [(x * scale, y * scale) for x, y in corners(edge, up)]
        outer = shrunk(points, INSET * edge * scale / 2)
        rounded(pen, outer, ROUND * edge * scale)
        rounded(pen, shrunk(outer, width * scale), max(1, (ROUND - width / edge * 0.6) * edge * scale), ink=0)

    line = shape(edge, rise(edge), draw)
    if dashed:
        line = ImageChops.darker(line, _gaps(edge, up))
    return line


@lru_cache(maxsize=64)
def _gaps(edge: int, up: bool) -> Image.Image:
    """Full except for gaps across each side: laid on an outline it leaves dashes."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        pen.rectangle((0, 0, edge * scale, edge * scale), fill=255)
        points = [(x * scale, y * scale) for x, y in corners(edge, up)]
        dashes = 5
        for i in range(3):
            (ax, ay), (bx, by) = points[i - 1], points[i]
            nx, ny = (by - ay) * 0.14, (ax - bx) * 0.14
            for dash in range(dashes):
                # The corners stay whole: they say "triangle" better than the sides do.
                middle = 0.2 + 0.6 * dash / (dashes - 1)
                a, b = middle - 0.028, middle + 0.028
                quad = [
                    (ax + (bx - ax) * share + nx * side, ay + (by - ay) * share + ny * side)
                    for share, side in ((a, 1), (b, 1), (b, -1), (a, -1))
                ]
                pen.polygon(quad, fill=0)

    return shape(edge, rise(edge), draw)


@lru_cache(maxsize=64)
def shadow(edge: int, up: bool) -> tuple[Sprite, int]:
    """The shadow a tile throws on the bare ground, and how far it reaches past the cell's box."""
    reach = max(3, round(0.13 * edge))
    _, whole = _blank(edge, up)
    cover = Image.new("L", (whole.width + 2 * reach, whole.height + 2 * reach), 0)
    cover.paste(whole, (reach, reach + round(0.035 * edge)))
    cover = cover.filter(ImageFilter.MaxFilter(3)).filter(ImageFilter.GaussianBlur(0.042 * edge))
    sprite = Sprite(soft(cover, THEME.ground, THEME.shadow))
    sprite.numbers = cover.point([round((SHADES - 1) * (1 - level / 255)) for level in range(256)])
    return sprite, reach


@lru_cache(maxsize=64)
def glow(edge: int, up: bool, strength: float) -> Image.Image:
    """The coverage of the light around a tile; it reaches `glow_reach(edge)` past the cell's box."""
    reach = glow_reach(edge)
    _, whole = _blank(edge, up)
    cover = Image.new("L", (whole.width + 2 * reach, whole.height + 2 * reach), 0)
    cover.paste(whole, (reach, reach))
    grow = max(3, round(0.08 * edge) // 2 * 2 + 1)
    cover = cover.filter(ImageFilter.MaxFilter(grow)).filter(ImageFilter.GaussianBlur(0.07 * edge))
    return cover.point([round(level * strength) for level in range(256)])


def glow_reach(edge: int) -> int:
    """How far the light around a tile reaches."""
    return round(0.24 * edge)


@lru_cache(maxsize=16)
def dashed(edge: int, up: bool, width: float) -> Image.Image:
    """The coverage of a dashed outline just inside a cell's edge."""
    return _ring(edge, up, width, dashed=True)
