"""The bracket of a knock-out tournament, from left to right. Brackets of more than four rounds are drawn in parts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from PIL import Image, ImageDraw

from render.canvas import marks
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Canvas, Sprite, colourise, render_shape, render_sprite, threshold
from render.canvas.lettering import Style, choose_size, clean_text, draw_fitted_text, draw_text, measure_text
from render.canvas.marks import render_wreath
from render.canvas.picture import WIDTH, Picture, build_picture, draw_cloth
from render.canvas.theme import Colour, Theme, get_theme

MARGIN: Final = 28
HEADER_HEIGHT: Final = 222  # above the first match: title, subtitle, names of the columns
ROW_HEIGHTS: Final = {2: 70, 3: 66, 4: 60}  # height of a name by number of columns
PLAYER_GAP: Final = 4  # between the two players of a match
MATCH_PITCH: Final = {2: 274, 4: 176, 8: 148}
"""Distance between matches of the first column, by their number. A short column leaves room for the winner."""
GAPS: Final = {2: 70, 3: 50, 4: 34}  # between two columns, by their number
SIZES: Final = {2: (48, 44, 40), 3: (42, 39, 36), 4: (38, 36, 34)}  # of names, by number of columns
TEXT_INSET: Final = 16
BADGE_SIZE: Final = 46
BADGE_RIM: Final = 3  # of a badge
SIGN_SIZE: Final = 24
LINE_WIDTH: Final = 6
LEGEND_SIZE: Final = 34
LEGEND_LINE: Final = 56
LEGEND_GAP: Final = 14
WREATH_SIZE: Final = 128

MatchSign = Literal["running", "waiting", "held", "judged", "forfeit", "tied", "unplayed"]
"""The state of a match beside its score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketRow:
    """One of the two players of a match."""

    name: str = ""  # empty: not known yet
    seed: int = 0  # from 1; shown if the name cannot be drawn
    score: str = ""
    state: Literal["plays", "wins", "out", "nobody"] = "plays"  # the last value means that the text is not a name


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketBox:
    upper: BracketRow = field(default_factory=BracketRow)
    lower: BracketRow = field(default_factory=BracketRow)
    sign: MatchSign | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketWords:
    title: str
    subtitle: str
    columns: Sequence[str]  # names of the rounds
    current_round: int | None = None  # the current round, from 0
    signs: Sequence[tuple[MatchSign, str]] = ()  # the signs in use and their meaning
    champion: str = ""


def render_bracket(rounds: Sequence[Sequence[BracketBox]], words: BracketWords, *, scheme: str = "dark") -> Picture:
    """Draw these rounds, each with half as many matches as the one before. 1200 pixels wide."""
    theme = get_theme(scheme)
    legend = _split_legend(words.signs)
    match_count = len(rounds[0])
    below = HEADER_HEIGHT + match_count * MATCH_PITCH[match_count]
    canvas = Canvas(WIDTH, below + LEGEND_GAP * bool(legend) + len(legend) * LEGEND_LINE + MARGIN, theme)
    draw_cloth(canvas)
    plan = _BracketLayout(len(rounds), match_count)
    title, subtitle, room = clean_text(words.title, "·"), clean_text(words.subtitle), WIDTH - 2 * MARGIN
    draw_fitted_text(canvas, title, MARGIN + 6, 76, Style.LOUD, (52,), room, theme.text)
    draw_fitted_text(canvas, subtitle, MARGIN + 6, 134, Style.TEXT, (38,), room, theme.text)
    for column, name in enumerate(words.columns):
        style, colour = (Style.LOUD, theme.accent) if column == words.current_round else (Style.TEXT, theme.quiet)
        x, room = plan.compute_left(column) + 6, plan.column_width - 8
        draw_fitted_text(canvas, clean_text(name), x, 204, style, (36, 34, 32), room, colour)
    for column, boxes in enumerate(rounds[:-1]):
        for number, box in enumerate(boxes):
            _draw_connector(canvas, plan, column, number, lit="wins" in (box.upper.state, box.lower.state))
    for column, boxes in enumerate(rounds):
        for number, box in enumerate(boxes):
            last = column + 1 == len(rounds)
            _draw_match(canvas, plan, (column, number), box, ringed=last and bool(words.champion))
    if words.champion:
        _draw_winner(canvas, plan, clean_text(words.champion, "·"))
    for number, line in enumerate(legend):
        _draw_legend_line(canvas, line, below + LEGEND_GAP + number * LEGEND_LINE)
    return build_picture(canvas)


class _BracketLayout:
    def __init__(self, columns: int, match_count: int) -> None:
        self.columns, self.match_count = columns, match_count
        self.gap, self.row_height = GAPS[columns], ROW_HEIGHTS[columns]
        self.match_height = 2 * self.row_height + PLAYER_GAP
        self.column_width = (WIDTH - 2 * MARGIN - (columns - 1) * self.gap) // columns

    def compute_left(self, column: int) -> int:
        return MARGIN + column * (self.column_width + self.gap)

    def compute_top(self, column: int, number: int) -> int:
        """The top of a match, centred between the two matches before it."""
        pitch = MATCH_PITCH[self.match_count] << column
        return HEADER_HEIGHT + number * pitch + (pitch - self.match_height) // 2

    @property
    def name_sizes(self) -> Sequence[int]:
        return SIZES[self.columns]


def _draw_match(canvas: Canvas, plan: _BracketLayout, at: tuple[int, int], box: BracketBox, *, ringed: bool) -> None:
    left, top = plan.compute_left(at[0]), plan.compute_top(*at)
    for row, y in ((box.upper, top), (box.lower, top + plan.row_height + PLAYER_GAP)):
        _draw_player(canvas, plan, row, left, y, ringed=ringed and row.state == "wins", badge=box.sign is not None)
    if box.sign is not None:
        x, y = left + plan.column_width - BADGE_SIZE // 2, top + (plan.match_height - BADGE_SIZE) // 2
        _draw_badge(canvas, box.sign, x, y)


def _draw_player(
    canvas: Canvas, plan: _BracketLayout, row: BracketRow, left: int, top: int, *, ringed: bool, badge: bool
) -> None:
    theme, lit = canvas.theme, row.state == "wins"
    marks.draw_plate(canvas, left, top, plan.column_width, plan.row_height, lit=lit, ringed=ringed)
    ground = marks.choose_ground(theme, lit=lit)
    colour = theme.ink if lit else theme.text if row.state == "plays" else theme.quiet
    style = Style.LOUD if lit else Style.TEXT
    right = left + plan.column_width - TEXT_INSET - (BADGE_SIZE // 2 if badge else 0)
    # A raised plate has a lip at the bottom.
    middle = top + (plan.row_height - (marks.LIP_HEIGHT if lit else 0)) // 2
    if row.score:
        size = plan.name_sizes[-1]
        score, base = clean_text(row.score), middle + round(0.36 * size)
        draw_text(canvas, score, right, base, style, size, colour, ground=ground, side="right")
        right -= measure_text(score, style, size) + 12
    # The message below the picture names players whose letters no font has.
    name = clean_text(row.name, f"#{row.seed}") if row.name else ""
    name, size = choose_size(name, style, plan.name_sizes, right - left - TEXT_INSET)
    draw_text(canvas, name, left + TEXT_INSET, middle + round(0.36 * size), style, size, colour, ground=ground)


def _draw_connector(canvas: Canvas, plan: _BracketLayout, column: int, number: int, *, lit: bool) -> None:
    """Draw the path from a match to the next one: out, up or down, and on."""
    theme = canvas.theme
    colour = theme.accent if lit else theme.faint
    start, end = plan.compute_left(column) + plan.column_width, plan.compute_left(column + 1)
    turn = start + (end - start) // 2 - LINE_WIDTH // 2
    start_y = plan.compute_top(column, number) + plan.match_height // 2 - LINE_WIDTH // 2
    down = plan.row_height // 2 if number % 2 == 0 else plan.match_height - plan.row_height // 2
    end_y = plan.compute_top(column + 1, number // 2) + down - LINE_WIDTH // 2
    for x, y, width, height in (
        (start, start_y, turn + LINE_WIDTH - start, LINE_WIDTH),
        (turn, min(start_y, end_y), LINE_WIDTH, abs(end_y - start_y) + LINE_WIDTH),
        (turn, end_y, end - turn, LINE_WIDTH),
    ):
        canvas.paste_sprite(render_sprite(theme, colour, theme.cloth, marks.render_rounded_box, width, height, 0), x, y)


def _draw_winner(canvas: Canvas, plan: _BracketLayout, name: str) -> None:
    """Draw the winner's name below a wreath, above the last match."""
    theme = canvas.theme
    middle = plan.compute_left(plan.columns - 1) + plan.column_width // 2
    base = plan.compute_top(plan.columns - 1, 0) - 26
    name, size = choose_size(name, Style.LOUD, (50, 46, 42, 38), plan.column_width)
    draw_text(canvas, name, middle, base, Style.LOUD, size, theme.accent, side="middle")
    top = base - size - 4 - WREATH_SIZE + 14
    canvas.paste_sprite(render_wreath(theme, WREATH_SIZE), middle - WREATH_SIZE // 2, top)
    star = 48
    canvas.paint_shape(theme.accent, middle - star // 2, top + (WREATH_SIZE - star) // 2 - 2, marks.render_star, star)


def _draw_badge(canvas: Canvas, sign: MatchSign, x: int, y: int) -> None:
    """Draw a sign on a round plate at the end of a match."""
    canvas.paint_shape(_choose_rim_colour(canvas.theme, sign), x, y, marks.render_dot, BADGE_SIZE)
    canvas.paste_sprite(_render_badge(canvas.theme, sign), x + BADGE_RIM, y + BADGE_RIM)


def _choose_rim_colour(theme: Theme, sign: MatchSign) -> Colour:
    return theme.accent if sign == "running" else theme.quiet


@PART_CACHE.memoize
def _render_badge(theme: Theme, sign: MatchSign) -> Sprite:
    """The plate within its rim, with the sign."""
    size = BADGE_SIZE - 2 * BADGE_RIM
    plate = marks.render_dot(size)
    picture = colourise(plate, _choose_rim_colour(theme, sign), theme.slot)
    inset = (size - SIGN_SIZE) // 2
    picture.paste(theme.accent if sign == "running" else theme.text, (inset, inset), render_sign(sign, SIGN_SIZE))
    return Sprite(theme, picture, threshold(plate, 1))


@PART_CACHE.memoize
def render_sign(sign: MatchSign, size: int) -> Image.Image:
    """The shape of a sign. Shapes differ, because some people cannot see colours."""
    match sign:
        case "running":
            return _render_polygon(size, ((0.12, 0), (1, 0.5), (0.12, 1)))
        case "waiting":
            return render_shape(
                size, size, lambda pen, k: pen.ellipse((0, 0, size * k - 1, size * k - 1), None, 255, 4 * k)
            )
        case "held":
            return _render_bars(size, upright=True)
        case "judged":
            return _render_polygon(size, ((0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)))
        case "forfeit":
            return marks.render_flag(size)
        case "tied":
            return _render_bars(size, upright=False)
        case "unplayed":
            return marks.render_cross(size)


def _render_polygon(size: int, points: Sequence[tuple[float, float]]) -> Image.Image:
    return render_shape(size, size, lambda pen, k: pen.polygon([(x * size * k, y * size * k) for x, y in points], 255))


def _render_bars(size: int, *, upright: bool) -> Image.Image:
    bars = [(0.1, 0.0, 0.4, 1.0), (0.6, 0.0, 0.9, 1.0)]

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        for left, top, right, low in bars:
            box = (left, top, right, low) if upright else (top, left, low, right)
            pen.rectangle([edge * size * scale for edge in box], 255)

    return render_shape(size, size, draw)


def _split_legend(signs: Sequence[tuple[MatchSign, str]]) -> list[list[tuple[MatchSign, str]]]:
    """The meaning of the signs, in as few lines as possible."""
    lines: list[list[tuple[MatchSign, str]]] = []
    room = 0
    for sign, text in signs:
        width = _measure_legend_entry(text)
        if not lines or width > room:
            lines.append([])
            room = WIDTH - 2 * MARGIN
        lines[-1].append((sign, text))
        room -= width
    return lines


def _measure_legend_entry(text: str) -> int:
    return BADGE_SIZE + 12 + measure_text(clean_text(text), Style.TEXT, LEGEND_SIZE) + 36


def _draw_legend_line(canvas: Canvas, line: Sequence[tuple[MatchSign, str]], top: int) -> None:
    x = MARGIN + 4
    for sign, text in line:
        _draw_badge(canvas, sign, x, top)
        left, quiet = x + BADGE_SIZE + 12, canvas.theme.quiet
        draw_text(canvas, clean_text(text), left, top + 36, Style.TEXT, LEGEND_SIZE, quiet)
        x += _measure_legend_entry(text)
