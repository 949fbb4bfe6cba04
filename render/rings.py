"""Lines around cells: the ring of a tile to look at, the dashes of an open place, the outline of a hexagon."""

from PIL import Image, ImageChops, ImageDraw

from render.blank import INSET, ROUND
from render.canvas import shape
from render.kept import PARTS
from render.outline import Outline, Point, rounded, shrunk

RING = 0.046
"""The width of the ring around a tile, as a share of the edge."""
DASHES = 5
"""Gaps in each side of a dashed outline."""


@PARTS.kept
def ring(edge: int, outline: Outline, width: float) -> Image.Image:
    """The coverage of an outline that runs just inside a cell's edge."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        points = [(x * scale, y * scale) for x, y in outline.corners(edge)]
        outer = shrunk(points, INSET * edge * scale / 2)
        rounded(pen, outer, ROUND * edge * scale)
        rounded(pen, shrunk(outer, width * scale), max(1, (ROUND - width / edge * 0.6) * edge * scale), ink=0)

    return shape(edge, outline.height(edge), draw)


@PARTS.kept
def dashed(edge: int, outline: Outline, width: float) -> Image.Image:
    """The coverage of a dashed outline just inside a cell's edge."""
    return ImageChops.darker(ring(edge, outline, width), _gaps(edge, outline))


@PARTS.kept
def _gaps(edge: int, outline: Outline) -> Image.Image:
    """Full except for gaps across each side: laid on an outline it leaves dashes."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        pen.rectangle((0, 0, edge * scale, edge * scale), fill=255)
        points = [(x * scale, y * scale) for x, y in outline.corners(edge)]
        for i in range(len(points)):
            (ax, ay), (bx, by) = points[i - 1], points[i]
            nx, ny = (by - ay) * 0.14, (ax - bx) * 0.14
            for dash in range(DASHES):
                # The corners stay whole: they say "triangle" better than the sides do.
                middle = 0.2 + 0.6 * dash / (DASHES - 1)
                a, b = middle - 0.028, middle + 0.028
                quad = [
                    (ax + (bx - ax) * share + nx * side, ay + (by - ay) * share + ny * side)
                    for share, side in ((a, 1), (b, 1), (b, -1), (a, -1))
                ]
                pen.polygon(quad, fill=0)

    return shape(edge, outline.height(edge), draw)


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
