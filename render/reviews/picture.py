"""The review of a match: the expected result of every seat after each move, and how well each seat played."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from PIL import Image, ImageDraw

from render.canvas import marks
from render.canvas.canvas import Canvas, Sprite, shape
from render.canvas.lettering import Style, draw_text, fit, fitted, length, readable
from render.canvas.picture import MARGIN, RIM, WIDTH, Picture, finished, lay_cloth
from render.canvas.theme import Colour, Theme, mix, theme_of
from render.canvas.tokens import seat_token
from render.table.cards import signed

TOP: Final = 172  # top of the graph
GRAPH: Final = 500  # height of the graph
PAD: Final = 62  # free space above and below the curves, for rounds and scale
LINE: Final = 7  # thickness of a curve
TINT: Final = 0.5  # opacity of a seat's colour between its curve and the middle line
HEAD: Final = 62  # height of the words above the seats' lines
ROW, SMALL_ROW = 96, 80  # height of a seat's line, and of one with more than four seats
COLUMNS: Final = (700, 930, WIDTH - MARGIN)  # right edges of the three numbers of a seat
LEAST: Final = 20  # points that the scale always shows on either side
QUARTER: Final = 0.25  # one side of the scale is at least this share of the other
SCALE: Final = 116  # width of the scale at the right


@dataclass(frozen=True, slots=True)
class ReviewWords:
    """The words of the picture."""

    title: str
    subtitle: str
    rounds: tuple[str, ...]  # short names of the rounds
    columns: tuple[str, str, str]  # names of the three numbers: accuracy, luck, skill


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """How well a seat played."""

    seat: int
    name: str
    accuracy: int | None  # 0 to 100; None without any choice
    luck: int | None  # points; None if unknown
    skill: int | None


@dataclass(frozen=True, slots=True)
class Course:
    """The expected results, event by event."""

    ahead: tuple[tuple[float, ...], ...]
    """After each event, the expected lead of every seat over the mean of the others."""
    starts: tuple[int, ...]  # the first event of each round
    moments: tuple[int, ...]  # the few decisive events


def review_picture(
    said: ReviewWords, lines: Sequence[ReviewLine], course: Course, *, scheme: str = "dark", true: bool = False
) -> Picture:
    """Draw the review, 1200 wide; `true`: 24-bit colour, for tests. Raises ValueError for an unknown `scheme`."""
    row = ROW if len(lines) <= 4 else SMALL_ROW
    canvas = Canvas(WIDTH, TOP + GRAPH + HEAD + row * len(lines) + RIM, theme_of(scheme), true=true)
    lay_cloth(canvas)
    _heading(canvas, said)
    _Graph(canvas, said, course).draw()
    _columns(canvas, said, TOP + GRAPH + HEAD - 8)
    for number, line in enumerate(lines):
        _line(canvas, line, TOP + GRAPH + HEAD + row * number, row)
    return finished(canvas)


def _heading(canvas: Canvas, said: ReviewWords) -> None:
    theme, room = canvas.theme, WIDTH - 2 * MARGIN
    for text, base, style, sizes, colour in (
        (said.title, 86, Style.LOUD, (62, 54, 46), theme.text),
        (said.subtitle, 138, Style.TEXT, (36, 34, 32), theme.quiet),
    ):
        text, size = fit(readable(text), style, sizes, room)
        draw_text(canvas, text, MARGIN, base, style, size, colour)


def _columns(canvas: Canvas, said: ReviewWords, base: int) -> None:
    theme = canvas.theme
    left = MARGIN + 320
    for text, right in zip(said.columns, COLUMNS, strict=True):
        text = fitted(readable(text), Style.TEXT, 33, right - left - 24)
        draw_text(canvas, text, right, base, Style.TEXT, 33, theme.quiet, side="right")
        left = right


def _line(canvas: Canvas, line: ReviewLine, top: int, high: int) -> None:
    """Draw one seat: token, name and three numbers."""
    theme, base = canvas.theme, top + high // 2 + 16
    canvas.stamp(seat_token(theme, line.seat, 46), MARGIN, top + high // 2 - 23)
    name, x = readable(line.name, f"#{line.seat + 1}"), MARGIN + 68
    name, size = fit(name, Style.TEXT, (46, 42, 38, 34), COLUMNS[0] - 130 - x)
    draw_text(canvas, name, x, base, Style.TEXT, size, theme.text)
    for number, right in zip((line.accuracy, line.luck, line.skill), COLUMNS, strict=True):
        text, colour = "–", theme.quiet
        if number is not None:
            first = right == COLUMNS[0]
            text = str(number) if first else signed(number)
            colour = theme.accent if first else theme.gain if number > 0 else theme.loss if number else theme.quiet
        draw_text(canvas, text, right, base + 3, Style.LOUD, 54, colour, side="right")


class _Graph:
    """Draws the curves on their plate."""

    def __init__(self, canvas: Canvas, said: ReviewWords, course: Course) -> None:
        self.canvas, self.theme, self.said, self.course = canvas, canvas.theme, said, course
        self.seats = len(course.ahead[0]) if course.ahead else 0
        every = [ahead for point in course.ahead for ahead in (point[:1] if self.seats == 2 else point)]
        high, low = max(LEAST, *every), max(LEAST, *(-ahead for ahead in every))
        self.high, self.low = max(high, low * QUARTER), max(low, high * QUARTER)
        self.left, self.wide = 22, WIDTH - 2 * RIM - 22 - SCALE

    def draw(self) -> None:
        canvas, theme = self.canvas, self.theme
        marks.panel(canvas, RIM, TOP, WIDTH - 2 * RIM, GRAPH)
        inset = 8
        picture = Image.new("RGB", (WIDTH - 2 * RIM, GRAPH), theme.slot)
        self._areas(picture)
        self._rounds(picture)
        self._paste(picture, theme.quiet, [(self.left, self._y(0)), (self.left + self.wide, self._y(0))], 3)
        for seat in self._shown():
            self._paste(picture, theme.seat(seat), self._curve(seat), LINE)
        plate = picture.crop((inset, inset, picture.width - inset, picture.height - inset))
        canvas.stamp(Sprite(theme, plate), RIM + inset, TOP + inset)
        self._words()
        self._moments()

    def _shown(self) -> list[int]:
        """The seats whose curves are drawn. Of two seats, one is the other upside down."""
        return [0] if self.seats == 2 else list(range(self.seats))[::-1]

    def _x(self, step: float) -> float:
        return self.left + self.wide * step / max(1, len(self.course.ahead) - 1)

    def _y(self, ahead: float) -> float:
        return PAD + (self.high - ahead) / (self.high + self.low) * (GRAPH - 2 * PAD)

    def _curve(self, seat: int) -> list[tuple[float, float]]:
        return [(self._x(step), self._y(ahead[seat])) for step, ahead in enumerate(self.course.ahead)]

    def _areas(self, picture: Image.Image) -> None:
        """Fill the area between curve and middle with the colour of the leading seat, for two seats."""
        if self.seats != 2:
            return
        middle, points = self._y(0), self._curve(0)
        if len(points) < 2:
            return
        for seat in (0, 1):

            def draw(pen: ImageDraw.ImageDraw, scale: int, seat: int = seat) -> None:
                keep = min if seat == 0 else max
                edge = [(x, keep(y, middle)) for x, y in _crossing(points, middle)]
                around = [(points[0][0], middle), *edge, (points[-1][0], middle)]
                pen.polygon([(x * scale, y * scale) for x, y in around], fill=255)

            picture.paste(mix(self.theme.slot, self.theme.seat(seat), TINT), (0, 0), shape(*picture.size, draw))

    def _rounds(self, picture: Image.Image) -> None:
        for start in self.course.starts[1:]:
            x = self._x(start - 0.5)
            self._paste(picture, self.theme.faint, [(x, 10), (x, GRAPH - 10)], 2)

    def _paste(self, picture: Image.Image, colour: Colour, points: Sequence[tuple[float, float]], thick: int) -> None:
        def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
            placed = [(x * scale, y * scale) for x, y in points]
            if len(placed) > 1:
                pen.line(placed, 255, thick * scale, joint="curve")
            for x, y in (placed[0], placed[-1]):
                half = thick * scale / 2
                pen.ellipse((x - half, y - half, x + half, y + half), fill=255)

        if points:
            picture.paste(colour, (0, 0), shape(*picture.size, draw))

    def _words(self) -> None:
        """Draw the scale at the right, tokens at its ends, and the rounds below."""
        theme, course = self.theme, self.course
        right = WIDTH - RIM - 18
        for ahead in (self.high, 0, -self.low):
            self._write(signed(round(ahead)), right, round(TOP + self._y(ahead)) + 11, theme.quiet, "right")
        ends = [*course.starts[1:], len(course.ahead)]
        for name, start, end in zip(self.said.rounds, course.starts, ends, strict=False):
            left, room = self._x(max(0, start - 0.5)), self._x(end - 0.5) - self._x(max(0, start - 0.5)) - 16
            name = readable(name)
            if length(name, Style.TEXT, 32) > room:
                name = name.split()[-1]
            if length(name, Style.TEXT, 32) <= room:
                self._write(name, RIM + round(left) + 10, TOP + GRAPH - 20, theme.quiet, "left")
        if self.seats == 2:
            # The tokens show which seat is above the middle and which below.
            for seat, y in enumerate((20, GRAPH - 54 - 44)):
                self.canvas.stamp(seat_token(theme, seat, 44), RIM + 22, TOP + y)
            return
        for seat, ahead in enumerate(course.ahead[-1] if course.ahead else ()):
            x, base = self._x(len(course.ahead) - 1), self._y(ahead)
            self.canvas.stamp(seat_token(theme, seat, 34), round(RIM + x) - 17, round(TOP + base) - 17)

    def _write(self, text: str, x: int, base: int, colour: Colour, side: str) -> None:
        ground = self.theme.slot
        draw_text(self.canvas, text, x, base, Style.TEXT, 32, colour, ground=ground, side=side)

    def _moments(self) -> None:
        """Draw the decisive moments, numbered on the curve."""
        theme, size = self.theme, 46
        for number, step in enumerate(self.course.moments, 1):
            ahead = self.course.ahead[step]
            seat = 0 if self.seats == 2 else max(range(self.seats), key=lambda one: abs(ahead[one]))
            x, y = round(RIM + self._x(step)), round(TOP + self._y(ahead[seat]))
            x = min(max(x, RIM + 32), WIDTH - RIM - SCALE)
            self.canvas.stamp(_disc(theme, size), x - size // 2, y - size // 2)
            draw_text(self.canvas, str(number), x, y + 13, Style.LOUD, 36, theme.ink, ground=theme.brass, side="middle")


def _disc(theme: Theme, size: int) -> Sprite:
    whole, inner = marks.dot(size), marks.dot(size - 8)
    picture = Image.new("RGB", (size, size), theme.slot)
    picture.paste(theme.ink, (0, 0), whole)
    picture.paste(theme.brass, (4, 4), inner)
    return Sprite(theme, picture, whole.point(lambda cover: 255 * (cover > 110)).convert("1"))


def _crossing(points: Sequence[tuple[float, float]], middle: float) -> list[tuple[float, float]]:
    """The same curve with an additional point wherever it crosses the middle."""
    found = [points[0]]
    for (x, y), (to_x, to_y) in pairwise(points):
        if (y - middle) * (to_y - middle) < 0:
            found.append((x + (to_x - x) * (middle - y) / (to_y - y), middle))
        found.append((to_x, to_y))
    return found
