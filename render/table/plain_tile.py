"""A tile without labels: the ivory plate with its lip, its shadow and the light around it."""

from typing import Final

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render.canvas.cache import COMPOSITION_CACHE, PART_CACHE
from render.canvas.canvas import (
    OVERSAMPLING,
    Canvas,
    Light,
    Sprite,
    build_light,
    colourise,
    downsample,
    render_shape,
    threshold,
)
from render.canvas.cell_outline import Outline, Point, draw_rounded_polygon, shrink_polygon
from render.canvas.palette import SHADES, get_palette
from render.canvas.theme import Colour, Theme, mix

INSET: Final = 0.0095  # half the gap between two tiles, as a share of the edge, like all lengths here
CORNER_RADIUS: Final = 0.062
LIP_HEIGHT: Final = 0.030
BEVEL: Final = 0.012  # the rim of a face: bright at the upper left, dark at the lower right
BEVEL_DEPTH: Final = 0.35  # how much its dark side takes of the lip's colour
TONE_STEPS: Final = 6  # colour steps from the upper left of a face to its lower right
SHEEN: Final = (0.2, 0.44)  # a bright stripe across a face, as shares of the way from its upper left to its lower right
SHEEN_STEPS: Final = 2  # colour steps by which it is brighter

BLURS: Final = (0.05, 0.016)  # of a shadow's wide part and of its core
SHADOW_OFFSET: Final = (0.022, 0.055)  # offset of a shadow to the right and down; the light is at the upper left
SHADOW_DEPTHS: Final = (0.75, 0.45)  # of the deepest shadow, by part
LIGHT_STRENGTH: Final = 0.6  # strength of the light around the last move


@COMPOSITION_CACHE.memoize
def render_enlarged_tile(edge: int, outline: Outline) -> tuple[Image.Image, Image.Image]:
    """The whole tile and its face without the lip, enlarged."""
    size = edge * OVERSAMPLING
    whole = Image.new("L", (size, outline.compute_height(edge) * OVERSAMPLING), 0)
    points = [(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in outline.compute_corners(edge)]
    draw_rounded_polygon(ImageDraw.Draw(whole), shrink_polygon(points, INSET * size), CORNER_RADIUS * size)
    face = ImageChops.darker(whole, _shift(whole, 0, -round(LIP_HEIGHT * size)))
    return whole, face


def _shift(cover: Image.Image, x: int, y: int) -> Image.Image:
    sheet = Image.new("L", cover.size, 0)
    sheet.paste(cover, (x, y))
    return sheet


@PART_CACHE.memoize
def render_tile_plate(
    theme: Theme, edge: int, outline: Outline, *, kind: str = "ivory"
) -> tuple[Image.Image, Image.Image]:
    """The plate in true colour, and its coverage; `kind` is ivory, lit or ebony."""
    whole, face = render_enlarged_tile(edge, outline)
    upper, lower, light, lip = _choose_plate_colours(theme, kind)
    height, rim = outline.compute_height(edge), max(OVERSAMPLING, round(BEVEL * edge * OVERSAMPLING))
    tones = Image.new("RGB", (edge, height))
    tones.putdata([mix(upper, lower, tone / (TONE_STEPS - 1)) for tone in _list_tones(edge, height)])
    picture = Image.new("RGB", (edge, height), lip)
    picture.paste(tones, (0, 0), downsample(face))
    dark, bright = (ImageChops.subtract(face, _shift(face, *offset)) for offset in ((-rim, -rim), (rim // 2, rim)))
    soft = ImageChops.darker(downsample(dark.filter(ImageFilter.GaussianBlur(rim / 2))), downsample(face))
    picture.paste(mix(lower, lip, BEVEL_DEPTH), (0, 0), soft)
    picture.paste(light, (0, 0), downsample(bright))
    return picture, downsample(whole)


def _list_tones(edge: int, height: int) -> list[int]:
    """The tone of each pixel of a face, row by row: 0 is the brightest."""
    tones = []
    for y in range(height):
        for x in range(edge):
            way = 0.4 * x / edge + 0.6 * y / height
            stripe = SHEEN_STEPS * (SHEEN[0] < 0.5 * x / edge + 0.5 * y / height < SHEEN[1])
            tones.append(max(0, min(TONE_STEPS - 1, int(way * TONE_STEPS)) - stripe))
    return tones


def _choose_plate_colours(theme: Theme, kind: str) -> tuple[Colour, Colour, Colour, Colour]:
    """The colours of a face: its upper and lower end, bright edge and lip."""
    if kind == "lit":
        return theme.lit, theme.lit_low, theme.lit_edge, theme.lit_lip
    if kind == "ebony":
        return theme.ebony, theme.ebony, theme.ebony_edge, theme.deep
    return theme.ivory, theme.ivory_low, theme.ivory_edge, theme.lip


@PART_CACHE.memoize
def render_blank_tile(edge: int, outline: Outline) -> Image.Image:
    """The coverage of a tile."""
    return downsample(render_enlarged_tile(edge, outline)[0])


@PART_CACHE.memoize
def render_tile_shadow(theme: Theme, edge: int, outline: Outline) -> tuple[Sprite, int]:
    """The shadow of a tile on the empty cloth, and how far it reaches past the cell's box."""
    return render_shadow(theme, render_blank_tile(edge, outline), edge)


def paint_tile_shadow(canvas: Canvas, edge: int, outline: Outline, x: int, y: int) -> None:
    """Draw the shadow of a tile with its top left corner here."""
    shadow, reach = render_tile_shadow(canvas.theme, edge, outline)
    canvas.paint_shadow(shadow, x - reach, y - reach)


def render_shadow(theme: Theme, whole: Image.Image, edge: int) -> tuple[Sprite, int]:
    """The shadow of an object as high as a tile with this edge, and how far it reaches past the object's box."""
    reach = compute_shadow_reach(edge)
    size = (whole.width + 2 * reach, whole.height + 2 * reach)
    right, down = (reach + round(share * edge) for share in SHADOW_OFFSET)
    index_image = Image.new("L", size)
    for blur, depth, nearness in zip(BLURS, SHADOW_DEPTHS, (1, 0.4), strict=True):
        cover = Image.new("L", size)
        cover.paste(whole, (round(reach + (right - reach) * nearness), round(reach + (down - reach) * nearness)))
        cover = cover.filter(ImageFilter.GaussianBlur(blur * edge))
        part = cover.point([round(depth * (SHADES - 1) * level / 255) for level in range(256)])
        index_image = ImageChops.add(index_image, part)
    index_image = index_image.point([min(shade, SHADES - 1) for shade in range(256)])
    # True colours take four times the memory, and only tests need them.
    return Sprite(
        theme, lambda: get_palette(theme).to_palette_image(index_image).convert("RGB"), index_image=index_image
    ), reach


def compute_shadow_reach(edge: int) -> int:
    """How far a shadow reaches past the box of its object."""
    return max(3, round(0.16 * edge))


@PART_CACHE.memoize
def render_glow(edge: int, outline: Outline) -> Image.Image:
    """The coverage of the light around a tile; it reaches `glow_reach(edge)` past the cell's box."""
    reach = compute_glow_reach(edge)
    whole = render_blank_tile(edge, outline)
    cover = Image.new("L", (whole.width + 2 * reach, whole.height + 2 * reach), 0)
    cover.paste(whole, (reach, reach))
    return _grow(cover, max(1, round(0.06 * edge) // 2)).filter(ImageFilter.GaussianBlur(0.05 * edge))


@PART_CACHE.memoize
def build_tile_light(edge: int, outline: Outline) -> Light:
    """The light around a tile that will cover its middle."""
    reach = compute_glow_reach(edge)
    return build_light(render_glow(edge, outline), threshold(render_blank_tile(edge, outline), 96), (reach, reach))


def paint_tile_light(
    canvas: Canvas, edge: int, outline: Outline, x: int, y: int, strength: float = LIGHT_STRENGTH
) -> None:
    """Draw the light around a tile with its top left corner here."""
    reach = compute_glow_reach(edge)
    canvas.paint_light(canvas.theme.brass, strength, x - reach, y - reach, build_tile_light(edge, outline))


def _grow(cover: Image.Image, distance: int) -> Image.Image:
    """Extend a coverage by this many pixels each way; its margins must be empty."""
    # First across, then down. Pillow's MaxFilter examines a square around every pixel, which is much slower.
    for across, down in ((1, 0), (0, 1)):
        original = cover
        for step in range(1, distance + 1):
            for side in (step, -step):
                cover = ImageChops.lighter(cover, ImageChops.offset(original, side * across, side * down))
    return cover


def compute_glow_reach(edge: int) -> int:
    return round(0.17 * edge)


RING_WIDTH: Final = 0.052  # width of the ring around a tile, as a share of the edge
RING_OUTSIDE: Final = 0.034  # how far it reaches past the tile, so that it hides no label

SQUARE_RING_EXTRA: Final = 0.02  # additional width around a square, whose inlays leave less lit ivory


@PART_CACHE.memoize
def render_ring(edge: int, outline: Outline, width: float, outside: float = 0) -> Image.Image:
    """The coverage of an outline along a tile's rim; its box is `padding(edge, outside)` larger all round."""
    pad = compute_ring_padding(edge, outside)

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        points: list[Point] = [((x + pad) * scale, (y + pad) * scale) for x, y in outline.compute_corners(edge)]
        outer = shrink_polygon(points, (INSET * edge - outside) * scale)
        draw_rounded_polygon(pen, outer, (CORNER_RADIUS * edge + outside) * scale)
        radius = max(1, (CORNER_RADIUS * edge + outside - width * 0.7) * scale)
        draw_rounded_polygon(pen, shrink_polygon(outer, width * scale), radius, ink=0)

    return render_shape(edge + 2 * pad, outline.compute_height(edge) + 2 * pad, draw)


def compute_ring_padding(edge: int, outside: float) -> int:
    """The padding of the box of a ring that reaches `outside` pixels past a tile."""
    return round(outside + 0.02 * edge) + 1 if outside else 0


@PART_CACHE.memoize
def render_brass_ring(theme: Theme, edge: int, outline: Outline) -> tuple[Sprite, int]:
    """The ring around the last tile, and how far its box reaches past the cell's."""
    more = SQUARE_RING_EXTRA if outline is Outline.SQUARE else 0
    outside, wide = (RING_OUTSIDE + more) * edge, max(3.0, (RING_WIDTH + more) * edge)
    whole = render_ring(edge, outline, wide, outside)
    pad = compute_ring_padding(edge, outside)

    def paint() -> Image.Image:
        inside = Image.new("L", whole.size)
        inside.paste(render_blank_tile(edge, outline), (pad, pad))
        picture = colourise(inside, mix(theme.cloth, theme.ivory, 0.5), theme.lit)
        picture.paste(theme.brass_dark, (0, 0), whole)
        for colour, width, reach in (
            (theme.brass, wide * 0.62, outside - wide * 0.19),
            (theme.brass_light, wide * 0.26, outside - wide * 0.32),
        ):
            off = pad - compute_ring_padding(edge, reach)
            picture.paste(colour, (off, off), render_ring(edge, outline, width, reach))
        return picture

    return Sprite(theme, paint, threshold(whole, 40)), pad


@PART_CACHE.memoize
def render_hexagon(theme: Theme, edge: int, row: int, *, newest: bool) -> tuple[Sprite, int]:
    """The brass outline of a hexagon, and how far it reaches past its cells. Thick if the last move closed it."""
    width = max(4, round(edge * 0.04)) if newest else max(2, round(edge * 0.016))
    line = render_hexagon_line(edge, row, width)
    # The line runs between tiles and the cloth.
    picture = colourise(line, mix(theme.cloth, theme.ivory, 0.3), theme.brass_dark)
    if newest:
        inner = render_hexagon_line(edge, row, max(2, round(width * 0.6)))
        off = width - max(2, round(width * 0.6))
        picture.paste(theme.brass, (off, off), inner)
    return Sprite(theme, picture, threshold(line, 40)), width


@PART_CACHE.memoize
def render_hexagon_line(edge: int, row: int, width: int) -> Image.Image:
    """The coverage of a hexagon's outline; `row` is the height of a tile. The line lies outside of the tiles."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        across = (edge // 2, edge * 3 // 2, edge * 2, edge * 3 // 2, edge // 2, 0)
        down = (0, 0, row, row * 2, row * 2, row)
        points: list[Point] = [((x + width) * scale, (y + width) * scale) for x, y in zip(across, down, strict=True)]
        half = width * scale / 2
        for number, (x, y) in enumerate(points):
            pen.line((points[number - 1], (x, y)), 255, width * scale)
            pen.ellipse((x - half, y - half, x + half, y + half), 255)

    return render_shape(2 * (edge + width), 2 * (row + width), draw)


@PART_CACHE.memoize
def render_line(across: int, down: int, width: int) -> Image.Image:
    """The coverage of a line that goes `across` pixels right (negative: left) and `down` pixels down."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half = width * scale / 2
        start = ((width - min(0, across)) * scale, width * scale)
        end = (start[0] + across * scale, start[1] + down * scale)
        pen.line((start, end), 255, width * scale)
        for x, y in (start, end):
            pen.ellipse((x - half, y - half, x + half, y + half), 255)

    return render_shape(abs(across) + 2 * width, down + 2 * width, draw)
