"""Graphs of a profile card: the results of the last matches, and the course of a number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from PIL import Image, ImageDraw

from render.canvas import marks
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Canvas, Sprite, colourise, render_shape, threshold
from render.canvas.lettering import (
    Style,
    clean_text,
    draw_fitted_text,
    draw_text,
    measure_text,
    truncate_to_width,
)
from render.canvas.theme import Colour

CURVE: Final = (300, 58)  # the greatest width, and the height


def compute_curve_points(totals: Sequence[int], low: int, height: int) -> tuple[tuple[float, float], ...]:
    """The course of a total as shares of its box, from the left and the top."""
    return tuple(
        (step / max(1, len(totals) - 1), (height - total) / max(1, height - low)) for step, total in enumerate(totals)
    )


def render_curve(
    points: Sequence[tuple[float, float]], size: tuple[int, int], margin: int, width: int, dot: int
) -> Image.Image:
    """The coverage of a course with a line `width`, a `margin` at the right, and a dot of radius `dot` at its end."""
    wide, height = size

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        placed = [((8 + x * (wide - 8 - margin)) * scale, (8 + y * (height - 16)) * scale) for x, y in points]
        pen.line(placed, 255, width * scale, joint="curve")
        x, y = placed[-1]
        pen.ellipse((x - dot * scale, y - dot * scale, x + dot * scale, y + dot * scale), fill=255)

    return render_shape(wide, height, draw)


@PART_CACHE.memoize
def render_zero_line(width: int, at: int) -> Image.Image:
    """The line at total 0."""
    sheet = Image.new("L", (width, CURVE[1]), 0)
    ImageDraw.Draw(sheet).rectangle((8, min(CURVE[1] - 6, at - 3), width - 12, min(CURVE[1] - 5, at - 2)), fill=150)
    return sheet


FORM_HEIGHT: Final = 118  # height of a row of matches
GRAPH_HEIGHT: Final = 330  # height of a course with its heading
MARK_SIZE: Final = 76
SPACE: Final = 10
INNER_MARGIN: Final = 26  # margin inside a plate, left and right
TEXT_SIZE: Final = 34  # letter size that is readable when the picture is as wide as a phone


class ResultMark(NamedTuple):
    text: str  # a place or a sign
    is_win: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """A number over at least two matches, the earliest first."""

    label: str
    values: Sequence[int]
    low: str  # the lowest and the highest value in words
    high: str
    last: str  # the current value
    has_zero_line: bool = False  # whether to draw a line at 0


def draw_form(canvas: Canvas, label: str, form: Sequence[ResultMark], x: int, y: int, width: int) -> None:
    """Draw a row of marks on a plate, the newest at the right, as many as fit."""
    marks.draw_plate(canvas, x, y, width, FORM_HEIGHT)
    ground = canvas.theme.slot
    label_width = _write(canvas, label, x + INNER_MARGIN, y + FORM_HEIGHT // 2 + 12, width // 3)
    room = width - 3 * INNER_MARGIN - label_width
    shown = form[-max(1, (room + SPACE) // (MARK_SIZE + SPACE)) :]
    left = x + width - INNER_MARGIN - len(shown) * (MARK_SIZE + SPACE) + SPACE
    for number, mark in enumerate(shown):
        at, top = left + number * (MARK_SIZE + SPACE), y + (FORM_HEIGHT - MARK_SIZE) // 2
        if mark.is_win:
            marks.draw_plate(canvas, at, top, MARK_SIZE, MARK_SIZE, lit=True)
        ink, under = (canvas.theme.ink, canvas.theme.plate) if mark.is_win else (canvas.theme.text, ground)
        text = truncate_to_width(clean_text(mark.text), Style.LOUD, 44, MARK_SIZE)
        middle = at + (MARK_SIZE - measure_text(text, Style.LOUD, 44)) // 2
        draw_text(canvas, text, middle, top + 54, Style.LOUD, 44, ink, ground=under)


def draw_graph(canvas: Canvas, graph: Graph, x: int, y: int, width: int) -> None:
    """Draw a course on a plate, with heading, scale and a dot at the current value."""
    marks.draw_plate(canvas, x, y, width, GRAPH_HEIGHT)
    theme, right = canvas.theme, x + width - INNER_MARGIN
    last = clean_text(graph.last)
    wide = draw_text(canvas, last, right, y + 62, Style.LOUD, 52, theme.accent, ground=theme.slot, side="right")
    _write(canvas, graph.label, x + INNER_MARGIN, y + 58, width - 3 * INNER_MARGIN - wide)
    side = max(measure_text(clean_text(text), Style.TEXT, TEXT_SIZE) for text in (graph.low, graph.high))
    top, height = y + 92, GRAPH_HEIGHT - 92 - 24
    for text, base in ((graph.high, top + 30), (graph.low, top + height - 4)):
        _write(canvas, text, x + INNER_MARGIN, base, side)
    left = x + 2 * INNER_MARGIN + side
    lowest, highest = min(graph.values), max(graph.values)
    size = (right - left, height)
    if graph.has_zero_line and lowest <= 0 <= highest:
        at = round(8 + highest / max(1, highest - lowest) * (height - 16))
        line = Image.new("L", size, 0)
        ImageDraw.Draw(line).rectangle((0, at - 1, size[0], at + 1), fill=170)
        _paste_curve(canvas, line, theme.faint, left, top)
    _paste_curve(canvas, render_value_curve(graph.values, size), theme.accent, left, top)


def render_value_curve(values: Sequence[int], size: tuple[int, int]) -> Image.Image:
    """The coverage of a course of this width and height, with a dot at its end."""
    points = compute_curve_points(values, min(values), max(values))
    if min(values) == max(values):
        points = tuple((across, 0.5) for across, _ in points)
    return render_curve(points, size, 16, 6, 11)


def _paste_curve(canvas: Canvas, coverage: Image.Image, colour: Colour, x: int, y: int) -> None:
    canvas.paste_sprite(Sprite(canvas.theme, colourise(coverage, canvas.theme.slot, colour), threshold(coverage)), x, y)


def _write(canvas: Canvas, text: str, x: int, base: int, room: int) -> int:
    ground, quiet = canvas.theme.slot, canvas.theme.quiet
    return draw_fitted_text(canvas, clean_text(text), x, base, Style.TEXT, (TEXT_SIZE,), room, quiet, ground=ground)
