"""Where a tile carries a label: the coloured field on a corner or a side, and the middle of its sign.

A field is a part of a disc around the corner, or around the middle of the side. Tiles that meet there carry the same
label, so their fields join into one round flower, or two half discs into one: what matches shows before it is read.
"""

from typing import NamedTuple

from PIL import Image, ImageDraw

from engine.fit import Labels
from render.canvas import SMOOTH
from render.faces.face import Face
from render.outline import Outline, Point, toward


class Measures(NamedTuple):
    """Lengths as shares of the edge."""

    disc: float
    """The radius of the field."""
    digit: float
    """The height of a digit."""
    digit_at: float
    """From the corner, or the middle of the side, to the middle of the digit."""
    shape_disc: float
    """The radius of the field under a shape."""
    shape: float
    """The size of a shape, which is as wide as it is high."""
    shape_at: float


MEASURES: dict[tuple[Labels, int], Measures] = {
    ("corners", 3): Measures(0.425, 0.305, 0.306, 0.465, 0.24, 0.312),
    ("corners", 4): Measures(0.47, 0.32, 0.278, 0.49, 0.29, 0.29),
    ("sides", 3): Measures(0.285, 0.235, 0.142, 0.285, 0.205, 0.142),
    ("sides", 4): Measures(0.33, 0.28, 0.165, 0.33, 0.26, 0.165),
}
"""By where the labels lie and how many sides a tile has."""

RAISED = 0.012
"""How much higher signs on sides stand: a tile's lip takes from the lower end of its face."""
BETWEEN = 0.016
"""Half the gap between the fields of two sides."""


def anchor(edge: int, outline: Outline, labels: Labels, slot: int) -> Point:
    """The corner, or the middle of the side, that a label lies on."""
    return outline.corners(edge)[slot] if labels == "corners" else outline.middles(edge)[slot]


def inwards(edge: int, outline: Outline, labels: Labels, slot: int, share: float) -> Point:
    """The point at this share of the edge from a label's place towards the middle of the tile."""
    x, y = toward(anchor(edge, outline, labels, slot), outline.centre(edge), share * edge)
    return x, y - (RAISED * edge if labels == "sides" else 0)


def field(edge: int, outline: Outline, face: Face, slot: int, size: float = 1.0) -> Image.Image:
    """The coverage of a field, enlarged; `size` is a share of its usual radius. It may reach past the tile."""
    x, y = anchor(edge, outline, face.labels, slot)
    measures = MEASURES[face.labels, outline.sides]
    reach = (measures.shape_disc if face.signs == "shapes" else measures.disc) * edge * size
    sheet = Image.new("L", (edge * SMOOTH, outline.height(edge) * SMOOTH), 0)
    pen = ImageDraw.Draw(sheet)
    pen.ellipse([round(v * SMOOTH) for v in (x - reach, y - reach, x + reach, y + reach)], fill=255)
    if face.labels == "sides":
        middle = _large(outline.centre(edge))
        corners = [_large(point) for point in outline.corners(edge)]
        # Each side keeps to its own part of the tile: the two fields beside it would run into it near the corners.
        start, end = corners[slot], corners[(slot + 1) % len(corners)]
        others = [point for point in corners if point not in (start, end)]
        pen.polygon([middle, end, *others, start], fill=0)
        for corner in (start, end):
            pen.line([corner, middle], fill=0, width=round(2 * BETWEEN * edge * SMOOTH))
    return sheet


def _large(point: Point) -> Point:
    return point[0] * SMOOTH, point[1] * SMOOTH
