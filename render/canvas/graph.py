"""Graphs of a profile card: the results of the last matches, and the course of a number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from PIL import Image, ImageDraw

from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Canvas, Sprite, shape, soft, some
from render.canvas.lettering import Style, draw_text, fitted, length, readable
from render.canvas.theme import Colour

CURVE: Final = (300, 58)  # width and height


def course_points(totals: Sequence[int], low: int, high: int) -> tuple[tuple[float, float], ...]:
    """The course of a total as shares of its box, from the left and the top."""
    return tuple(
        (step / max(1, len(totals) - 1), (high - total) / max(1, high - low)) for step, total in enumerate(totals)
    )


def curve(
    points: Sequence[tuple[float, float]], size: tuple[int, int], margin: int, width: int, dot: int
) -> Image.Image:
    """The coverage of a course with a line `width`, a `margin` at the right, and a dot of radius `dot` at its end."""
    wide, high = size

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        placed = [((8 + x * (wide - 8 - margin)) * scale, (8 + y * (high - 16)) * scale) for x, y in points]
        pen.line(placed, 255, width * scale, joint="curve")
        x, y = placed[-1]
        pen.ellipse((x - dot * scale, y - dot * scale, x + dot * scale, y + dot * scale), fill=255)

    return shape(wide, high, draw)


@PARTS.kept
def nought(at: int) -> Image.Image:
    """The line at total 0."""
    sheet = Image.new("L", CURVE, 0)
    ImageDraw.Draw(sheet).rectangle((8, min(CURVE[1] - 6, at - 3), CURVE[0] - 12, min(CURVE[1] - 5, at - 2)), fill=150)
    return sheet


FORM_HIGH: Final = 118  # height of a row of matches
GRAPH_HIGH: Final = 330  # height of a course with its heading
MARK: Final = 76
SPACE: Final = 10
INSIDE: Final = 26  # margin inside a plate, left and right
SMALL: Final = 34  # letter size that is readable when the picture is as wide as a phone


class Mark(NamedTuple):
    """The result of one match."""

    text: str  # a place or a sign
    good: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """A number over at least two matches, the earliest first."""

    label: str
    values: Sequence[int]
    low: str  # the lowest and the highest value in words
    high: str
    last: str  # the current value
    nought: bool = False  # whether to draw a line at 0


def draw_form(canvas: Canvas, label: str, form: Sequence[Mark], x: int, y: int, width: int) -> None:
    """Draw a row of marks on a plate, the newest at the right, as many as fit."""
    marks.panel(canvas, x, y, width, FORM_HIGH)
    ground = canvas.theme.slot
    label = fitted(readable(label), Style.TEXT, SMALL, width // 3)
    _write(canvas, label, x + INSIDE, y + FORM_HIGH // 2 + 12, SMALL, canvas.theme.quiet)
    room = width - 3 * INSIDE - length(label, Style.TEXT, SMALL)
    shown = form[-max(1, (room + SPACE) // (MARK + SPACE)) :]
    left = x + width - INSIDE - len(shown) * (MARK + SPACE) + SPACE
    for number, mark in enumerate(shown):
        at, top = left + number * (MARK + SPACE), y + (FORM_HIGH - MARK) // 2
        if mark.good:
            marks.panel(canvas, at, top, MARK, MARK, lit=True)
        ink, under = (canvas.theme.ink, canvas.theme.plate) if mark.good else (canvas.theme.text, ground)
        text = fitted(readable(mark.text), Style.LOUD, 44, MARK)
        middle = at + (MARK - length(text, Style.LOUD, 44)) // 2
        draw_text(canvas, text, middle, top + 54, Style.LOUD, 44, ink, ground=under)


def draw_graph(canvas: Canvas, graph: Graph, x: int, y: int, width: int) -> None:
    """Draw a course on a plate, with heading, scale and a dot at the current value."""
    marks.panel(canvas, x, y, width, GRAPH_HIGH)
    theme, right = canvas.theme, x + width - INSIDE
    last = readable(graph.last)
    wide = length(last, Style.LOUD, 52)
    _write(canvas, last, right - wide, y + 62, 52, theme.accent, Style.LOUD)
    _write(canvas, fitted(readable(graph.label), Style.TEXT, SMALL, width - 3 * INSIDE - wide), x + INSIDE, y + 58)
    side = max(length(readable(text), Style.TEXT, SMALL) for text in (graph.low, graph.high))
    top, high = y + 92, GRAPH_HIGH - 92 - 24
    for text, base in ((graph.high, top + 30), (graph.low, top + high - 4)):
        _write(canvas, readable(text), x + INSIDE, base, SMALL, theme.quiet)
    left = x + 2 * INSIDE + side
    lowest, highest = min(graph.values), max(graph.values)
    size = (right - left, high)
    if graph.nought and lowest <= 0 <= highest:
        at = round(8 + highest / max(1, highest - lowest) * (high - 16))
        line = Image.new("L", size, 0)
        ImageDraw.Draw(line).rectangle((0, at - 1, size[0], at + 1), fill=170)
        _lay(canvas, line, theme.faint, left, top)
    _lay(canvas, course(graph.values, size), theme.accent, left, top)


def course(values: Sequence[int], size: tuple[int, int]) -> Image.Image:
    """The coverage of a course of this width and height, with a dot at its end."""
    points = course_points(values, min(values), max(values))
    if min(values) == max(values):
        points = tuple((across, 0.5) for across, _ in points)
    return curve(points, size, 16, 6, 11)


def _lay(canvas: Canvas, cover: Image.Image, colour: Colour, x: int, y: int) -> None:
    canvas.stamp(Sprite(canvas.theme, soft(cover, canvas.theme.slot, colour), some(cover)), x, y)


def _write(
    canvas: Canvas, text: str, x: int, base: int, size: int = SMALL, colour: Colour | None = None,
    style: Style = Style.TEXT,
) -> None:  # fmt: skip
    colour = colour or canvas.theme.quiet
    draw_text(canvas, text, x, base, style, size, colour, ground=canvas.theme.slot)
