"""The course of a total through a match: a small curve with a dot at its end."""

from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw

from render.canvas import shape
from render.kept import PARTS

CURVE: Final = (300, 58)
"""The width and height of a curve."""


def course_points(totals: Sequence[int], low: int, high: int) -> tuple[tuple[float, float], ...]:
    """The course of a total in shares of its box, left to right and top to bottom."""
    return tuple(
        (step / max(1, len(totals) - 1), (high - total) / max(1, high - low)) for step, total in enumerate(totals)
    )


def curve(points: Sequence[tuple[float, float]]) -> Image.Image:
    """The coverage of a course, with a dot at its end."""
    wide, high = CURVE

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        placed = [(8 + x * (wide - 20), 8 + y * (high - 16)) for x, y in points]
        pen.line([(x * scale, y * scale) for x, y in placed], 255, 4 * scale, joint="curve")
        x, y = placed[-1]
        pen.ellipse([v * scale for v in (x - 7, y - 7, x + 7, y + 7)], fill=255)

    return shape(wide, high, draw)


@PARTS.kept
def nought(at: int) -> Image.Image:
    """The line at which a total is nought."""
    sheet = Image.new("L", CURVE, 0)
    ImageDraw.Draw(sheet).rectangle((8, min(CURVE[1] - 6, at - 3), CURVE[0] - 12, min(CURVE[1] - 5, at - 2)), fill=150)
    return sheet
