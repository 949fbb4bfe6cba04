"""Digits, pips, shapes and crowns, each as a coverage (mode "L") as large as the tile."""

from math import ceil, floor

from PIL import Image, ImageDraw

from render.canvas.cache import COMPOSITION_CACHE, PART_CACHE
from render.canvas.canvas import OVERSAMPLING, downsample
from render.canvas.cell_outline import Outline, Point, move_toward
from render.canvas.lettering import Style, load_manrope
from render.faces.face import (
    INLAY_RAISE,
    MEASURES,
    PILL_HALF_HEIGHT,
    Face,
    compute_digit_height,
    compute_inlay_centre,
    compute_pill_axis,
)
from render.faces.shapes import CROWN, SHAPES, Drawing, draw_shape

PIP_RADIUS = 0.029  # radius of a pip, as a share of the edge like all lengths here
PIP_STEP = 0.069  # from one pip to the next
GROUP_GAP = 0.03  # additional distance between two groups of a row
GROUPS: tuple[tuple[int, ...], ...] = ((), (1,), (2,), (3,), (2, 2), (3, 2), (3, 3))
"""By value: the groups of a row. More than six pips are in two rows of smaller pips."""
SMALL_PIP_RADIUS, SMALL_PIP_STEP = 0.018, 0.056
ROWS = {7: (4, 3), 8: (4, 4), 9: (5, 4)}
ROW_OFFSET = 0.021  # distance of two rows from the middle of their pill
ZERO_HOLE = 0.55  # hollow share of the sign for 0
SUM_HEIGHT, TWO_DIGIT_SUM_HEIGHT = 0.2, 0.182  # height of a sum of one digit, and of two
SUM_HEIGHT_BESIDE_SHAPES, SUM_INSET = 0.15, 0.27  # its height where shapes fill the middle, and inset from a corner
DIGIT_SHARE = 0.72  # height of a digit as a share of the font size


@COMPOSITION_CACHE.memoize
def render_number(edge: int, outline: Outline, face: Face, slot: int, value: int) -> Image.Image:
    """The sign of a number as the face shows numbers."""
    if face.signs == "pips":
        return _render_pips(edge, outline, slot, value)
    measures = MEASURES[face.labels, outline.sides]
    at = compute_inlay_centre(edge, outline, face.labels, slot, measures.inset)
    if face.signs == "shapes":
        return _render_drawing(edge, outline, SHAPES[value], at, measures.shape * edge)
    return render_digits(edge, outline, str(value), at, compute_digit_height(edge, measures))


def compute_sign_height(edge: int, outline: Outline, face: Face) -> float:
    """The height of a tile's digits or shapes in pixels; for pips, that of a sum of two digits."""
    measures = MEASURES[face.labels, outline.sides]
    if face.signs == "shapes":
        return measures.shape * edge
    height = TWO_DIGIT_SUM_HEIGHT * edge if face.signs == "pips" else compute_digit_height(edge, measures)
    _, top, _, bottom = load_manrope(Style.LOUD, round(height * OVERSAMPLING / DIGIT_SHARE)).getbbox("0", anchor="ls")
    return (bottom - top) / OVERSAMPLING


@COMPOSITION_CACHE.memoize
def render_sum(edge: int, outline: Outline, face: Face, number: int) -> Image.Image:
    """A sum in the free part of a tile."""
    share = SUM_HEIGHT if number < 10 else TWO_DIGIT_SUM_HEIGHT
    height = (SUM_HEIGHT_BESIDE_SHAPES if face.signs == "shapes" else share) * edge
    x, y = _compute_free_point(edge, outline, face)
    return render_digits(edge, outline, str(number), (x, y - INLAY_RAISE * edge), height)


def _compute_free_point(edge: int, outline: Outline, face: Face) -> Point:
    """The middle of a tile; in a triangle whose middle is full of shapes, its upper or lower corner."""
    centre = outline.compute_centre(edge)
    if face.labels == "corners" or face.signs != "shapes" or outline.sides == 4:
        return centre
    return move_toward(outline.compute_corners(edge)[1 if outline is Outline.UP else 2], centre, SUM_INSET * edge)


@COMPOSITION_CACHE.memoize
def render_wild_crown(edge: int, outline: Outline, face: Face, slot: int) -> Image.Image:
    """A crown on a wild label."""
    if face.signs == "pips":
        at, _ = compute_pill_axis(edge, outline, slot)
        return _render_drawing(edge, outline, CROWN, at, 2.2 * PILL_HALF_HEIGHT * edge)
    measures = MEASURES[face.labels, outline.sides]
    at = compute_inlay_centre(edge, outline, face.labels, slot, measures.inset)
    return _render_drawing(edge, outline, CROWN, at, measures.shape * edge)


@COMPOSITION_CACHE.memoize
def render_crown(edge: int, outline: Outline, face: Face, size: float) -> Image.Image:
    """A crown in the free part of a tile; `size` is a share of the edge."""
    middle = outline.compute_centre(edge) if face.wild_value is None else _compute_free_point(edge, outline, face)
    return _render_drawing(edge, outline, CROWN, middle, size * edge)


def render_digits(edge: int, outline: Outline, text: str, at: Point, height: float) -> Image.Image:
    """Digits of this height, with the middle of their ink at a point."""
    ink, (left, top, right, bottom) = _render_ink(text, round(height * OVERSAMPLING / DIGIT_SHARE))
    x = round(at[0] * OVERSAMPLING - (left + right) / 2)
    y = round(at[1] * OVERSAMPLING - (top + bottom) / 2)
    sheet = _create_sheet(edge, outline)
    sheet.paste(255, (x + floor(left), y + floor(top)), ink)
    return downsample(sheet)


@PART_CACHE.memoize
def _render_ink(text: str, size: int) -> tuple[Image.Image, tuple[float, float, float, float]]:
    """Enlarged digits, drawn once for all positions, and their box relative to the base line."""
    letters = load_manrope(Style.LOUD, size)
    left, top, right, bottom = box = letters.getbbox(text, anchor="ls")
    ink = Image.new("L", (ceil(right) - floor(left), ceil(bottom) - floor(top)))
    ImageDraw.Draw(ink).text((-floor(left), -floor(top)), text, fill=255, font=letters, anchor="ls")
    return ink, box


def _render_pips(edge: int, outline: Outline, slot: int, value: int) -> Image.Image:
    """Dots along a side, in groups that are easy to count; a ring for 0."""
    sheet = _create_sheet(edge, outline)
    pen = ImageDraw.Draw(sheet)
    (x, y), (dx, dy) = compute_pill_axis(edge, outline, slot)

    def dot(step: float, row: float, radius: float, ink: int = 255) -> None:
        at = ((x + (dx * step - dy * row) * edge) * OVERSAMPLING, (y + (dy * step + dx * row) * edge) * OVERSAMPLING)
        reach = radius * edge * OVERSAMPLING
        pen.ellipse((at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach), fill=ink)

    if value == 0:
        dot(0, 0, PIP_RADIUS * 1.15)
        dot(0, 0, PIP_RADIUS * 1.15 * ZERO_HOLE, 0)
    elif value in ROWS:
        for side, pips in zip((-1, 1), ROWS[value], strict=True):
            for pip in range(pips):
                dot((pip - (pips - 1) / 2) * SMALL_PIP_STEP, side * ROW_OFFSET, SMALL_PIP_RADIUS)
    else:
        groups = GROUPS[value]
        step = -((value - 1) * PIP_STEP + (len(groups) - 1) * GROUP_GAP) / 2
        for pips in groups:
            for pip in range(pips):
                dot(step + pip * PIP_STEP, 0, PIP_RADIUS)
            step += pips * PIP_STEP + GROUP_GAP
    return downsample(sheet)


def _render_drawing(edge: int, outline: Outline, drawing: Drawing, at: Point, size: float) -> Image.Image:
    sheet = _create_sheet(edge, outline)
    draw_shape(ImageDraw.Draw(sheet), drawing, (at[0] * OVERSAMPLING, at[1] * OVERSAMPLING), size * OVERSAMPLING)
    return downsample(sheet)


def _create_sheet(edge: int, outline: Outline) -> Image.Image:
    return Image.new("L", (edge * OVERSAMPLING, outline.compute_height(edge) * OVERSAMPLING), 0)
