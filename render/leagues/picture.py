"""The table of a league division, readable on a phone: few columns, large letters, triangles up and down."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from PIL import Image

from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Canvas, Sprite, inked
from render.canvas.cell_outline import Outline
from render.canvas.lettering import Style, draw_text, fit, fitted, readable
from render.canvas.picture import WIDTH, Picture, finished, lay_cloth
from render.canvas.theme import Colour, Theme, theme_of

EDGE: Final = 24
HEAD: Final = 190  # above the first line: title, subtitle, names of the columns
LINE: Final = 104
GAP: Final = 10
SIGN: Final = 34
NAME_AT: Final = 176
POINTS_AT, RECORD_AT, DIFFERENCE_AT = 760, 970, WIDTH - EDGE - 30  # right edges of the columns

ROUND: Final = 24  # size of the sign of a round
ROUND_STEP: Final = 36

RoundSign = Literal["won", "tied", "lost", "unplayed", "bye", "open", "none"]
"""Full, half or empty circle; x for no result, bar for a bye, dot for a running match, nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueLine:
    """One line of the table."""

    place: str
    name: str
    points: str
    record: str  # matches won, tied and lost
    difference: str
    goes: Literal["up", "down", ""] = ""  # promotion or relegation
    rounds: tuple[RoundSign, ...] = ()  # the result of each round
    first: bool = False
    left: bool = False


def league_picture(
    title: str, subtitle: str, columns: Sequence[str], lines: Sequence[LeagueLine], *, scheme: str = "dark"
) -> Picture:
    """Draw the table; `columns` names its three columns of numbers. 1200 pixels wide."""
    canvas = Canvas(WIDTH, HEAD + len(lines) * (LINE + GAP) + EDGE - GAP, theme_of(scheme))
    lay_cloth(canvas)
    pen = _Pen(canvas)
    pen.text(fitted(readable(title, "·"), Style.LOUD, 52, WIDTH - 2 * EDGE), EDGE + 6, 78, 52, canvas.theme.text)
    room = POINTS_AT - 160 - EDGE
    pen.text(fitted(readable(subtitle), Style.TEXT, 38, room), EDGE + 6, 158, 38, canvas.theme.accent, Style.TEXT)
    for name, right in zip(columns, (POINTS_AT, RECORD_AT, DIFFERENCE_AT), strict=True):
        pen.text(readable(name), right, 158, 34, canvas.theme.quiet, Style.TEXT, "right")
    for number, line in enumerate(lines):
        _draw(canvas, line, HEAD + number * (LINE + GAP))
    return finished(canvas)


class _Pen:
    """Writes on the cloth or on a plate."""

    def __init__(self, canvas: Canvas, ground: Colour | None = None) -> None:
        self.canvas = canvas
        self.ground = ground or canvas.theme.cloth

    def text(
        self, text: str, x: int, base: int, size: int, colour: Colour, style: Style = Style.LOUD, side: str = "left"
    ) -> None:
        draw_text(self.canvas, text, x, base, style, size, colour, ground=self.ground, side=side)


def _draw(canvas: Canvas, line: LeagueLine, top: int) -> None:
    theme = canvas.theme
    marks.panel(canvas, EDGE, top, WIDTH - 2 * EDGE, LINE, lit=line.first)
    pen = _Pen(canvas, marks.ground(theme, lit=line.first))
    quiet = theme.ink_quiet if line.first else theme.quiet
    loud = quiet if line.left else theme.ink if line.first else theme.text
    base = top + (54 if line.rounds else 68)
    if line.goes:
        outline, colour = (Outline.UP, theme.gain) if line.goes == "up" else (Outline.DOWN, theme.loss)
        ink = theme.ink_quiet if line.first else colour
        sign = inked(theme, ink, pen.ground, marks.little_tile, SIGN, outline)
        canvas.stamp(sign, EDGE + 20, top + (LINE - sign.height) // 2)
    if line.rounds:
        canvas.stamp(_rounds(theme, line.rounds, lit=line.first), NAME_AT, top + 68)
    pen.text(line.place, NAME_AT - 26, top + 68, 46, loud, Style.LOUD, "right")
    # The message below the picture names players whose letters no font has.
    room = POINTS_AT - 110 - NAME_AT
    name, size = fit(readable(line.name, f"#{line.place}"), Style.TEXT, (46, 42, 38), room)
    pen.text(name, NAME_AT, base, size, loud, Style.TEXT)
    pen.text(line.points, POINTS_AT, top + 68, 54, loud, Style.LOUD, "right")
    pen.text(line.record, RECORD_AT, top + 68, 42, quiet, Style.TEXT, "right")
    pen.text(line.difference, DIFFERENCE_AT, top + 68, 42, quiet, Style.TEXT, "right")


@PARTS.kept
def _rounds(theme: Theme, signs: tuple[RoundSign, ...], *, lit: bool) -> Sprite:
    """The signs of a line on its plate. Most lines do not change between two rounds."""

    def drawn(*, true: bool) -> Image.Image:
        canvas = Canvas(len(signs) * ROUND_STEP, ROUND, theme, true=true)
        under = marks.ground(theme, lit=lit)
        canvas.stamp(inked(theme, under, under, marks.slab, canvas.width, canvas.height, 0), 0, 0)
        for number, sign in enumerate(signs):
            _draw_round(canvas, sign, number * ROUND_STEP, lit=lit)
        return canvas.image.copy()

    return Sprite(theme, lambda: drawn(true=True), None, drawn(true=False))


def _draw_round(canvas: Canvas, sign: RoundSign, x: int, *, lit: bool) -> None:
    theme, under = canvas.theme, marks.ground(canvas.theme, lit=lit)
    loud = {"won": theme.gain, "tied": theme.accent, "lost": theme.loss}
    colour = theme.ink_quiet if lit else loud.get(sign, theme.quiet)
    match sign:
        case "won" | "tied" | "lost":
            canvas.stamp(inked(theme, colour, under, marks.round_sign, ROUND, sign), x, 0)
        case "unplayed":
            canvas.stamp(inked(theme, colour, under, marks.ballot_x, ROUND), x, 0)
        case "bye":
            canvas.stamp(inked(theme, colour, under, marks.slab, ROUND, 6, 3), x, ROUND // 2 - 3)
        case "open":
            canvas.stamp(inked(theme, colour, under, marks.dot, 8), x + ROUND // 2 - 4, ROUND // 2 - 4)
        case "none":
            pass
