"""The comparison of a duplicate deal: a bar for each line, to the right if it is above the mean of its seat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from render.canvas import marks
from render.canvas.canvas import Canvas
from render.canvas.lettering import Style, draw_text, fitted, length, readable
from render.canvas.picture import MARGIN, RIM, WIDTH, Picture, finished, lay_cloth
from render.canvas.theme import theme_of
from render.table.cards import signed

HEADING: Final = 130  # top of the first line
BAR_ROW: Final = 84  # height of a line
BAR: Final = 40
MIDDLE: Final = 760  # position of the mean
REACH: Final = WIDTH - MARGIN - MIDDLE - 150  # length of the longest bar; its points follow


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A player's points compared with the field."""

    name: str
    ahead: int


def field_picture(title: str, lines: Sequence[FieldLine], *, scheme: str = "dark") -> Picture:
    """Draw the comparison, 1200 pixels wide. The first line is the best. Raises ValueError for an unknown `scheme`."""
    canvas = Canvas(WIDTH, HEADING + BAR_ROW * len(lines) + RIM, theme_of(scheme))
    lay_cloth(canvas)
    theme = canvas.theme
    text = fitted(readable(title), Style.LOUD, 54, WIDTH - 2 * MARGIN)
    draw_text(canvas, text, MARGIN, 86, Style.LOUD, 54, theme.text)
    most = max((abs(line.ahead) for line in lines), default=0) or 1
    best = lines[0].ahead if lines else 0
    for number, line in enumerate(lines):
        top = HEADING + BAR_ROW * number
        name = fitted(readable(line.name), Style.TEXT, 40, MIDDLE - REACH - MARGIN - 130)
        draw_text(canvas, name, MARGIN, top + 55, Style.TEXT, 40, theme.text)
        # A bar cannot be shorter than its round ends.
        long = max(BAR, round(REACH * abs(line.ahead) / most)) if line.ahead else 0
        left = MIDDLE if line.ahead > 0 else MIDDLE - long
        if long:
            marks.panel(canvas, left, top + 22, long, BAR, lit=line.ahead == best)
        told = signed(line.ahead)
        at = MIDDLE + long + 16 if line.ahead >= 0 else left - 16 - length(told, Style.LOUD, 40)
        draw_text(canvas, told, at, top + 55, Style.LOUD, 40, theme.text)
    return finished(canvas)
