"""The header, cloth and result type that pictures share."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, wraps
from typing import Final, ParamSpec

from PIL import Image, ImageChops

from render.canvas.canvas import Box, Canvas, map_pixels
from render.canvas.cell_outline import ClickAreas
from render.canvas.lettering import (
    Style,
    choose_size,
    clean_text,
    draw_text,
    measure_text,
    truncate_to_width,
    wrap_lines,
)
from render.canvas.theme import Theme
from render.canvas.tokens import render_seat_token

P = ParamSpec("P")

WIDTH: Final = 1200
MARGIN: Final = 44  # from the edge of the picture to the words of its header
RIM: Final = 32  # from the edge of the picture to plates and board
TURN_SIZES: Final = (58, 50, 44, 38)  # sizes of the largest words
TOTAL_SEPARATOR: Final = " → "  # separates the total that a move led to
LAST_MOVE_SIZES: Final = (34, 32)  # sizes of the line about the last move; at the smallest it may take two lines
NOTE_SIZE: Final = 32  # size of the words at the right
HEADER_HEIGHT: Final = 146  # height of the header if the last move takes one line
LINE_HEIGHT: Final = 40
HIGHLIGHT: Final = re.compile(r"(\d(?:-\d){2,3}|[+−-]\d+$)")
"""Highlighted words in the line about the last move: the tile, and at the end its points."""
VIGNETTE: Final = (5, 4, 9, 10)  # shades by which the cloth is darker at its left, top, right and lower end
VIGNETTE_STEP: Final = 300  # the heights of cached cloths are multiples of this
GRAIN_SIZE, GRAIN_DEPTH = 64, 4  # side of the repeated grain, and its depth in sixteenths of a shade


@dataclass(frozen=True, slots=True)
class Captions:
    """The header: title and subtitle at the left, turn and note at the right."""

    title: str
    subtitle: str
    turn: str
    note: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A finished PNG picture and its size in pixels."""

    png: bytes
    width: int
    height: int
    click_areas: ClickAreas = field(default_factory=ClickAreas)  # the areas that users can press


def build_picture(canvas: Canvas) -> Picture:
    return Picture(canvas.to_png(), canvas.width, canvas.height, canvas.click_areas)


def build_renderer(draw: Callable[P, Canvas]) -> Callable[P, Picture]:
    """Make a function that draws on a canvas return the finished picture."""

    @wraps(draw)
    def render(*args: P.args, **kwargs: P.kwargs) -> Picture:
        return build_picture(draw(*args, **kwargs))

    return render


def draw_cloth(canvas: Canvas) -> None:
    """Draw the cloth on an empty canvas: lightest in the middle, darkest at the lower right."""
    width, half = canvas.width, canvas.height // 2
    for box in ((0, 0, width, half), (0, half, width, canvas.height)):
        cover_with_cloth(canvas, box)


def cover_with_cloth(canvas: Canvas, box: Box, mask: Image.Image | None = None) -> None:
    """Draw the empty cloth in a box of the upper or lower half of a canvas."""
    left, top, right, bottom = box
    if canvas.theme.outlined:
        canvas.paste_shades(Image.new("L", (right - left, bottom - top)), box, mask)
        return
    # Few heights are cached; the middle rows of a higher cloth are left out, where it hardly changes.
    shades = _render_vignette(canvas.width, -(-canvas.height // VIGNETTE_STEP) * VIGNETTE_STEP)
    omitted = shades.height - canvas.height if top >= canvas.height // 2 else 0
    canvas.paste_shades(shades.crop((left, top + omitted, right, bottom + omitted)), box, mask)


@lru_cache(maxsize=4)
def _render_vignette(width: int, height: int) -> Image.Image:
    """The shades of a cloth, with a grain that softens their steps."""
    left, upper, right, lower = VIGNETTE

    def render_line(length: int, start: int, end: int) -> Image.Image:
        """The part of one axis, in sixteenths of a shade."""
        ways = [2 * (at + 0.5) / length - 1 for at in range(length)]
        return Image.frombytes("L", (length, 1), bytes(round(16 * (start if w < 0 else end) * w * w) for w in ways))

    across = render_line(width, left, right).resize((width, height))
    down = render_line(height, upper, lower).transpose(Image.Transpose.ROTATE_270).resize((width, height))
    grain, shuffle = Image.new("L", (width, height)), [71 * at % 257 for at in range(GRAIN_SIZE**2)]
    part = Image.frombytes("L", (GRAIN_SIZE,) * 2, bytes(at * at % 257 * GRAIN_DEPTH // 257 for at in shuffle))
    for x in range(0, width, GRAIN_SIZE):
        for y in range(0, height, GRAIN_SIZE):
            grain.paste(part, (x, y))
    sixteenths = ImageChops.add(ImageChops.add(across, down), grain)
    return map_pixels(sixteenths, [number // 16 for number in range(256)])


@dataclass(frozen=True)
class Header:
    """The header of a picture: turn (large), last move below it, round and target at the right."""

    captions: Captions
    theme: Theme
    seat: int | None = None  # the seat whose token stands before the turn
    width: int = WIDTH

    @cached_property
    def height(self) -> int:
        return HEADER_HEIGHT + LINE_HEIGHT * (len(self._last_move_lines[1]) - 1)

    @cached_property
    def _note(self) -> str:
        return truncate_to_width(clean_text(self.captions.note), Style.TEXT, NOTE_SIZE, (self.width - 2 * MARGIN) // 2)

    @cached_property
    def _title(self) -> str:
        room = (self.width - 2 * MARGIN) * 2 // 5
        return truncate_to_width(clean_text(self.captions.title), Style.LOUD, NOTE_SIZE, room)

    @cached_property
    def _last_move_lines(self) -> tuple[int, list[str]]:
        """The size and the lines of the words about the last move."""
        text = clean_text(self.captions.subtitle)
        room = self.width - 2 * MARGIN
        free = room - measure_text(self._note, Style.TEXT, NOTE_SIZE) - 40
        for size in LAST_MOVE_SIZES:
            if _measure_highlighted(text, size) <= free:
                return size, [text]
        size = LAST_MOVE_SIZES[-1]
        move_text, _, total = text.rpartition(TOTAL_SEPARATOR)
        if total.lstrip("−").isdigit() and _measure_highlighted(move_text, size) <= free:
            return size, [move_text]  # the plate of the seat shows its total
        # Highlighted words are wider than others.
        first, *more = wrap_lines(text, Style.LOUD, size, free) or [""]
        return size, [first, truncate_to_width(" ".join(more), Style.LOUD, size, room)] if more else [first]

    def draw(self, canvas: Canvas) -> None:
        """Draw the header. The right side is never cut in favour of the left."""
        theme, right = self.theme, self.width - MARGIN
        x = MARGIN
        free = self.width - 2 * MARGIN - measure_text(self._title, Style.LOUD, NOTE_SIZE) - 40
        if self.seat is not None:
            canvas.paste_sprite(render_seat_token(theme, self.seat, 42), x, 38)
            x, free = x + 62, free - 62
        turn, size = choose_size(clean_text(self.captions.turn), Style.LOUD, TURN_SIZES, free)
        draw_text(canvas, turn, x, 79, Style.LOUD, size, theme.text)
        draw_text(canvas, self._title, right, 74, Style.LOUD, NOTE_SIZE, theme.text, side="right")
        draw_text(canvas, self._note, right, 128, Style.TEXT, NOTE_SIZE, theme.quiet, side="right")
        size, lines = self._last_move_lines
        for number, line in enumerate(lines):
            self._write(canvas, line, MARGIN, 128 + LINE_HEIGHT * number, size)

    def _write(self, canvas: Canvas, line: str, x: int, base: int, size: int) -> None:
        """Write a line with highlighted words."""
        theme = self.theme
        for number, part in enumerate(HIGHLIGHT.split(line)):
            strong = number % 2 == 1
            style = Style.LOUD if strong else Style.TEXT
            colour = theme.quiet if not strong else theme.text if part[0].isdigit() else theme.accent
            x += draw_text(canvas, part, x, base, style, size, colour)


def _measure_highlighted(text: str, size: int) -> int:
    parts = enumerate(HIGHLIGHT.split(text))
    return sum(measure_text(part, Style.LOUD if number % 2 else Style.TEXT, size) for number, part in parts)
