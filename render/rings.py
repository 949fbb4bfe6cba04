"""Lines around cells: the brass around the tile to look at and around a hexagon, the edge of a board."""

from typing import Final

from PIL import Image, ImageDraw

from render.blank import INSET, ROUND
from render.canvas import Sprite, shape, soft, some
from render.kept import PARTS
from render.outline import Outline, Point, rounded, shrunk
from render.theme import Theme

RING: Final = 0.052
"""The width of the ring around a tile, as a share of the edge."""
OUTSIDE: Final = 0.034
"""How far it reaches past the tile, so that it hides nothing that lies on it."""

AROUND_SQUARE: Final = 0.02
"""How much wider it is around a square, on the outside: its inlays leave less ivory that is lit."""


@PARTS.kept
def ring(edge: int, outline: Outline, width: float, outside: float = 0) -> Image.Image:
    """The coverage of an outline that runs along a tile's rim; its box is `padding(edge, outside)` larger all round."""
    pad = padding(edge, outside)

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        points: list[Point] = [((x + pad) * scale, (y + pad) * scale) for x, y in outline.corners(edge)]
        outer = shrunk(points, (INSET * edge - outside) * scale)
        rounded(pen, outer, (ROUND * edge + outside) * scale)
        rounded(pen, shrunk(outer, width * scale), max(1, (ROUND * edge + outside - width * 0.7) * scale), ink=0)

    return shape(edge + 2 * pad, outline.height(edge) + 2 * pad, draw)


def padding(edge: int, outside: float) -> int:
    """How much larger the box of a ring is that reaches `outside` pixels past a tile."""
    return round(outside + 0.02 * edge) + 1 if outside else 0


@PARTS.kept
def brass_ring(theme: Theme, edge: int, outline: Outline) -> tuple[Sprite, int]:
    """The ring around the tile that was played last, and how far its box reaches past the cell's."""
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
    """The outline of a hexagon in brass, and how far it reaches past its cells: heavy when the last move closed it."""
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
    """The coverage of a hexagon's outline, `row` being the height of a tile; its width finds room around the tiles."""

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
    """The coverage of a line that goes so far across, which may be to the left, and so far down."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half = width * scale / 2
        start = ((width - min(0, across)) * scale, width * scale)
        end = (start[0] + across * scale, start[1] + down * scale)
        pen.line((start, end), 255, width * scale)
        for x, y in (start, end):
            pen.ellipse((x - half, y - half, x + half, y + half), 255)

    return shape(abs(across) + 2 * width, down + 2 * width, draw)
