"""The header, cloth and result type that pictures share."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Final, ParamSpec

from render.canvas.canvas import Canvas
from render.canvas.cell_outline import Spots
from render.canvas.lettering import Style, draw_text, fit, fitted, length, readable, wrapped
from render.canvas.theme import Theme
from render.canvas.tokens import seat_token

P = ParamSpec("P")

WIDTH: Final = 1200
MARGIN: Final = 44  # from the edge of the picture to the words of its header
RIM: Final = 32  # from the edge of the picture to plates and board
TURN: Final = (58, 50, 44, 38)  # sizes of the largest words
TOTAL: Final = " → "  # separates the total that a move led to
LAST: Final = (34, 32)  # sizes of the line about the last move; at the smallest it may take two lines
BESIDE: Final = 32  # size of the words at the right
HEADER: Final = 146  # height of the header if the last move takes one line
LINE: Final = 40
STRONG: Final = re.compile(r"(\d(?:-\d){2,3}|[+−-]\d+$)")
"""Highlighted words in the line about the last move: the tile, and at the end its points."""
DARKER: Final = 6  # shades by which the cloth is darker at its upper and lower end
ABOVE, BELOW = 14, 5  # heights of these steps; below the plates there is less room


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
    spots: Spots = field(default_factory=Spots)  # the areas that users can press


def finished(canvas: Canvas) -> Picture:
    """The finished picture of a canvas."""
    return Picture(canvas.png(), canvas.width, canvas.height, canvas.spots)


def pictured(draw: Callable[P, Canvas]) -> Callable[P, Picture]:
    """Make a function that draws on a canvas return the finished picture."""

    @wraps(draw)
    def picture(*args: P.args, **more: P.kwargs) -> Picture:
        return finished(draw(*args, **more))

    return picture


def lay_cloth(canvas: Canvas) -> None:
    """Draw the darker ends of the cloth on an empty canvas. Whole rows compress to nothing."""
    for step in range(DARKER):
        number = DARKER - step
        canvas.fill(number, (0, step * ABOVE, canvas.width, (step + 1) * ABOVE))
        low = canvas.height - step * BELOW
        canvas.fill(number, (0, low - BELOW, canvas.width, low))


@dataclass(frozen=True)
class Heading:
    """The header of a picture: turn (large), last move below it, round and target at the right."""

    captions: Captions
    theme: Theme
    seat: int | None = None  # the seat whose token stands before the turn
    width: int = WIDTH

    @cached_property
    def height(self) -> int:
        return HEADER + LINE * (len(self._last[1]) - 1)

    @cached_property
    def _note(self) -> str:
        return fitted(readable(self.captions.note), Style.TEXT, BESIDE, (self.width - 2 * MARGIN) // 2)

    @cached_property
    def _title(self) -> str:
        return fitted(readable(self.captions.title), Style.LOUD, BESIDE, (self.width - 2 * MARGIN) * 2 // 5)

    @cached_property
    def _last(self) -> tuple[int, list[str]]:
        """The size and the lines of the words about the last move."""
        text = readable(self.captions.subtitle)
        room = self.width - 2 * MARGIN
        free = room - length(self._note, Style.TEXT, BESIDE) - 40
        for size in LAST:
            if _strong_length(text, size) <= free:
                return size, [text]
        size = LAST[-1]
        made, _, total = text.rpartition(TOTAL)
        if total.lstrip("−").isdigit() and _strong_length(made, size) <= free:
            return size, [made]  # the plate of the seat shows its total
        # Highlighted words are wider than others.
        first, *more = wrapped(text, Style.LOUD, size, free) or [""]
        return size, [first, fitted(" ".join(more), Style.LOUD, size, room)] if more else [first]

    def draw(self, canvas: Canvas) -> None:
        """Draw the header. The right side is never cut in favour of the left."""
        theme, right = self.theme, self.width - MARGIN
        x = MARGIN
        free = self.width - 2 * MARGIN - length(self._title, Style.LOUD, BESIDE) - 40
        if self.seat is not None:
            canvas.stamp(seat_token(theme, self.seat, 42), x, 38)
            x, free = x + 62, free - 62
        turn, size = fit(readable(self.captions.turn), Style.LOUD, TURN, free)
        draw_text(canvas, turn, x, 79, Style.LOUD, size, theme.text)
        draw_text(canvas, self._title, right, 74, Style.LOUD, BESIDE, theme.text, side="right")
        draw_text(canvas, self._note, right, 128, Style.TEXT, BESIDE, theme.quiet, side="right")
        size, lines = self._last
        for number, line in enumerate(lines):
            self._write(canvas, line, MARGIN, 128 + LINE * number, size)

    def _write(self, canvas: Canvas, line: str, x: int, base: int, size: int) -> None:
        """Write a line with highlighted words."""
        theme = self.theme
        for number, part in enumerate(STRONG.split(line)):
            strong = number % 2 == 1
            style = Style.LOUD if strong else Style.TEXT
            colour = theme.quiet if not strong else theme.text if part[0].isdigit() else theme.accent
            x += draw_text(canvas, part, x, base, style, size, colour)


def _strong_length(text: str, size: int) -> int:
    parts = enumerate(STRONG.split(text))
    return sum(length(part, Style.LOUD if number % 2 else Style.TEXT, size) for number, part in parts)
