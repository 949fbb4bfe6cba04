"""The signs that stand on a field or in the middle of a tile: a digit, pips, a shape, a crown.

Each is a coverage (mode "L") as large as the tile, with the sign where it belongs.
"""

from math import hypot

from PIL import Image, ImageDraw

from render.canvas import SMOOTH
from render.faces.face import Face
from render.faces.places import MEASURES, anchor, inwards
from render.faces.shapes import CROWN, SHAPES, Drawing, draw_shape
from render.kept import PIECES
from render.lettering import Style, font
from render.outline import Outline, Point

PIPS_FROM = 150
"""The smallest edge with pips: on smaller tiles a digit is easier to read than six dots."""

PIP = 0.031
"""The radius of a pip, as a share of the edge like all lengths here."""
STEP = 0.108
"""From one pip of a row to the next."""
ROWS: tuple[tuple[int, ...], ...] = ((), (1,), (2,), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (3, 3, 2), (4, 3, 2))
"""By value: the pips in each row, from the side inwards."""
DEPTHS = {1: (0.125,), 2: (0.085, 0.185), 3: (0.05, 0.13, 0.21)}
"""How far each row is from the side, by the number of rows."""

SMALL, SMALL_AT = 0.13, 0.095
"""The height of a number on a side of a boss, and how far its middle is from the side."""


@PIECES.kept
def number_sign(edge: int, outline: Outline, face: Face, slot: int, value: int) -> Image.Image:
    """A label's number, as the face shows numbers."""
    measures = MEASURES[face.labels, outline.sides]
    if face.signs == "shapes":
        at = inwards(edge, outline, face.labels, slot, measures.shape_at)
        return _drawn(edge, outline, SHAPES[value], at, measures.shape * edge)
    if face.signs == "pips" and edge >= PIPS_FROM:
        return _pips(edge, outline, slot, value)
    at = inwards(edge, outline, face.labels, slot, measures.digit_at)
    return digit(edge, outline, value, at, measures.digit * edge)


def sign_height(edge: int, outline: Outline, face: Face) -> float:
    """How high the sign is by which a label is read, in pixels: the ink of a digit, two rows of pips, or a shape."""
    measures = MEASURES[face.labels, outline.sides]
    if face.signs == "shapes":
        return measures.shape * edge
    if face.signs == "pips" and edge >= PIPS_FROM:
        return (DEPTHS[2][1] - DEPTHS[2][0] + 2 * PIP) * edge
    _, top, _, bottom = font(Style.LOUD, round(measures.digit * edge * SMOOTH)).getbbox("0", anchor="ls")
    return (bottom - top) / SMOOTH


@PIECES.kept
def small(edge: int, outline: Outline, face: Face, slot: int, value: int) -> Image.Image:
    """The number that a side of a boss has come to count."""
    at = inwards(edge, outline, face.labels, slot, SMALL_AT)
    if face.signs == "shapes":
        return _drawn(edge, outline, SHAPES[value], at, SMALL * edge)
    return digit(edge, outline, value, at, SMALL * edge)


@PIECES.kept
def wild(edge: int, outline: Outline, face: Face, slot: int) -> Image.Image:
    """A crown, on a label that fits anything."""
    measures = MEASURES[face.labels, outline.sides]
    at = inwards(edge, outline, face.labels, slot, measures.shape_at)
    return _drawn(edge, outline, CROWN, at, measures.shape * edge)


@PIECES.kept
def crown(edge: int, outline: Outline, size: float) -> Image.Image:
    """A crown in the middle of the tile; `size` is a share of the edge."""
    return _drawn(edge, outline, CROWN, outline.centre(edge), size * edge)


@PIECES.kept
def plaque(edge: int, outline: Outline, size: float) -> Image.Image:
    """The round plate under a crown."""
    x, y = outline.centre(edge)
    sheet, reach = _sheet(edge, outline), size * edge
    box = [round(v * SMOOTH) for v in (x - reach, y - reach, x + reach, y + reach)]
    ImageDraw.Draw(sheet).ellipse(box, fill=255)
    return sheet.reduce(SMOOTH)


def digit(edge: int, outline: Outline, value: int, at: Point, height: float) -> Image.Image:
    """A digit with the middle of its ink at a point."""
    letters = font(Style.LOUD, round(height * SMOOTH))
    left, top, right, bottom = letters.getbbox(str(value), anchor="ls")
    x = round(at[0] * SMOOTH - (left + right) / 2)
    y = round(at[1] * SMOOTH - (top + bottom) / 2)
    sheet = _sheet(edge, outline)
    ImageDraw.Draw(sheet).text((x, y), str(value), fill=255, font=letters, anchor="ls")
    return sheet.reduce(SMOOTH)


def _pips(edge: int, outline: Outline, slot: int, value: int) -> Image.Image:
    """Dots in rows along a side."""
    sheet = _sheet(edge, outline)
    pen, radius = ImageDraw.Draw(sheet), PIP * edge * SMOOTH
    x, y = anchor(edge, outline, "sides", slot)
    middle = outline.centre(edge)
    far = hypot(middle[0] - x, middle[1] - y)
    inward = ((middle[0] - x) / far, (middle[1] - y) / far)
    rows = ROWS[value]
    for depth, pips in zip(DEPTHS.get(len(rows), ()), rows, strict=True):
        for pip in range(pips):
            along = (pip - (pips - 1) / 2) * STEP
            px = (x + (inward[0] * depth - inward[1] * along) * edge) * SMOOTH
            py = (y + (inward[1] * depth + inward[0] * along) * edge) * SMOOTH
            pen.ellipse((px - radius, py - radius, px + radius, py + radius), fill=255)
    return sheet.reduce(SMOOTH)


def _drawn(edge: int, outline: Outline, drawing: Drawing, at: Point, size: float) -> Image.Image:
    sheet = _sheet(edge, outline)
    draw_shape(ImageDraw.Draw(sheet), drawing, (at[0] * SMOOTH, at[1] * SMOOTH), size * SMOOTH)
    return sheet.reduce(SMOOTH)


def _sheet(edge: int, outline: Outline) -> Image.Image:
    return Image.new("L", (edge * SMOOTH, outline.height(edge) * SMOOTH), 0)
