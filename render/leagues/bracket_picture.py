"""The bracket of a knock-out tournament, from left to right. Brackets of more than four rounds are drawn in parts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from PIL import Image, ImageDraw

from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Canvas, Sprite, inked, shape, soft, some
from render.canvas.lettering import Style, draw_text, fit, fitted, length, readable
from render.canvas.marks import wreath
from render.canvas.picture import WIDTH, Picture, finished, lay_cloth
from render.canvas.theme import Colour, Theme, theme_of

EDGE: Final = 28
HEAD: Final = 222  # above the first match: title, subtitle, names of the columns
ROWS: Final = {2: 70, 3: 66, 4: 60}  # height of a name by number of columns
BETWEEN: Final = 4  # between the two players of a match
PITCH: Final = {2: 274, 4: 176, 8: 148}
"""Distance between matches of the first column, by their number. A short column leaves room for the winner."""
GAPS: Final = {2: 70, 3: 50, 4: 34}  # between two columns, by their number
SIZES: Final = {2: (48, 44, 40), 3: (42, 39, 36), 4: (38, 36, 34)}  # of names, by number of columns
INSET: Final = 16
BADGE: Final = 46
RIM: Final = 3  # of a badge
SIGN: Final = 24
LINE: Final = 6
LEGEND: Final = 34
LEGEND_LINE: Final = 56
LEGEND_GAP: Final = 14
WREATH: Final = 128

MatchSign = Literal["running", "waiting", "held", "judged", "forfeit", "tied", "unplayed"]
"""The state of a match beside its score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketRow:
    """One of the two players of a match."""

    name: str = ""  # empty: not known yet
    seed: int = 0  # from 1; shown if the name cannot be drawn
    score: str = ""
    stands: Literal["plays", "wins", "out", "nobody"] = "plays"  # the last value means that the text is not a name


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketBox:
    upper: BracketRow = field(default_factory=BracketRow)
    lower: BracketRow = field(default_factory=BracketRow)
    sign: MatchSign | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketWords:
    """The words around the matches."""

    title: str
    subtitle: str
    columns: Sequence[str]  # names of the rounds
    now: int | None = None  # the current round, from 0
    signs: Sequence[tuple[MatchSign, str]] = ()  # the signs in use and their meaning
    champion: str = ""


def bracket_picture(rounds: Sequence[Sequence[BracketBox]], said: BracketWords, *, scheme: str = "dark") -> Picture:
    """Draw these rounds, each with half as many matches as the one before. 1200 pixels wide."""
    theme = theme_of(scheme)
    legend = _legend_lines(said.signs)
    many = len(rounds[0])
    below = HEAD + many * PITCH[many]
    canvas = Canvas(WIDTH, below + LEGEND_GAP * bool(legend) + len(legend) * LEGEND_LINE + EDGE, theme)
    lay_cloth(canvas)
    plan = _Plan(len(rounds), many)
    _write(canvas, fitted(readable(said.title, "·"), Style.LOUD, 52, WIDTH - 2 * EDGE), EDGE + 6, 76, 52, theme.text)
    text = fitted(readable(said.subtitle), Style.TEXT, 38, WIDTH - 2 * EDGE)
    _write(canvas, text, EDGE + 6, 134, 38, theme.text, Style.TEXT)
    for column, name in enumerate(said.columns):
        style, colour = (Style.LOUD, theme.accent) if column == said.now else (Style.TEXT, theme.quiet)
        text, size = fit(readable(name), style, (36, 34, 32), plan.wide - 8)
        _write(canvas, text, plan.left(column) + 6, 204, size, colour, style)
    for column, boxes in enumerate(rounds[:-1]):
        for number, box in enumerate(boxes):
            _join(canvas, plan, column, number, lit="wins" in (box.upper.stands, box.lower.stands))
    for column, boxes in enumerate(rounds):
        for number, box in enumerate(boxes):
            last = column + 1 == len(rounds)
            _draw(canvas, plan, (column, number), box, ringed=last and bool(said.champion))
    if said.champion:
        _crown(canvas, plan, readable(said.champion, "·"))
    for number, line in enumerate(legend):
        _explain(canvas, line, below + LEGEND_GAP + number * LEGEND_LINE)
    return finished(canvas)


class _Plan:
    """Positions of columns and matches."""

    def __init__(self, columns: int, many: int) -> None:
        self.columns, self.many = columns, many
        self.gap, self.row = GAPS[columns], ROWS[columns]
        self.match = 2 * self.row + BETWEEN
        self.wide = (WIDTH - 2 * EDGE - (columns - 1) * self.gap) // columns

    def left(self, column: int) -> int:
        return EDGE + column * (self.wide + self.gap)

    def top(self, column: int, number: int) -> int:
        """The top of a match, centred between the two matches before it."""
        pitch = PITCH[self.many] << column
        return HEAD + number * pitch + (pitch - self.match) // 2

    @property
    def sizes(self) -> Sequence[int]:
        return SIZES[self.columns]


def _draw(canvas: Canvas, plan: _Plan, at: tuple[int, int], box: BracketBox, *, ringed: bool) -> None:
    left, top = plan.left(at[0]), plan.top(*at)
    for row, y in ((box.upper, top), (box.lower, top + plan.row + BETWEEN)):
        _row(canvas, plan, row, left, y, ringed=ringed and row.stands == "wins", badge=box.sign is not None)
    if box.sign is not None:
        _badge(canvas, box.sign, left + plan.wide - BADGE // 2, top + (plan.match - BADGE) // 2)


def _row(canvas: Canvas, plan: _Plan, row: BracketRow, left: int, top: int, *, ringed: bool, badge: bool) -> None:
    theme, lit = canvas.theme, row.stands == "wins"
    marks.panel(canvas, left, top, plan.wide, plan.row, lit=lit, ringed=ringed)
    ground = marks.ground(theme, lit=lit)
    colour = theme.ink if lit else theme.text if row.stands == "plays" else theme.quiet
    style = Style.LOUD if lit else Style.TEXT
    right = left + plan.wide - INSET - (BADGE // 2 if badge else 0)
    # A raised plate has a lip at the bottom.
    middle = top + (plan.row - (marks.THICK if lit else 0)) // 2
    if row.score:
        size = plan.sizes[-1]
        score, base = readable(row.score), middle + round(0.36 * size)
        draw_text(canvas, score, right, base, style, size, colour, ground=ground, side="right")
        right -= length(score, style, size) + 12
    # The message below the picture names players whose letters no font has.
    name = readable(row.name, f"#{row.seed}") if row.name else ""
    name, size = fit(name, style, plan.sizes, right - left - INSET)
    draw_text(canvas, name, left + INSET, middle + round(0.36 * size), style, size, colour, ground=ground)


def _join(canvas: Canvas, plan: _Plan, column: int, number: int, *, lit: bool) -> None:
    """Draw the path from a match to the next one: out, up or down, and on."""
    theme = canvas.theme
    colour = theme.accent if lit else theme.faint
    start, end = plan.left(column) + plan.wide, plan.left(column + 1)
    turn = start + (end - start) // 2 - LINE // 2
    begin = plan.top(column, number) + plan.match // 2 - LINE // 2
    down = plan.row // 2 if number % 2 == 0 else plan.match - plan.row // 2
    there = plan.top(column + 1, number // 2) + down - LINE // 2
    for x, y, wide, high in (
        (start, begin, turn + LINE - start, LINE),
        (turn, min(begin, there), LINE, abs(there - begin) + LINE),
        (turn, there, end - turn, LINE),
    ):
        canvas.stamp(inked(theme, colour, theme.cloth, marks.slab, wide, high, 0), x, y)


def _crown(canvas: Canvas, plan: _Plan, name: str) -> None:
    """Draw the winner's name below a wreath, above the last match."""
    theme = canvas.theme
    middle = plan.left(plan.columns - 1) + plan.wide // 2
    base = plan.top(plan.columns - 1, 0) - 26
    name, size = fit(name, Style.LOUD, (50, 46, 42, 38), plan.wide)
    draw_text(canvas, name, middle, base, Style.LOUD, size, theme.accent, side="middle")
    top = base - size - 4 - WREATH + 14
    canvas.stamp(wreath(theme, WREATH), middle - WREATH // 2, top)
    star = 48
    canvas.glaze(theme.accent, middle - star // 2, top + (WREATH - star) // 2 - 2, marks.star, star)


def _badge(canvas: Canvas, sign: MatchSign, x: int, y: int) -> None:
    """Draw a sign on a round plate at the end of a match."""
    canvas.glaze(_rim(canvas.theme, sign), x, y, marks.dot, BADGE)
    canvas.stamp(_inside(canvas.theme, sign), x + RIM, y + RIM)


def _rim(theme: Theme, sign: MatchSign) -> Colour:
    return theme.accent if sign == "running" else theme.quiet


@PARTS.kept
def _inside(theme: Theme, sign: MatchSign) -> Sprite:
    """The plate within its rim, with the sign."""
    size = BADGE - 2 * RIM
    plate = marks.dot(size)
    picture = soft(plate, _rim(theme, sign), theme.slot)
    inset = (size - SIGN) // 2
    picture.paste(theme.accent if sign == "running" else theme.text, (inset, inset), sign_shape(sign, SIGN))
    return Sprite(theme, picture, some(plate, 1))


@PARTS.kept
def sign_shape(sign: MatchSign, size: int) -> Image.Image:
    """The shape of a sign. Shapes differ, because some people cannot see colours."""
    match sign:
        case "running":
            return _polygon(size, ((0.12, 0), (1, 0.5), (0.12, 1)))
        case "waiting":
            return shape(size, size, lambda pen, k: pen.ellipse((0, 0, size * k - 1, size * k - 1), None, 255, 4 * k))
        case "held":
            return _bars(size, upright=True)
        case "judged":
            return _polygon(size, ((0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)))
        case "forfeit":
            return marks.flag(size)
        case "tied":
            return _bars(size, upright=False)
        case "unplayed":
            return marks.ballot_x(size)


def _polygon(size: int, points: Sequence[tuple[float, float]]) -> Image.Image:
    return shape(size, size, lambda pen, k: pen.polygon([(x * size * k, y * size * k) for x, y in points], 255))


def _bars(size: int, *, upright: bool) -> Image.Image:
    bars = [(0.1, 0.0, 0.4, 1.0), (0.6, 0.0, 0.9, 1.0)]

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        for left, top, right, low in bars:
            box = (left, top, right, low) if upright else (top, left, low, right)
            pen.rectangle([edge * size * scale for edge in box], 255)

    return shape(size, size, draw)


def _legend_lines(signs: Sequence[tuple[MatchSign, str]]) -> list[list[tuple[MatchSign, str]]]:
    """The meaning of the signs, in as few lines as possible."""
    lines: list[list[tuple[MatchSign, str]]] = []
    room = 0
    for sign, text in signs:
        wide = _legend_width(text)
        if not lines or wide > room:
            lines.append([])
            room = WIDTH - 2 * EDGE
        lines[-1].append((sign, text))
        room -= wide
    return lines


def _legend_width(text: str) -> int:
    return BADGE + 12 + length(readable(text), Style.TEXT, LEGEND) + 36


def _explain(canvas: Canvas, line: Sequence[tuple[MatchSign, str]], top: int) -> None:
    x = EDGE + 4
    for sign, text in line:
        _badge(canvas, sign, x, top)
        _write(canvas, readable(text), x + BADGE + 12, top + 36, LEGEND, canvas.theme.quiet, Style.TEXT)
        x += _legend_width(text)


def _write(canvas: Canvas, text: str, x: int, base: int, size: int, colour: Colour, style: Style = Style.LOUD) -> None:
    draw_text(canvas, text, x, base, style, size, colour)
