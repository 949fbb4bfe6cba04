"""The picture of a finished match, to be shared: winner, final table, decisive move, and a line for each seat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from PIL import Image

from engine.board.board import Placement
from engine.match.player_view import PlayerView, SeatView
from render.canvas import marks
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Canvas, Sprite, colourise, render_sprite, threshold
from render.canvas.geometry import OUTLINES, build_centred_layout, choose_edge, compute_row_height, compute_table_frame
from render.canvas.graph import CURVE, compute_curve_points, render_curve, render_zero_line
from render.canvas.lettering import Style, clean_text, draw_fitted_text, draw_text, measure_text
from render.canvas.marks import WREATH_SIZE, render_wreath
from render.canvas.picture import MARGIN, RIM, WIDTH, build_renderer, draw_cloth
from render.canvas.theme import Theme
from render.canvas.tokens import render_bridge_stud, render_hexagon_stud, render_seat_token
from render.faces import Face, build_face
from render.table.board_picture import draw_window
from render.table.cards import format_signed, format_total
from render.table.laid import paint_ring, paint_tile
from render.table.table_picture import MAX_HEIGHT
from render.table.tile import render_tile_on
from render.table.window import Window

HEADER_HEIGHT: Final = 250  # height of the winner and the total
MAX_TABLE_HEIGHTS: Final = (660, 900)
"""The greatest height of the table; the second while the picture is not higher than two to three."""
PADDING: Final = 20  # free space above and below the table
MAX_EDGE: Final = 150  # the largest edge of a tile on the table
MOVE_HEIGHT: Final = 236  # height of the decisive move
TILE_EDGE: Final = 170  # edge of its tile
ROW_HEIGHT, SMALL_ROW_HEIGHT = 92, 74  # height of a seat's line, and of one with more than six seats
TOTAL_SIZE, COUNT_SIZE, TOKEN_SIZE = 54, 41, 44  # sizes in a seat's line: of the total, other numbers, and tokens
NAME_SIZES: Final = (42, 38, 34, 32)
NAME_LEFT: Final = MARGIN + 124
COLUMN_GAP: Final = 26  # between two columns
GOOD_CURVE, MIN_CURVE = 160, 90  # width of the course of a total for which names get smaller, and its least width
TITLES: Final = (92, 80, 68, 56, 46)  # sizes of the winner's name


@dataclass(frozen=True, slots=True)
class EndWords:
    title: str
    subtitle: str
    lead: str  # the winner's lead; empty for a tie
    decisive: str  # heading of the decisive move
    move: str
    effect: str
    best: tuple[str, ...]  # by seat: its best move; empty for none


@dataclass(frozen=True, slots=True)
class DecisiveMove:
    placement: Placement
    points: int
    is_visible: bool  # whether the final table shows it


def draw_match_end(
    view: PlayerView,
    names: Sequence[str],
    words: EndWords,
    totals: Sequence[tuple[int, ...]],
    highlight: DecisiveMove | None,
    *,
    theme: str = "classic",
    scheme: str = "dark",
    true_colour: bool = False,
) -> Canvas:
    """Draw the end of a match, 1200 pixels wide.

    `totals` are the totals by seat after each step, from the start. Raises ValueError for an unknown `theme` or
    `scheme`. `true_colour` draws in 24-bit colour, for tests.
    """
    assert view.ended is not None
    face = build_face(view.rules, theme, scheme)
    row = ROW_HEIGHT if len(view.seats) <= 6 else SMALL_ROW_HEIGHT
    move = MOVE_HEIGHT + 20 if highlight else 0
    left_over = MAX_HEIGHT - HEADER_HEIGHT - 2 * PADDING - 28 - move - row * len(view.seats) - RIM
    window = _build_window(view, max(MAX_TABLE_HEIGHTS[0], min(MAX_TABLE_HEIGHTS[1], left_over)))
    below = window.area[3] + 28 if window else HEADER_HEIGHT
    lines = below + move
    canvas = Canvas(WIDTH, lines + row * len(view.seats) + RIM, face.theme, true_colour=true_colour)
    draw_cloth(canvas)
    if window:
        # After the end, the last move is not highlighted.
        draw_window(canvas, replace(view, last=None, newest=()), window, face)
        if highlight and highlight.is_visible:
            paint_tile(canvas, window.layout, highlight.placement, face, lit=True)
            paint_ring(canvas, window.layout, highlight.placement.cell)
    _draw_winner(canvas, view, words)
    if highlight:
        _draw_decisive_move(canvas, view, face, words, highlight, below)
    order = sorted(view.seats, key=lambda seat: (view.ended.places[seat.seat] if view.ended else 0, seat.seat))
    shown_names = [clean_text(name, f"#{number}") for number, name in enumerate(names[: len(order)], 1)]
    columns = _arrange_columns(view.seats, shown_names, words)
    for number, seat in enumerate(order):
        line = _SeatLine(canvas, view, seat, shown_names[seat.seat], words, totals, columns)
        line.draw(lines + row * number, row, is_last=number == len(order) - 1)
    return canvas


render_match_end = build_renderer(draw_match_end)


def _build_window(view: PlayerView, max_height: int) -> Window | None:
    """The whole table, centred and at most this high."""
    if not view.tiles:
        return None
    lattice = view.rules.plane
    table_frame = compute_table_frame(lattice, view.tiles, (), (), view.rules.bounds)
    edge = min(MAX_EDGE, choose_edge(lattice, table_frame, WIDTH - 2 * MARGIN, max_height))
    height = round((table_frame[3] - table_frame[1]) * compute_row_height(lattice, edge)) + 2 * PADDING
    area = (RIM, HEADER_HEIGHT, WIDTH - RIM, HEADER_HEIGHT + height)
    return Window(build_centred_layout(lattice, table_frame, edge, area), area)


def _draw_winner(canvas: Canvas, view: PlayerView, words: EndWords) -> None:
    """Draw the winner in a laurel wreath, and the total."""
    assert view.ended is not None
    theme, right = canvas.theme, WIDTH - MARGIN
    winners = [seat for seat, place in enumerate(view.ended.places) if place == 1]
    canvas.paste_sprite(render_wreath(theme, WREATH_SIZE), MARGIN, 44)
    size = 76 if len(winners) == 1 else 44
    for number, seat in enumerate(winners[:3]):
        x = MARGIN + WREATH_SIZE // 2 + round((number - (min(3, len(winners)) - 1) / 2) * (size + 4))
        canvas.paste_sprite(render_seat_token(theme, seat, size), x - size // 2, 44 + WREATH_SIZE // 2 - size // 2)
    total = format_total(view.seats[winners[0]].total)
    right -= 24 + draw_text(canvas, total, right, 152, Style.LOUD, TITLES[0], theme.accent, side="right")
    x = MARGIN + WREATH_SIZE + 32
    draw_fitted_text(canvas, clean_text(words.title), x, 152, Style.LOUD, TITLES, right - x, theme.text)
    lead_width = draw_text(canvas, words.lead, WIDTH - MARGIN, 212, Style.TEXT, 36, theme.quiet, side="right")
    room = WIDTH - MARGIN - lead_width - 30 - x
    draw_fitted_text(canvas, clean_text(words.subtitle), x, 212, Style.TEXT, (36,), room, theme.quiet)


def _draw_decisive_move(
    canvas: Canvas, view: PlayerView, face: Face, words: EndWords, highlight: DecisiveMove, top: int
) -> None:
    """Draw the decisive move: its tile, effect and points."""
    theme, ground = canvas.theme, canvas.theme.slot
    marks.draw_plate(canvas, RIM, top, WIDTH - 2 * RIM, MOVE_HEIGHT)
    outline = OUTLINES[view.rules.plane.first.kind]
    edge = TILE_EDGE if outline.sides == 3 else 140
    y = top + (MOVE_HEIGHT - outline.compute_height(edge)) // 2
    tile = render_tile_on(edge, outline, highlight.placement.tile, face.hand_face, ground, lit=True)
    canvas.paste_sprite(tile, RIM + 58, y)
    points, right = format_signed(highlight.points), WIDTH - RIM - 40
    base = top + MOVE_HEIGHT // 2 + 30
    right -= 30 + draw_text(canvas, points, right, base, Style.LOUD, 86, theme.accent, ground=ground, side="right")
    x = RIM + 58 + edge + 60
    for text, down, style, sizes, colour in (
        (words.decisive, 66, Style.TEXT, (36, 32), theme.quiet),
        (words.move, 128, Style.LOUD, (50, 44, 38, 34), theme.text),
        (words.effect, 186, Style.TEXT, (36, 34, 32), theme.quiet),
    ):
        draw_fitted_text(canvas, text, x, top + down, style, sizes, right - x, colour, ground=ground)


class _Columns(NamedTuple):
    """The columns of the seats' lines, in pixels from the left."""

    name_size: int
    name_width: int
    curve: tuple[int, int] | None  # left and width; None without room
    tokens: tuple[int, int]  # left of the hexagons and of the bridges
    best: int  # right of the best move


def _arrange_columns(seats: Sequence[SeatView], names: Sequence[str], words: EndWords) -> _Columns:
    """Give every token its room, then every name, and the course of the totals what is left."""
    totals = max(measure_text(format_total(seat.total), Style.LOUD, TOTAL_SIZE) for seat in seats)
    x = best = WIDTH - MARGIN - totals - COLUMN_GAP
    x -= max(measure_text(text, Style.TEXT, COUNT_SIZE) for text in words.best)
    tokens: list[int] = []
    for counts in ([seat.bridges for seat in seats], [seat.hexagons for seat in seats]):
        if any(counts):
            x -= TOKEN_SIZE + 10 + measure_text(str(max(counts)), Style.TEXT, COUNT_SIZE) + COLUMN_GAP
        tokens.insert(0, x)
    room = x - NAME_LEFT - COLUMN_GAP
    for size in NAME_SIZES:
        width = max(measure_text(name, Style.TEXT, size) for name in names)
        if width + COLUMN_GAP + GOOD_CURVE <= room:
            break
    left, width = NAME_LEFT + min(width, room) + COLUMN_GAP, min(width, room)
    curve = min(CURVE[0], x - COLUMN_GAP - left)
    return _Columns(size, width, (left, curve) if curve >= MIN_CURVE else None, (tokens[0], tokens[1]), best)


@dataclass(frozen=True)
class _SeatLine:
    """One seat's line: place, name, course of its total, hexagons and bridges, total."""

    canvas: Canvas
    view: PlayerView
    seat: SeatView
    name: str
    words: EndWords
    totals: Sequence[tuple[int, ...]]
    columns: _Columns

    def draw(self, top: int, height: int, *, is_last: bool) -> None:
        """Draw the line, with a thin separator below unless it is the `last`."""
        assert self.view.ended is not None
        canvas, theme, number = self.canvas, self.canvas.theme, self.seat.seat
        base, middle = top + height // 2 + 15, top + height // 2
        place = self.view.ended.places[number]
        colours = (theme.accent, theme.accent) if place == 1 else (theme.quiet, theme.text)
        draw_text(canvas, str(place), MARGIN + 12, base, Style.LOUD, 38, colours[0])
        canvas.paste_sprite(render_seat_token(theme, number, 40), MARGIN + 66, middle - 20)
        size, columns = self.columns.name_size, self.columns
        draw_fitted_text(canvas, self.name, NAME_LEFT, base, Style.TEXT, (size,), columns.name_width, theme.text)
        total = format_total(self.seat.total)
        draw_text(canvas, total, WIDTH - MARGIN, base + 4, Style.LOUD, TOTAL_SIZE, colours[1], side="right")
        best = self.words.best[number]
        draw_text(canvas, best, columns.best, base, Style.TEXT, COUNT_SIZE, theme.quiet, side="right")
        counts = (self.seat.hexagons, render_hexagon_stud), (self.seat.bridges, render_bridge_stud)
        for x, (count, stud) in zip(columns.tokens, counts, strict=True):
            if count:
                canvas.paste_sprite(stud(theme, TOKEN_SIZE), x, middle - TOKEN_SIZE // 2)
                draw_text(canvas, str(count), x + TOKEN_SIZE + 10, base, Style.TEXT, COUNT_SIZE, theme.text)
        if columns.curve:
            self._draw_curve(*columns.curve, middle - CURVE[1] // 2 - 2)
        if not is_last:
            canvas.paste_sprite(_render_hairline(theme), MARGIN, top + height - 1)

    def _draw_curve(self, x: int, width: int, y: int) -> None:
        """Draw the course of the total, on the scale of all seats."""
        all_totals = [total for course in self.totals for total in course]
        low, height = min(0, *all_totals), max(1, *all_totals)
        points = compute_curve_points([course[self.seat.seat] for course in self.totals], low, height)
        theme = self.canvas.theme
        at = round(CURVE[1] * height / (height - low))
        zero_line = render_sprite(theme, theme.faint, theme.cloth, render_zero_line, width, at)
        self.canvas.paste_sprite(zero_line, x, y)
        cover = render_curve(points, (width, CURVE[1]), 12, 4, 7)
        picture = colourise(cover, theme.cloth, theme.get_seat_colour(self.seat.seat))
        self.canvas.paste_sprite(Sprite(theme, picture, threshold(cover, 60)), x, y)


@PART_CACHE.memoize
def _render_hairline(theme: Theme) -> Sprite:
    line = Image.new("L", (WIDTH - 2 * MARGIN, 2), 120)
    return Sprite(theme, colourise(line, theme.cloth, theme.faint))
