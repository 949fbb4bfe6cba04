"""What goes into a picture beside the table, and what comes out."""

from dataclasses import dataclass, field

from render.canvas import Canvas
from render.lettering import Style, draw_text, fitted, length, readable
from render.spots import Spots
from render.theme import THEME

WIDTH = 1200
MARGIN = 28
HEADER = 92
"""The height of the four header texts."""
TALLER = 200
"""What is added to a picture whose board would be too small to read."""


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


def header(canvas: Canvas, captions: Captions) -> None:
    """The two lines at the top. The right side is never cut for the left; neither takes more than it needs."""
    room = canvas.width - 2 * MARGIN
    lines = (
        (captions.title, captions.turn, 48, Style.LOUD, 34, 32, THEME.white, THEME.gold),
        (captions.subtitle, captions.note, 84, Style.TEXT, 26, 26, THEME.mint, THEME.grey),
    )
    for left, right, base, style, left_size, right_size, left_colour, right_colour in lines:
        # A gap wide enough that two texts are not read as one.
        right = fitted(readable(right), style, right_size, room * 6 // 10)
        free = room - length(right, style, right_size) - 36
        left = fitted(readable(left), style, left_size, free)
        ground = THEME.ground
        draw_text(canvas, left, MARGIN, base, style=style, size=left_size, colour=left_colour, ground=ground)
        draw_text(
            canvas,
            right,
            canvas.width - MARGIN,
            base,
            style=style,
            size=right_size,
            colour=right_colour,
            ground=ground,
            side="right",
        )
