"""The review of a match: the expected result of every seat after each move, and how well each seat played."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from PIL import Image, ImageDraw

from render.canvas import marks
from render.canvas.canvas import Canvas, Sprite, render_shape
from render.canvas.lettering import Style, clean_text, draw_fitted_text, draw_text, measure_text
from render.canvas.picture import MARGIN, RIM, WIDTH, Picture, build_picture, draw_cloth
from render.canvas.theme import Colour, Theme, get_theme, mix
from render.canvas.tokens import render_seat_token
from render.table.cards import format_signed

GRAPH_TOP: Final = 172  # top of the graph
GRAPH_HEIGHT: Final = 500  # height of the graph
PAD: Final = 62  # free space above and below the curves, for rounds and scale
CURVE_WIDTH: Final = 7  # thickness of a curve
AREA_OPACITY: Final = 0.5  # opacity of a seat's colour between its curve and the middle line
COLUMN_NAMES_HEIGHT: Final = 62  # height of the words above the seats' lines
ROW_HEIGHT, SMALL_ROW_HEIGHT = 96, 80  # height of a seat's line, and of one with more than four seats
COLUMNS: Final = (700, 930, WIDTH - MARGIN)  # right edges of the three numbers of a seat
MIN_SCALE: Final = 20  # points that the scale always shows on either side
MIN_SIDE_SHARE: Final = 0.25  # one side of the scale is at least this share of the other
SCALE_WIDTH: Final = 116  # width of the scale at the right


@dataclass(frozen=True, slots=True)
class ReviewWords:
    title: str
    subtitle: str
    rounds: tuple[str, ...]  # short names of the rounds
    columns: tuple[str, str, str]  # names of the three numbers: accuracy, luck, skill


@dataclass(frozen=True, slots=True)
class ReviewLine:
    seat: int
    name: str
    accuracy: int | None  # 0 to 100; None without any choice
    luck: int | None  # points; None if unknown
    skill: int | None


@dataclass(frozen=True, slots=True)
class ResultCurves:
    """The expected results, event by event."""

    leads: tuple[tuple[float, ...], ...]
    """After each event, the expected lead of every seat over the mean of the others."""
    round_starts: tuple[int, ...]  # the first event of each round
    decisive_steps: tuple[int, ...]  # the few decisive events


def render_review(
    words: ReviewWords, lines: Sequence[ReviewLine], course: ResultCurves, *, scheme: str = "dark"
) -> Picture:
    """Draw the review, 1200 pixels wide. Raises ValueError for an unknown `scheme`."""
    row, top = ROW_HEIGHT if len(lines) <= 4 else SMALL_ROW_HEIGHT, GRAPH_TOP + GRAPH_HEIGHT + COLUMN_NAMES_HEIGHT
    canvas = Canvas(WIDTH, top + row * len(lines) + RIM, get_theme(scheme))
    theme, room = canvas.theme, WIDTH - 2 * MARGIN
    draw_cloth(canvas)
    draw_fitted_text(canvas, clean_text(words.title), MARGIN, 86, Style.LOUD, (62, 54, 46), room, theme.text)
    draw_fitted_text(canvas, clean_text(words.subtitle), MARGIN, 138, Style.TEXT, (36, 34, 32), room, theme.quiet)
    _CurveGraph(canvas, words, course).draw()
    _draw_column_names(canvas, words, top - 8)
    for number, line in enumerate(lines):
        _draw_line(canvas, line, top + row * number, row)
    return build_picture(canvas)


def _draw_column_names(canvas: Canvas, words: ReviewWords, base: int) -> None:
    theme = canvas.theme
    left = MARGIN + 320
    for text, right in zip(words.columns, COLUMNS, strict=True):
        room = right - left - 24
        draw_fitted_text(canvas, clean_text(text), right, base, Style.TEXT, (33,), room, theme.quiet, side="right")
        left = right


def _draw_line(canvas: Canvas, line: ReviewLine, top: int, height: int) -> None:
    """Draw one seat: token, name and three numbers."""
    theme, base = canvas.theme, top + height // 2 + 16
    canvas.paste_sprite(render_seat_token(theme, line.seat, 46), MARGIN, top + height // 2 - 23)
    name, x = clean_text(line.name, f"#{line.seat + 1}"), MARGIN + 68
    draw_fitted_text(canvas, name, x, base, Style.TEXT, (46, 42, 38, 34), COLUMNS[0] - 130 - x, theme.text)
    for number, right in zip((line.accuracy, line.luck, line.skill), COLUMNS, strict=True):
        text, colour = "–", theme.quiet
        if number is not None:
            first = right == COLUMNS[0]
            text = str(number) if first else format_signed(number)
            colour = theme.accent if first else theme.gain if number > 0 else theme.loss if number else theme.quiet
        draw_text(canvas, text, right, base + 3, Style.LOUD, 54, colour, side="right")


class _CurveGraph:
    def __init__(self, canvas: Canvas, words: ReviewWords, course: ResultCurves) -> None:
        self.canvas, self.theme, self.words, self.course = canvas, canvas.theme, words, course
        self.seats = len(course.leads[0]) if course.leads else 0
        every = [ahead for point in course.leads for ahead in (point[:1] if self.seats == 2 else point)]
        height, low = max([MIN_SCALE, *every]), max([MIN_SCALE, *(-ahead for ahead in every)])
        self.high, self.low = max(height, low * MIN_SIDE_SHARE), max(low, height * MIN_SIDE_SHARE)
        self.left, self.width = 22, WIDTH - 2 * RIM - 22 - SCALE_WIDTH

    def draw(self) -> None:
        canvas, theme = self.canvas, self.theme
        marks.draw_plate(canvas, RIM, GRAPH_TOP, WIDTH - 2 * RIM, GRAPH_HEIGHT)
        inset = 8
        picture = Image.new("RGB", (WIDTH - 2 * RIM, GRAPH_HEIGHT), theme.slot)
        self._paint_areas(picture)
        self._paint_round_lines(picture)
        middle = self._compute_y(0)
        self._paint_line(picture, theme.quiet, [(self.left, middle), (self.left + self.width, middle)], 3)
        for seat in self._list_drawn_seats():
            self._paint_line(picture, theme.get_seat_colour(seat), self._compute_curve(seat), CURVE_WIDTH)
        plate = picture.crop((inset, inset, picture.width - inset, picture.height - inset))
        canvas.paste_sprite(Sprite(theme, plate), RIM + inset, GRAPH_TOP + inset)
        self._draw_labels()
        self._draw_moments()

    def _list_drawn_seats(self) -> list[int]:
        """The seats whose curves are drawn. With two seats, the curve of one mirrors the other, so one is enough."""
        return [0] if self.seats == 2 else list(range(self.seats))[::-1]

    def _compute_x(self, step: float) -> float:
        return self.left + self.width * step / max(1, len(self.course.leads) - 1)

    def _compute_y(self, lead: float) -> float:
        return PAD + (self.high - lead) / (self.high + self.low) * (GRAPH_HEIGHT - 2 * PAD)

    def _compute_curve(self, seat: int) -> list[tuple[float, float]]:
        return [(self._compute_x(step), self._compute_y(ahead[seat])) for step, ahead in enumerate(self.course.leads)]

    def _paint_areas(self, picture: Image.Image) -> None:
        """Fill the area between curve and middle with the colour of the leading seat, for two seats."""
        if self.seats != 2:
            return
        middle, points = self._compute_y(0), self._compute_curve(0)
        if len(points) < 2:
            return
        for seat in (0, 1):

            def draw(pen: ImageDraw.ImageDraw, scale: int, seat: int = seat) -> None:
                clamp = min if seat == 0 else max
                edge = [(x, clamp(y, middle)) for x, y in _add_crossings(points, middle)]
                around = [(points[0][0], middle), *edge, (points[-1][0], middle)]
                pen.polygon([(x * scale, y * scale) for x, y in around], fill=255)

            colour = mix(self.theme.slot, self.theme.get_seat_colour(seat), AREA_OPACITY)
            picture.paste(colour, (0, 0), render_shape(*picture.size, draw))

    def _paint_round_lines(self, picture: Image.Image) -> None:
        for start in self.course.round_starts[1:]:
            x = self._compute_x(start - 0.5)
            self._paint_line(picture, self.theme.faint, [(x, 10), (x, GRAPH_HEIGHT - 10)], 2)

    def _paint_line(
        self, picture: Image.Image, colour: Colour, points: Sequence[tuple[float, float]], thick: int
    ) -> None:
        def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
            placed = [(x * scale, y * scale) for x, y in points]
            if len(placed) > 1:
                pen.line(placed, 255, thick * scale, joint="curve")
            for x, y in (placed[0], placed[-1]):
                half = thick * scale / 2
                pen.ellipse((x - half, y - half, x + half, y + half), fill=255)

        if points:
            picture.paste(colour, (0, 0), render_shape(*picture.size, draw))

    def _draw_labels(self) -> None:
        """Draw the scale at the right, tokens at its ends, and the rounds below."""
        theme, course = self.theme, self.course
        right = WIDTH - RIM - 18
        for ahead in (self.high, 0, -self.low):
            base = round(GRAPH_TOP + self._compute_y(ahead)) + 11
            self._write(format_signed(round(ahead)), right, base, theme.quiet, "right")
        ends = [*course.round_starts[1:], len(course.leads)]
        for name, start, end in zip(self.words.rounds, course.round_starts, ends, strict=False):
            name, left = clean_text(name), self._compute_x(max(0, start - 0.5))
            room = self._compute_x(end - 0.5) - left - 16
            if measure_text(name, Style.TEXT, 32) > room:
                name = name.split()[-1]
            if measure_text(name, Style.TEXT, 32) <= room:
                self._write(name, RIM + round(left) + 10, GRAPH_TOP + GRAPH_HEIGHT - 20, theme.quiet, "left")
        if self.seats == 2:
            # The tokens show which seat is above the middle and which below.
            for seat, y in enumerate((20, GRAPH_HEIGHT - 54 - 44)):
                self.canvas.paste_sprite(render_seat_token(theme, seat, 44), RIM + 22, GRAPH_TOP + y)
            return
        for seat, ahead in enumerate(course.leads[-1] if course.leads else ()):
            x, y = round(RIM + self._compute_x(len(course.leads) - 1)), round(GRAPH_TOP + self._compute_y(ahead))
            self.canvas.paste_sprite(render_seat_token(theme, seat, 34), x - 17, y - 17)

    def _write(self, text: str, x: int, base: int, colour: Colour, side: str) -> None:
        ground = self.theme.slot
        draw_text(self.canvas, text, x, base, Style.TEXT, 32, colour, ground=ground, side=side)

    def _draw_moments(self) -> None:
        theme, size = self.theme, 46
        for number, step in enumerate(self.course.decisive_steps, 1):
            ahead = self.course.leads[step]
            seat = 0 if self.seats == 2 else max(range(self.seats), key=lambda one: abs(ahead[one]))
            x, y = round(RIM + self._compute_x(step)), round(GRAPH_TOP + self._compute_y(ahead[seat]))
            x = min(max(x, RIM + 32), WIDTH - RIM - SCALE_WIDTH)
            self.canvas.paste_sprite(_render_disc(theme, size), x - size // 2, y - size // 2)
            draw_text(self.canvas, str(number), x, y + 13, Style.LOUD, 36, theme.ink, ground=theme.brass, side="middle")


def _render_disc(theme: Theme, size: int) -> Sprite:
    whole, inner = marks.render_dot(size), marks.render_dot(size - 8)
    picture = Image.new("RGB", (size, size), theme.slot)
    picture.paste(theme.ink, (0, 0), whole)
    picture.paste(theme.brass, (4, 4), inner)
    return Sprite(theme, picture, whole.point(lambda cover: 255 * (cover > 110)).convert("1"))


def _add_crossings(points: Sequence[tuple[float, float]], middle: float) -> list[tuple[float, float]]:
    """The same curve with an additional point wherever it crosses the middle."""
    found = [points[0]]
    for (x, y), (to_x, to_y) in pairwise(points):
        if (y - middle) * (to_y - middle) < 0:
            found.append((x + (to_x - x) * (middle - y) / (to_y - y), middle))
        found.append((to_x, to_y))
    return found
