"""The comparison of a duplicate deal: a bar for each line, to the right if it is above the mean of its seat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from render.canvas import marks
from render.canvas.canvas import Canvas
from render.canvas.lettering import Style, clean_text, draw_fitted_text, draw_text, measure_text
from render.canvas.picture import MARGIN, RIM, WIDTH, Picture, build_picture, draw_cloth
from render.canvas.theme import get_theme
from render.table.cards import format_signed

HEADING: Final = 130  # top of the first line
BAR_ROW: Final = 84  # height of a line
BAR: Final = 40
MEAN_X: Final = 760  # position of the mean
MAX_BAR_LENGTH: Final = WIDTH - MARGIN - MEAN_X - 150  # length of the longest bar; its points follow


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A player's points compared with the field."""

    name: str
    lead: int


def render_field_comparison(title: str, lines: Sequence[FieldLine], *, scheme: str = "dark") -> Picture:
    """Draw the comparison, 1200 pixels wide. The first line is the best. Raises ValueError for an unknown `scheme`."""
    canvas = Canvas(WIDTH, HEADING + BAR_ROW * len(lines) + RIM, get_theme(scheme))
    draw_cloth(canvas)
    theme = canvas.theme
    draw_fitted_text(canvas, clean_text(title), MARGIN, 86, Style.LOUD, (54,), WIDTH - 2 * MARGIN, theme.text)
    largest = max((abs(line.lead) for line in lines), default=0) or 1
    best = lines[0].lead if lines else 0
    for number, line in enumerate(lines):
        top = HEADING + BAR_ROW * number
        room = MEAN_X - MAX_BAR_LENGTH - MARGIN - 130
        draw_fitted_text(canvas, clean_text(line.name), MARGIN, top + 55, Style.TEXT, (40,), room, theme.text)
        # A bar cannot be shorter than its round ends.
        length = max(BAR, round(MAX_BAR_LENGTH * abs(line.lead) / largest)) if line.lead else 0
        left = MEAN_X if line.lead > 0 else MEAN_X - length
        if length:
            marks.draw_plate(canvas, left, top + 22, length, BAR, lit=line.lead == best)
        points = format_signed(line.lead)
        x = MEAN_X + length + 16 if line.lead >= 0 else left - 16 - measure_text(points, Style.LOUD, 40)
        draw_text(canvas, points, x, top + 55, Style.LOUD, 40, theme.text)
    return build_picture(canvas)
