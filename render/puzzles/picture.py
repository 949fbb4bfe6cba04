"""A player's result in a puzzle, to be shared: a triangle for each try, without the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PIL import Image

from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Canvas, Sprite, smoothed, soft, some
from render.canvas.cell_outline import Outline, rise
from render.canvas.lettering import Style, draw_text, fit, length, readable
from render.canvas.picture import MARGIN, WIDTH, Picture, finished, lay_cloth
from render.canvas.theme import Colour, Theme, mix, theme_of
from render.table.open_places import open_place
from render.table.plain_tile import large, shadow

TITLES: Final = (58, 50, 44, 38)  # sizes of the title
NAMES: Final = (60, 52, 46)
SUM: Final = 120
TRY: Final = 264  # edge of the triangle of a try
TRIES_AT: Final = 202  # top of the triangles
HINT: Final = 116
DAY: Final = 60  # edge of a triangle of the streak
DAYS: Final = 14  # days of a streak that are drawn; the text has the exact number
STREAK_HIGH: Final = 116
GAP: Final = 34
LIP_SHARE: Final = 0.45  # how much darker the lip of a triangle is than its face


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleCard:
    """The content of the picture, in the language of its readers."""

    title: str  # day and game
    kind: str  # the task
    name: str  # the player
    missed: int
    solved: bool
    hinted: bool
    most: int  # number of tries allowed
    streak: str = ""  # the days in a row that were solved, as text; empty for no streak
    days: int = 0  # the same as a number

    @property
    def tries(self) -> tuple[str, ...]:
        """`miss`, `hit` or `left`, for each try in order."""
        made = ("miss",) * self.missed + ("hit",) * self.solved
        return made + ("left",) * (self.most - len(made))


def puzzle_card(card: PuzzleCard, *, scheme: str = "dark") -> Picture:
    """Draw the result, 1200 pixels wide, higher with a streak. Raises ValueError for an unknown `scheme`."""
    below = TRIES_AT + rise(TRY) + GAP
    canvas = Canvas(WIDTH, below + (STREAK_HIGH + GAP if card.streak else 8), theme_of(scheme))
    lay_cloth(canvas)
    theme, room = canvas.theme, WIDTH - 2 * MARGIN
    _write(canvas, card.title, MARGIN, 88, room, TITLES, theme.text)
    _write(canvas, card.kind, MARGIN, 150, room, (44, 38), theme.accent, Style.TEXT)
    for number, went in enumerate(card.tries):
        _try(canvas, went, Outline.DOWN if number % 2 else Outline.UP, *try_at(number))
    left = MARGIN + (card.most + 1) * TRY // 2 + GAP
    room = WIDTH - MARGIN - left
    tried = f"{card.missed + 1 if card.solved else 'X'}/{card.most}"
    _write(canvas, tried, left, TRIES_AT + 112, room, (SUM,), theme.gain if card.solved else theme.loss)
    if card.hinted:
        _hint(canvas, left + length(tried, Style.LOUD, SUM) + GAP, TRIES_AT + 112 - rise(HINT))
    _write(canvas, card.name, left, TRIES_AT + 202, room, NAMES, theme.text)
    if card.streak:
        _streak(canvas, card, below)
    return finished(canvas)


def try_at(number: int) -> tuple[int, int]:
    """The top left corner of the box of a try, counted from 0."""
    return MARGIN + number * TRY // 2, TRIES_AT


def _write(
    canvas: Canvas, text: str, x: int, base: int, room: int, sizes: tuple[int, ...], colour: Colour,
    style: Style = Style.LOUD,
) -> None:  # fmt: skip
    """Write a text on the cloth, as large as possible."""
    text, size = fit(readable(text, "·"), style, sizes, room)
    draw_text(canvas, text, x, base, style, size, colour)


def _try(canvas: Canvas, went: str, outline: Outline, x: int, y: int) -> None:
    theme = canvas.theme
    if went == "left":
        canvas.stamp(open_place(theme, TRY, outline, "", loud=False), x, y)
        return
    colour = theme.gain if went == "hit" else theme.loss
    _lay(canvas, TRY, outline, colour, x, y)
    # Signs repeat the meaning for colour-blind people.
    _sign(canvas, marks.tick if went == "hit" else marks.ballot_x, outline, colour, x, y)


def _hint(canvas: Canvas, x: int, y: int) -> None:
    theme = canvas.theme
    _lay(canvas, HINT, Outline.UP, theme.brass, x, y)
    at, down = Outline.UP.heart(HINT)
    ink = ink_on(theme, theme.brass)
    draw_text(canvas, "?", x + at, y + down + 21, Style.LOUD, 56, ink, ground=theme.brass, side="middle")


def _streak(canvas: Canvas, card: PuzzleCard, y: int) -> None:
    """Draw the streak on a plate: in words, and as a row of triangles."""
    width = WIDTH - 2 * MARGIN
    marks.panel(canvas, MARGIN, y, width, STREAK_HIGH)
    days = min(card.days, DAYS)
    wide = (days + 1) * DAY // 2
    text, size = fit(readable(card.streak), Style.TEXT, (46, 40, 36), width - 3 * 30 - wide)
    theme = canvas.theme
    draw_text(canvas, text, MARGIN + 30, y + 74, Style.TEXT, size, theme.text, ground=theme.slot)
    left, top = WIDTH - MARGIN - 30 - wide, y + (STREAK_HIGH - rise(DAY)) // 2
    for number in range(days):
        outline = Outline.DOWN if number % 2 else Outline.UP
        canvas.stamp(_coloured(theme, DAY, outline, theme.gain, theme.slot), left + number * DAY // 2, top)


def _lay(canvas: Canvas, edge: int, outline: Outline, colour: Colour, x: int, y: int) -> None:
    below, reach = shadow(canvas.theme, edge, outline)
    canvas.shade(below, x - reach, y - reach)
    canvas.stamp(_coloured(canvas.theme, edge, outline, colour, canvas.theme.deep), x, y)


def _sign(canvas: Canvas, make: Callable[[int], Image.Image], outline: Outline, colour: Colour, x: int, y: int) -> None:
    size = round(0.3 * TRY)
    cover = make(size)
    at, down = outline.heart(TRY)
    ink = Sprite(canvas.theme, soft(cover, colour, ink_on(canvas.theme, colour)), some(cover))
    canvas.stamp(ink, x + at - size // 2, y + down - size // 2)


def ink_on(theme: Theme, colour: Colour) -> Colour:
    """The ink for digits with the greater contrast to a colour."""
    return max(theme.dark_digit, theme.light_digit, key=lambda ink: abs(sum(ink) - sum(colour)))


@PARTS.kept
def _coloured(theme: Theme, edge: int, outline: Outline, colour: Colour, ground: Colour) -> Sprite:
    """A tile of one colour with its lip."""
    whole, face = large(edge, outline)
    picture = soft(smoothed(whole), ground, mix(colour, theme.deep, LIP_SHARE))
    picture.paste(colour, (0, 0), smoothed(face))
    return Sprite(theme, picture, some(smoothed(whole)))
