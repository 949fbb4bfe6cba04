"""Digits, pips, shapes and crowns, each as a coverage (mode "L") as large as the tile."""

from math import ceil, floor

from PIL import Image, ImageDraw

from render.canvas.cache import PARTS, PIECES
from render.canvas.canvas import SMOOTH, smoothed
from render.canvas.cell_outline import Outline, Point
from render.canvas.lettering import Style, font
from render.faces.face import MEASURES, PILL_HIGH, RAISED, Face, along, digit_height, inwards
from render.faces.shapes import CROWN, SHAPES, Drawing, draw_shape

PIP = 0.029  # radius of a pip, as a share of the edge like all lengths here
STEP = 0.069  # from one pip to the next
APART = 0.03  # additional distance between two groups of a row
GROUPS: tuple[tuple[int, ...], ...] = ((), (1,), (2,), (3,), (2, 2), (3, 2), (3, 3))
"""By value: the groups of a row. More than six pips are in two rows of smaller pips."""
SMALL_PIP, SMALL_STEP = 0.018, 0.056
ROWS = {7: (4, 3), 8: (4, 4), 9: (5, 4)}
BETWEEN = 0.021  # distance of two rows from the middle of their pill
RING = 0.55  # hollow share of the sign for 0
SUM, SUM_OF_TWO = 0.2, 0.182  # height of a sum of one digit, and of two
TALL = 0.72  # height of a digit as a share of the font size


@PIECES.kept
def number_sign(edge: int, outline: Outline, face: Face, slot: int, value: int) -> Image.Image:
    """The sign of a number as the face shows numbers."""
    if face.signs == "pips":
        return _pips(edge, outline, slot, value)
    measures = MEASURES[face.labels, outline.sides]
    at = inwards(edge, outline, face.labels, slot, measures.at)
    if face.signs == "shapes":
        return _drawn(edge, outline, SHAPES[value], at, measures.shape * edge)
    return digit(edge, outline, str(value), at, digit_height(edge, measures))


def sign_height(edge: int, outline: Outline, face: Face) -> float:
    """The height of a tile's digits or shapes in pixels; for pips, that of a sum of two digits."""
    measures = MEASURES[face.labels, outline.sides]
    if face.signs == "shapes":
        return measures.shape * edge
    height = SUM_OF_TWO * edge if face.signs == "pips" else digit_height(edge, measures)
    _, top, _, bottom = font(Style.LOUD, round(height * SMOOTH / TALL)).getbbox("0", anchor="ls")
    return (bottom - top) / SMOOTH


@PIECES.kept
def engraved(edge: int, outline: Outline, number: int) -> Image.Image:
    """A sum in the middle of a tile."""
    x, y = outline.centre(edge)
    text = str(number)
    return digit(edge, outline, text, (x, y - RAISED * edge), (SUM if len(text) == 1 else SUM_OF_TWO) * edge)


@PIECES.kept
def wild(edge: int, outline: Outline, face: Face, slot: int) -> Image.Image:
    """A crown on a wild label."""
    if face.signs == "pips":
        return _drawn(edge, outline, CROWN, along(edge, outline, slot)[0], 2.2 * PILL_HIGH * edge)
    measures = MEASURES[face.labels, outline.sides]
    at = inwards(edge, outline, face.labels, slot, measures.at)
    return _drawn(edge, outline, CROWN, at, measures.shape * edge)


@PIECES.kept
def crown(edge: int, outline: Outline, size: float) -> Image.Image:
    """A crown in the middle of the tile; `size` is a share of the edge."""
    return _drawn(edge, outline, CROWN, outline.centre(edge), size * edge)


def digit(edge: int, outline: Outline, text: str, at: Point, height: float) -> Image.Image:
    """Digits of this height, with the middle of their ink at a point."""
    ink, (left, top, right, bottom) = _ink(text, round(height * SMOOTH / TALL))
    x = round(at[0] * SMOOTH - (left + right) / 2)
    y = round(at[1] * SMOOTH - (top + bottom) / 2)
    sheet = _sheet(edge, outline)
    sheet.paste(255, (x + floor(left), y + floor(top)), ink)
    return smoothed(sheet)


@PARTS.kept
def _ink(text: str, size: int) -> tuple[Image.Image, tuple[float, float, float, float]]:
    """Enlarged digits, drawn once for all positions, and their box relative to the base line."""
    letters = font(Style.LOUD, size)
    left, top, right, bottom = box = letters.getbbox(text, anchor="ls")
    ink = Image.new("L", (ceil(right) - floor(left), ceil(bottom) - floor(top)))
    ImageDraw.Draw(ink).text((-floor(left), -floor(top)), text, fill=255, font=letters, anchor="ls")
    return ink, box


def _pips(edge: int, outline: Outline, slot: int, value: int) -> Image.Image:
    """Dots along a side, in groups that are easy to count; a ring for 0."""
    sheet = _sheet(edge, outline)
    pen = ImageDraw.Draw(sheet)
    (x, y), (dx, dy) = along(edge, outline, slot)

    def dot(step: float, row: float, radius: float, ink: int = 255) -> None:
        at = ((x + (dx * step - dy * row) * edge) * SMOOTH, (y + (dy * step + dx * row) * edge) * SMOOTH)
        reach = radius * edge * SMOOTH
        pen.ellipse((at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach), fill=ink)

    if value == 0:
        dot(0, 0, PIP * 1.15)
        dot(0, 0, PIP * 1.15 * RING, 0)
    elif value in ROWS:
        for side, pips in zip((-1, 1), ROWS[value], strict=True):
            for pip in range(pips):
                dot((pip - (pips - 1) / 2) * SMALL_STEP, side * BETWEEN, SMALL_PIP)
    else:
        groups = GROUPS[value]
        step = -((value - 1) * STEP + (len(groups) - 1) * APART) / 2
        for pips in groups:
            for pip in range(pips):
                dot(step + pip * STEP, 0, PIP)
            step += pips * STEP + APART
    return smoothed(sheet)


def _drawn(edge: int, outline: Outline, drawing: Drawing, at: Point, size: float) -> Image.Image:
    sheet = _sheet(edge, outline)
    draw_shape(ImageDraw.Draw(sheet), drawing, (at[0] * SMOOTH, at[1] * SMOOTH), size * SMOOTH)
    return smoothed(sheet)


def _sheet(edge: int, outline: Outline) -> Image.Image:
    return Image.new("L", (edge * SMOOTH, outline.height(edge) * SMOOTH), 0)
