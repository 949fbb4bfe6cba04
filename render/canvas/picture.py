"""What goes into a picture beside the table, and what comes out."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from render.canvas.canvas import Canvas
from render.canvas.cell_outline import Spots
from render.canvas.lettering import Style, draw_text, fitted, length, readable, wrapped
from render.canvas.theme import Theme
from render.canvas.tokens import seat_token

WIDTH: Final = 1200
MARGIN: Final = 44
"""From the rim of the picture to the words of its header."""
RIM: Final = 32
"""From the rim to plates and to the board."""
TURN: Final = (58, 50, 44, 38)
"""The sizes that the largest words may have."""
TOTAL: Final = " → "
"""What stands before the total that a move led to."""
LAST: Final = (34, 32)
"""The sizes of the line about the last move; if the least is too wide it takes two lines."""
BESIDE: Final = 32
"""The size of the words at the right."""
HEADER: Final = 146
"""The height of the header when the line about the last move is one line."""
LINE: Final = 40
STRONG: Final = re.compile(r"(\d(?:-\d){2,3}|[+−-]\d+$)")
"""What stands out in the line about the last move: which tile it was, and at its end what it brought."""
DARKER: Final = 6
"""By how many shades the cloth is darker at its upper and lower end than in the middle."""
ABOVE, BELOW = 14, 5
"""How high each of these steps is: under the plates there is less room."""


@dataclass(frozen=True, slots=True)
class Captions:
    """The header, in the reader's language: title and subtitle at the left, turn and note at the right."""

    title: str
    subtitle: str
    turn: str
    note: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A finished picture, as a PNG file and its size in pixels."""

    png: bytes
    width: int
    height: int
    spots: Spots = field(default_factory=Spots)
    """Where what can be pressed is."""


def finished(canvas: Canvas) -> Picture:
    """The picture that has been drawn."""
    return Picture(canvas.png(), canvas.width, canvas.height, canvas.spots)


def lay_cloth(canvas: Canvas) -> None:
    """The cloth's darker ends, on a canvas on which nothing has been drawn. Whole rows cost a file nothing."""
    for step in range(DARKER):
        number = DARKER - step
        canvas.fill(number, (0, step * ABOVE, canvas.width, (step + 1) * ABOVE))
        low = canvas.height - step * BELOW
        canvas.fill(number, (0, low - BELOW, canvas.width, low))


@dataclass(frozen=True)
class Heading:
    """The words at the top: whose turn it is, large; the last move under it; round and target at the right."""

    captions: Captions
    theme: Theme
    seat: int | None = None
    """The seat whose token stands before the largest words."""
    width: int = WIDTH

    @cached_property
    def height(self) -> int:
        """How much room it takes."""
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
        # Strong words are wider than the others.
        first, *more = wrapped(text, Style.LOUD, size, free) or [""]
        return size, [first, fitted(" ".join(more), Style.LOUD, size, room)] if more else [first]

    def draw(self, canvas: Canvas) -> None:
        """Write it; the right side is never cut for the left."""
        theme, right = self.theme, self.width - MARGIN
        x = MARGIN
        free = self.width - 2 * MARGIN - length(self._title, Style.LOUD, BESIDE) - 40
        if self.seat is not None:
            canvas.stamp(seat_token(theme, self.seat, 42), x, 38)
            x, free = x + 62, free - 62
        turn = readable(self.captions.turn)
        size = next((size for size in TURN if length(turn, Style.LOUD, size) <= free), TURN[-1])
        turn = fitted(turn, Style.LOUD, size, free)
        draw_text(canvas, turn, x, 79, style=Style.LOUD, size=size, colour=theme.text, ground=theme.cloth)
        for text, base, style, colour in (
            (self._title, 74, Style.LOUD, theme.text),
            (self._note, 128, Style.TEXT, theme.quiet),
        ):
            draw_text(
                canvas, text, right, base, style=style, size=BESIDE, colour=colour, ground=theme.cloth, side="right"
            )
        size, lines = self._last
        for number, line in enumerate(lines):
            self._write(canvas, line, MARGIN, 128 + LINE * number, size)

    def _write(self, canvas: Canvas, line: str, x: int, base: int, size: int) -> None:
        """A line in which some words stand out."""
        theme = self.theme
        for number, part in enumerate(STRONG.split(line)):
            strong = number % 2 == 1
            style = Style.LOUD if strong else Style.TEXT
            colour = theme.quiet if not strong else theme.text if part[0].isdigit() else theme.accent
            x += draw_text(canvas, part, x, base, style=style, size=size, colour=colour, ground=theme.cloth)


def _strong_length(text: str, size: int) -> int:
    """How wide a line is in which some words stand out."""
    parts = enumerate(STRONG.split(text))
    return sum(length(part, Style.LOUD if number % 2 else Style.TEXT, size) for number, part in parts)
