"""A player's result in a puzzle, to be shared: a triangle for each try, without the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PIL import Image

from render.canvas import marks
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Canvas, Sprite, colourise, downsample, threshold
from render.canvas.cell_outline import Outline, compute_triangle_height
from render.canvas.lettering import Style, clean_text, draw_fitted_text, draw_text, measure_text
from render.canvas.picture import MARGIN, WIDTH, Picture, build_picture, draw_cloth
from render.canvas.theme import Colour, Theme, get_theme, mix
from render.table.open_places import render_open_place
from render.table.plain_tile import paint_tile_shadow, render_enlarged_tile

TITLES: Final = (58, 50, 44, 38)  # sizes of the title
NAMES: Final = (60, 52, 46)
TRY_COUNT_SIZE: Final = 120
TRY_EDGE: Final = 264  # edge of the triangle of a try
TRIES_TOP: Final = 202  # top of the triangles
HINT_EDGE: Final = 116
DAY_EDGE: Final = 60  # edge of a triangle of the streak
MAX_DAYS: Final = 14  # days of a streak that are drawn; the text has the exact number
STREAK_HEIGHT: Final = 116
GAP: Final = 34
LIP_SHARE: Final = 0.45  # how much darker the lip of a triangle is than its face


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleCard:
    """The content of the picture, in the language of its readers."""

    title: str  # day and game
    kind: str  # the task
    name: str  # the player
    miss_count: int
    is_solved: bool
    has_hint: bool
    max_tries: int  # number of tries allowed
    streak: str = ""  # the days in a row that were solved, as text; empty for no streak
    streak_days: int = 0  # the same as a number

    @property
    def tries(self) -> tuple[str, ...]:
        """`miss`, `hit` or `left`, for each try in order."""
        made = ("miss",) * self.miss_count + ("hit",) * self.is_solved
        return made + ("left",) * (self.max_tries - len(made))


def render_puzzle_card(card: PuzzleCard, *, scheme: str = "dark") -> Picture:
    """Draw the result, 1200 pixels wide, higher with a streak. Raises ValueError for an unknown `scheme`."""
    below = TRIES_TOP + compute_triangle_height(TRY_EDGE) + GAP
    canvas = Canvas(WIDTH, below + (STREAK_HEIGHT + GAP if card.streak else 8), get_theme(scheme))
    draw_cloth(canvas)
    theme, room = canvas.theme, WIDTH - 2 * MARGIN
    title, kind, name = (clean_text(text, "·") for text in (card.title, card.kind, card.name))
    draw_fitted_text(canvas, title, MARGIN, 88, Style.LOUD, TITLES, room, theme.text)
    draw_fitted_text(canvas, kind, MARGIN, 150, Style.TEXT, (44, 38), room, theme.accent)
    for number, result in enumerate(card.tries):
        _draw_try(canvas, result, Outline.DOWN if number % 2 else Outline.UP, *locate_try(number))
    left = MARGIN + (card.max_tries + 1) * TRY_EDGE // 2 + GAP
    room = WIDTH - MARGIN - left
    try_count = f"{card.miss_count + 1 if card.is_solved else 'X'}/{card.max_tries}"
    base, colour = TRIES_TOP + 112, theme.gain if card.is_solved else theme.loss
    draw_fitted_text(canvas, try_count, left, base, Style.LOUD, (TRY_COUNT_SIZE,), room, colour)
    if card.has_hint:
        x = left + measure_text(try_count, Style.LOUD, TRY_COUNT_SIZE) + GAP
        _draw_hint(canvas, x, base - compute_triangle_height(HINT_EDGE))
    draw_fitted_text(canvas, name, left, TRIES_TOP + 202, Style.LOUD, NAMES, room, theme.text)
    if card.streak:
        _draw_streak(canvas, card, below)
    return build_picture(canvas)


def locate_try(number: int) -> tuple[int, int]:
    """The top left corner of the box of a try, counted from 0."""
    return MARGIN + number * TRY_EDGE // 2, TRIES_TOP


def _draw_try(canvas: Canvas, result: str, outline: Outline, x: int, y: int) -> None:
    theme = canvas.theme
    if result == "left":
        canvas.paste_sprite(render_open_place(theme, TRY_EDGE, outline, "", playable=False), x, y)
        return
    colour = theme.gain if result == "hit" else theme.loss
    _draw_triangle(canvas, TRY_EDGE, outline, colour, x, y)
    # Signs repeat the meaning for colour-blind people.
    _draw_sign(canvas, marks.render_tick if result == "hit" else marks.render_cross, outline, colour, x, y)


def _draw_hint(canvas: Canvas, x: int, y: int) -> None:
    theme = canvas.theme
    _draw_triangle(canvas, HINT_EDGE, Outline.UP, theme.brass, x, y)
    at, down = Outline.UP.compute_centre_pixel(HINT_EDGE)
    ink = choose_ink(theme, theme.brass)
    draw_text(canvas, "?", x + at, y + down + 21, Style.LOUD, 56, ink, ground=theme.brass, side="middle")


def _draw_streak(canvas: Canvas, card: PuzzleCard, y: int) -> None:
    """Draw the streak on a plate: in words, and as a row of triangles."""
    width = WIDTH - 2 * MARGIN
    marks.draw_plate(canvas, MARGIN, y, width, STREAK_HEIGHT)
    days = min(card.streak_days, MAX_DAYS)
    wide = (days + 1) * DAY_EDGE // 2
    text, room, theme = clean_text(card.streak), width - 3 * 30 - wide, canvas.theme
    draw_fitted_text(canvas, text, MARGIN + 30, y + 74, Style.TEXT, (46, 40, 36), room, theme.text, ground=theme.slot)
    left, top = WIDTH - MARGIN - 30 - wide, y + (STREAK_HEIGHT - compute_triangle_height(DAY_EDGE)) // 2
    for number in range(days):
        outline = Outline.DOWN if number % 2 else Outline.UP
        tile = _render_coloured_tile(theme, DAY_EDGE, outline, theme.gain, theme.slot)
        canvas.paste_sprite(tile, left + number * DAY_EDGE // 2, top)


def _draw_triangle(canvas: Canvas, edge: int, outline: Outline, colour: Colour, x: int, y: int) -> None:
    paint_tile_shadow(canvas, edge, outline, x, y)
    canvas.paste_sprite(_render_coloured_tile(canvas.theme, edge, outline, colour, canvas.theme.deep), x, y)


def _draw_sign(
    canvas: Canvas, make: Callable[[int], Image.Image], outline: Outline, colour: Colour, x: int, y: int
) -> None:
    size = round(0.3 * TRY_EDGE)
    cover = make(size)
    at, down = outline.compute_centre_pixel(TRY_EDGE)
    ink = Sprite(canvas.theme, colourise(cover, colour, choose_ink(canvas.theme, colour)), threshold(cover))
    canvas.paste_sprite(ink, x + at - size // 2, y + down - size // 2)


def choose_ink(theme: Theme, colour: Colour) -> Colour:
    """The ink for digits with the greater contrast to a colour."""
    return max(theme.dark_digit, theme.light_digit, key=lambda ink: abs(sum(ink) - sum(colour)))


@PART_CACHE.memoize
def _render_coloured_tile(theme: Theme, edge: int, outline: Outline, colour: Colour, ground: Colour) -> Sprite:
    """A tile of one colour with its lip."""
    whole, face = render_enlarged_tile(edge, outline)
    picture = colourise(downsample(whole), ground, mix(colour, theme.deep, LIP_SHARE))
    picture.paste(colour, (0, 0), downsample(face))
    return Sprite(theme, picture, threshold(downsample(whole)))
