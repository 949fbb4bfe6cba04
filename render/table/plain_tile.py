"""A tile without labels: the ivory plate with its lip, its shadow and the light around it."""

from typing import Final

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render.canvas.cache import PARTS, PIECES
from render.canvas.canvas import SMOOTH, Light, Sprite, light_around, shape, smoothed, soft, some
from render.canvas.cell_outline import Outline, Point, rounded, shrunk
from render.canvas.palette import SHADES
from render.canvas.theme import Colour, Theme, mix

INSET: Final = 0.0095  # half the gap between two tiles, as a share of the edge, like all lengths here
ROUND: Final = 0.062
LIP: Final = 0.026
BRIGHT: Final = 0.011  # the upper edge, which catches light
TONES: Final = 4  # colour steps from the top of a face to its bottom; rows of one colour compress to nothing

BLUR: Final = 0.036
FALLS: Final = (0.014, 0.042)  # offset of a shadow to the right and down; the light is at the upper left
DEPTH: Final = 0.92  # of the deepest shadow
LIGHT: Final = 0.6  # strength of the light around the last move
STEP: Final = 4  # shadows use every fourth shade, which makes smaller files without visible steps


@PIECES.kept
def large(edge: int, outline: Outline) -> tuple[Image.Image, Image.Image]:
    """The whole tile and its face without the lip, enlarged."""
    size = edge * SMOOTH
    whole = Image.new("L", (size, outline.height(edge) * SMOOTH), 0)
    points = [(x * SMOOTH, y * SMOOTH) for x, y in outline.corners(edge)]
    rounded(ImageDraw.Draw(whole), shrunk(points, INSET * size), ROUND * size)
    face = ImageChops.darker(whole, _moved(whole, 0, -round(LIP * size)))
    return whole, face


def _moved(cover: Image.Image, x: int, y: int) -> Image.Image:
    sheet = Image.new("L", cover.size, 0)
    sheet.paste(cover, (x, y))
    return sheet


@PARTS.kept
def plate(theme: Theme, edge: int, outline: Outline, *, kind: str = "ivory") -> tuple[Image.Image, Image.Image]:
    """The plate in true colour, and its coverage; `kind` is ivory, lit or ebony."""
    whole, face = large(edge, outline)
    bright = ImageChops.subtract(face, _moved(face, 0, max(SMOOTH, round(BRIGHT * edge * SMOOTH))))
    upper, lower, light, lip = _tones(theme, kind)
    picture = soft(smoothed(whole), theme.deep, lip)
    high = outline.height(edge)
    tones = Image.new("RGB", (edge, high), upper)
    for step in range(1, TONES):
        tones.paste(mix(upper, lower, step / (TONES - 1)), (0, round(high * step / TONES), edge, high))
    picture.paste(tones, (0, 0), smoothed(face))
    picture.paste(light, (0, 0), smoothed(bright))
    return picture, smoothed(whole)


def _tones(theme: Theme, kind: str) -> tuple[Colour, Colour, Colour, Colour]:
    """The colours of a face: its upper and lower end, bright edge and lip."""
    if kind == "lit":
        return theme.lit, theme.lit_low, theme.lit_edge, theme.lit_lip
    if kind == "ebony":
        return theme.ebony, theme.ebony, theme.ebony_edge, theme.deep
    return theme.ivory, theme.ivory_low, theme.ivory_edge, theme.lip


@PARTS.kept
def blank(edge: int, outline: Outline) -> Image.Image:
    """The coverage of a tile."""
    return smoothed(large(edge, outline)[0])


@PARTS.kept
def shadow(theme: Theme, edge: int, outline: Outline) -> tuple[Sprite, int]:
    """The shadow of a tile on the empty cloth, and how far it reaches past the cell's box."""
    return thrown(theme, blank(edge, outline), edge)


def thrown(theme: Theme, whole: Image.Image, edge: int, step: int = STEP) -> tuple[Sprite, int]:
    """The shadow of an object as high as a tile with this edge, and how far it reaches past the object's box."""
    reach = shadow_reach(edge)
    cover = Image.new("L", (whole.width + 2 * reach, whole.height + 2 * reach), 0)
    cover.paste(whole, (reach + round(FALLS[0] * edge), reach + round(FALLS[1] * edge)))
    cover = cover.filter(ImageFilter.GaussianBlur(BLUR * edge))
    most = (SHADES - 1) * DEPTH
    steps = [step * round(most * level / 255 / step) for level in range(256)]
    numbers = cover.point([min(deep, SHADES - 1) for deep in steps])

    def paint() -> Image.Image:
        # True colours take four times the memory, and only tests need them.
        depth = numbers.point([round(255 * min(deep, SHADES - 1) / (SHADES - 1)) for deep in range(256)])
        return soft(depth, theme.cloth, theme.deep)

    return Sprite(theme, paint, numbers=numbers), reach


def shadow_reach(edge: int) -> int:
    """How far a shadow reaches past the box of its object."""
    return max(3, round(0.12 * edge))


@PARTS.kept
def glow(edge: int, outline: Outline) -> Image.Image:
    """The coverage of the light around a tile; it reaches `glow_reach(edge)` past the cell's box."""
    reach = glow_reach(edge)
    whole = blank(edge, outline)
    cover = Image.new("L", (whole.width + 2 * reach, whole.height + 2 * reach), 0)
    cover.paste(whole, (reach, reach))
    return _grown(cover, max(1, round(0.06 * edge) // 2)).filter(ImageFilter.GaussianBlur(0.05 * edge))


@PARTS.kept
def light(edge: int, outline: Outline) -> Light:
    """The light around a tile that will cover its middle."""
    return light_around(glow(edge, outline), some(blank(edge, outline), 96), (glow_reach(edge), glow_reach(edge)))


def _grown(cover: Image.Image, by: int) -> Image.Image:
    """Extend a coverage by this many pixels each way; its margins must be empty."""
    # First across, then down. Pillow's MaxFilter examines a square around every pixel, which is much slower.
    for across, down in ((1, 0), (0, 1)):
        narrow = cover
        for step in range(1, by + 1):
            for side in (step, -step):
                cover = ImageChops.lighter(cover, ImageChops.offset(narrow, side * across, side * down))
    return cover


def glow_reach(edge: int) -> int:
    """How far the light around a tile reaches."""
    return round(0.17 * edge)


RING: Final = 0.052  # width of the ring around a tile, as a share of the edge
OUTSIDE: Final = 0.034  # how far it reaches past the tile, so that it hides no label

AROUND_SQUARE: Final = 0.02  # additional width around a square, whose inlays leave less lit ivory


@PARTS.kept
def ring(edge: int, outline: Outline, width: float, outside: float = 0) -> Image.Image:
    """The coverage of an outline along a tile's rim; its box is `padding(edge, outside)` larger all round."""
    pad = padding(edge, outside)

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        points: list[Point] = [((x + pad) * scale, (y + pad) * scale) for x, y in outline.corners(edge)]
        outer = shrunk(points, (INSET * edge - outside) * scale)
        rounded(pen, outer, (ROUND * edge + outside) * scale)
        rounded(pen, shrunk(outer, width * scale), max(1, (ROUND * edge + outside - width * 0.7) * scale), ink=0)

    return shape(edge + 2 * pad, outline.height(edge) + 2 * pad, draw)


def padding(edge: int, outside: float) -> int:
    """The padding of the box of a ring that reaches `outside` pixels past a tile."""
    return round(outside + 0.02 * edge) + 1 if outside else 0


@PARTS.kept
def brass_ring(theme: Theme, edge: int, outline: Outline) -> tuple[Sprite, int]:
    """The ring around the last tile, and how far its box reaches past the cell's."""
    more = AROUND_SQUARE if outline is Outline.SQUARE else 0
    outside, wide = (OUTSIDE + more) * edge, max(3.0, (RING + more) * edge)
    whole = ring(edge, outline, wide, outside)
    pad = padding(edge, outside)

    def paint() -> Image.Image:
        picture = soft(ring(edge, outline, wide, outside), theme.cloth, theme.brass_dark)
        for colour, width, reach in (
            (theme.brass, wide * 0.62, outside - wide * 0.19),
            (theme.brass_light, wide * 0.26, outside - wide * 0.32),
        ):
            off = pad - padding(edge, reach)
            picture.paste(colour, (off, off), ring(edge, outline, width, reach))
        return picture

    return Sprite(theme, paint, some(whole, 110)), pad


@PARTS.kept
def hexagon(theme: Theme, edge: int, row: int, *, newest: bool) -> tuple[Sprite, int]:
    """The brass outline of a hexagon, and how far it reaches past its cells. Thick if the last move closed it."""
    width = max(4, round(edge * 0.04)) if newest else max(2, round(edge * 0.016))
    line = around(edge, row, width)
    picture = soft(line, theme.cloth, theme.brass_dark)
    if newest:
        inner = around(edge, row, max(2, round(width * 0.6)))
        off = width - max(2, round(width * 0.6))
        picture.paste(theme.brass, (off, off), inner)
    return Sprite(theme, picture, some(line, 110)), width


@PARTS.kept
def around(edge: int, row: int, width: int) -> Image.Image:
    """The coverage of a hexagon's outline; `row` is the height of a tile. The line lies outside of the tiles."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        across = (edge // 2, edge * 3 // 2, edge * 2, edge * 3 // 2, edge // 2, 0)
        down = (0, 0, row, row * 2, row * 2, row)
        points: list[Point] = [((x + width) * scale, (y + width) * scale) for x, y in zip(across, down, strict=True)]
        half = width * scale / 2
        for number, (x, y) in enumerate(points):
            pen.line((points[number - 1], (x, y)), 255, width * scale)
            pen.ellipse((x - half, y - half, x + half, y + half), 255)

    return shape(2 * (edge + width), 2 * (row + width), draw)


@PARTS.kept
def stroke(across: int, down: int, width: int) -> Image.Image:
    """The coverage of a line that goes `across` pixels right (negative: left) and `down` pixels down."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half = width * scale / 2
        start = ((width - min(0, across)) * scale, width * scale)
        end = (start[0] + across * scale, start[1] + down * scale)
        pen.line((start, end), 255, width * scale)
        for x, y in (start, end):
            pen.ellipse((x - half, y - half, x + half, y + half), 255)

    return shape(abs(across) + 2 * width, down + 2 * width, draw)
