"""The table of a league division, readable on a phone: few columns, large letters, triangles up and down."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from render.canvas import marks
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Canvas, Sprite, draw_sprite, render_sprite
from render.canvas.cell_outline import Outline
from render.canvas.lettering import Style, clean_text, draw_fitted_text, draw_text
from render.canvas.picture import WIDTH, Picture, build_picture, draw_cloth
from render.canvas.theme import Theme, get_theme

MARGIN: Final = 24
HEADER_HEIGHT: Final = 190  # above the first line: title, subtitle, names of the columns
LINE_HEIGHT: Final = 104
GAP: Final = 10
SIGN_SIZE: Final = 34
NAME_X: Final = 176
POINTS_X, RECORD_X, DIFFERENCE_X = 760, 970, WIDTH - MARGIN - 30  # right edges of the columns

ROUND_SIZE: Final = 24  # size of the sign of a round
ROUND_STEP: Final = 36

RoundSign = Literal["won", "tied", "lost", "unplayed", "bye", "open", "none"]
"""Full, half or empty circle; x for no result, bar for a bye, dot for a running match, nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueLine:
    place: str
    name: str
    points: str
    record: str  # matches won, tied and lost
    difference: str
    movement: Literal["up", "down", ""] = ""  # promotion or relegation
    rounds: tuple[RoundSign, ...] = ()  # the result of each round
    is_first: bool = False
    has_left: bool = False


def render_league_table(
    title: str, subtitle: str, columns: Sequence[str], lines: Sequence[LeagueLine], *, scheme: str = "dark"
) -> Picture:
    """Draw the table; `columns` names its three columns of numbers. 1200 pixels wide."""
    canvas = Canvas(WIDTH, HEADER_HEIGHT + len(lines) * (LINE_HEIGHT + GAP) + MARGIN - GAP, get_theme(scheme))
    draw_cloth(canvas)
    theme, room = canvas.theme, POINTS_X - 160 - MARGIN
    title, subtitle = clean_text(title, "·"), clean_text(subtitle)
    draw_fitted_text(canvas, title, MARGIN + 6, 78, Style.LOUD, (52,), WIDTH - 2 * MARGIN, theme.text)
    draw_fitted_text(canvas, subtitle, MARGIN + 6, 158, Style.TEXT, (38,), room, theme.accent)
    for name, right in zip(columns, (POINTS_X, RECORD_X, DIFFERENCE_X), strict=True):
        draw_text(canvas, clean_text(name), right, 158, Style.TEXT, 34, theme.quiet, side="right")
    for number, line in enumerate(lines):
        _draw_line(canvas, line, HEADER_HEIGHT + number * (LINE_HEIGHT + GAP))
    return build_picture(canvas)


def _draw_line(canvas: Canvas, line: LeagueLine, top: int) -> None:
    theme = canvas.theme
    marks.draw_plate(canvas, MARGIN, top, WIDTH - 2 * MARGIN, LINE_HEIGHT, lit=line.is_first)
    ground = marks.choose_ground(theme, lit=line.is_first)
    quiet_colour = theme.ink_quiet if line.is_first else theme.quiet
    strong_colour = quiet_colour if line.has_left else theme.ink if line.is_first else theme.text
    base = top + (54 if line.rounds else 68)
    if line.movement:
        outline, colour = (Outline.UP, theme.gain) if line.movement == "up" else (Outline.DOWN, theme.loss)
        ink = theme.ink_quiet if line.is_first else colour
        sign = render_sprite(theme, ink, ground, marks.render_tile_icon, SIGN_SIZE, outline)
        canvas.paste_sprite(sign, MARGIN + 20, top + (LINE_HEIGHT - sign.height) // 2)
    if line.rounds:
        canvas.paste_sprite(_render_rounds(theme, line.rounds, lit=line.is_first), NAME_X, top + 68)
    for text, right, style, size, colour in (
        (line.place, NAME_X - 26, Style.LOUD, 46, strong_colour),
        (line.points, POINTS_X, Style.LOUD, 54, strong_colour),
        (line.record, RECORD_X, Style.TEXT, 42, quiet_colour),
        (line.difference, DIFFERENCE_X, Style.TEXT, 42, quiet_colour),
    ):
        draw_text(canvas, text, right, top + 68, style, size, colour, ground=ground, side="right")
    # The message below the picture names players whose letters no font has.
    name, room = clean_text(line.name, f"#{line.place}"), POINTS_X - 110 - NAME_X
    draw_fitted_text(canvas, name, NAME_X, base, Style.TEXT, (46, 42, 38), room, strong_colour, ground=ground)


@PART_CACHE.memoize
def _render_rounds(theme: Theme, signs: tuple[RoundSign, ...], *, lit: bool) -> Sprite:
    """The signs of a line on its plate. Most lines do not change between two rounds."""

    def draw(canvas: Canvas) -> None:
        under = marks.choose_ground(theme, lit=lit)
        box = render_sprite(theme, under, under, marks.render_rounded_box, canvas.width, canvas.height, 0)
        canvas.paste_sprite(box, 0, 0)
        for number, sign in enumerate(signs):
            _draw_round(canvas, sign, number * ROUND_STEP, lit=lit)

    return draw_sprite(theme, (len(signs) * ROUND_STEP, ROUND_SIZE), draw)


def _draw_round(canvas: Canvas, sign: RoundSign, x: int, *, lit: bool) -> None:
    theme, under = canvas.theme, marks.choose_ground(canvas.theme, lit=lit)
    result_colours = {"won": theme.gain, "tied": theme.accent, "lost": theme.loss}
    colour = theme.ink_quiet if lit else result_colours.get(sign, theme.quiet)
    match sign:
        case "won" | "tied" | "lost":
            canvas.paste_sprite(render_sprite(theme, colour, under, marks.render_round_sign, ROUND_SIZE, sign), x, 0)
        case "unplayed":
            canvas.paste_sprite(render_sprite(theme, colour, under, marks.render_cross, ROUND_SIZE), x, 0)
        case "bye":
            bar = render_sprite(theme, colour, under, marks.render_rounded_box, ROUND_SIZE, 6, 3)
            canvas.paste_sprite(bar, x, ROUND_SIZE // 2 - 3)
        case "open":
            dot = render_sprite(theme, colour, under, marks.render_dot, 8)
            canvas.paste_sprite(dot, x + ROUND_SIZE // 2 - 4, ROUND_SIZE // 2 - 4)
        case "none":
            pass
