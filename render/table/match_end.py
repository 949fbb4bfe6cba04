"""The picture of a finished match, to be shared: winner, final table, decisive move, and a line for each seat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from PIL import Image

from engine.board.board import Placement
from engine.match.player_view import PlayerView, SeatView
from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Canvas, Sprite, inked, soft, some
from render.canvas.geometry import OUTLINES, centred, largest_edge, row_height, whole
from render.canvas.graph import CURVE, course_points, curve, nought
from render.canvas.lettering import Style, draw_text, fit, fitted, readable
from render.canvas.marks import WREATH, wreath
from render.canvas.picture import MARGIN, RIM, WIDTH, lay_cloth, pictured
from render.canvas.theme import Theme
from render.canvas.tokens import bridge_stud, hexagon_stud, seat_token
from render.faces import Face, face_of
from render.table.board_picture import draw_window
from render.table.cards import signed, total_text
from render.table.laid import stamp_ring, stamp_tile
from render.table.rack import tile_shadow
from render.table.table_picture import TALLEST
from render.table.tile import tile_sprite
from render.table.window import Window

HEAD: Final = 250  # height of the winner and the total
TABLE: Final = (660, 900)
"""The greatest height of the table; the second while the picture is not higher than two to three."""
AIR: Final = 20  # free space above and below the table
LARGEST: Final = 150  # the largest edge of a tile on the table
MOVE: Final = 236  # height of the decisive move
TILE: Final = 170  # edge of its tile
ROW, SMALL_ROW = 92, 74  # height of a seat's line, and of one with more than six seats
TITLES: Final = (92, 80, 68, 56, 46)  # sizes of the winner's name


@dataclass(frozen=True, slots=True)
class EndWords:
    """The words of the picture."""

    title: str
    subtitle: str
    ahead: str  # the winner's lead; empty for a tie
    decisive: str  # heading of the decisive move
    move: str
    effect: str
    best: tuple[str, ...]  # by seat: its best move; empty for none


@dataclass(frozen=True, slots=True)
class DecisiveMove:
    """The decisive move."""

    placement: Placement
    points: int
    here: bool  # whether the final table shows it


def draw_match(
    seen: PlayerView,
    names: Sequence[str],
    said: EndWords,
    courses: Sequence[tuple[int, ...]],
    highlight: DecisiveMove | None,
    *,
    theme: str = "classic",
    scheme: str = "dark",
    true: bool = False,
) -> Canvas:
    """Draw the end of a match, 1200 pixels wide.

    `courses` are the totals by seat after each step, from the start. Raises ValueError for an unknown `theme` or
    `scheme`. `true` draws in 24-bit colour, for tests.
    """
    assert seen.ended is not None
    face = face_of(seen.rules, theme, scheme)
    row = ROW if len(seen.seats) <= 6 else SMALL_ROW
    move = MOVE + 20 if highlight else 0
    left_over = TALLEST - HEAD - 2 * AIR - 28 - move - row * len(seen.seats) - RIM
    window = _window(seen, max(TABLE[0], min(TABLE[1], left_over)))
    below = window.area[3] + 28 if window else HEAD
    lines = below + move
    canvas = Canvas(WIDTH, lines + row * len(seen.seats) + RIM, face.theme, true=true)
    lay_cloth(canvas)
    if window:
        # After the end, the last move is not highlighted.
        draw_window(canvas, replace(seen, last=None, newest=()), window, face)
        if highlight and highlight.here:
            stamp_tile(canvas, window.layout, highlight.placement, face, lit=True)
            stamp_ring(canvas, window.layout, highlight.placement.cell)
    _winner(canvas, seen, said)
    if highlight:
        _decisive(canvas, seen, face, said, highlight, below)
    order = sorted(seen.seats, key=lambda seat: (seen.ended.places[seat.seat] if seen.ended else 0, seat.seat))
    for number, seat in enumerate(order):
        _Line(canvas, seen, seat, readable(names[seat.seat], f"#{seat.seat + 1}"), said, courses).draw(
            lines + row * number, row, last=number == len(order) - 1
        )
    return canvas


match_picture = pictured(draw_match)


def _window(seen: PlayerView, most: int) -> Window | None:
    """The whole table, centred and at most this high."""
    if not seen.tiles:
        return None
    lattice = seen.rules.plane
    everything = whole(lattice, seen.tiles, (), (), seen.rules.bounds)
    edge = min(LARGEST, largest_edge(lattice, everything, WIDTH - 2 * MARGIN, most))
    high = round((everything[3] - everything[1]) * row_height(lattice, edge)) + 2 * AIR
    area = (RIM, HEAD, WIDTH - RIM, HEAD + high)
    return Window(centred(lattice, everything, edge, area), area)


def _winner(canvas: Canvas, seen: PlayerView, said: EndWords) -> None:
    """Draw the winner in a laurel wreath, and the total."""
    assert seen.ended is not None
    theme, right = canvas.theme, WIDTH - MARGIN
    winners = [seat for seat, place in enumerate(seen.ended.places) if place == 1]
    canvas.stamp(wreath(theme, WREATH), MARGIN, 44)
    size = 76 if len(winners) == 1 else 44
    for number, seat in enumerate(winners[:3]):
        x = MARGIN + WREATH // 2 + round((number - (min(3, len(winners)) - 1) / 2) * (size + 4))
        canvas.stamp(seat_token(theme, seat, size), x - size // 2, 44 + WREATH // 2 - size // 2)
    total = total_text(seen.seats[winners[0]].total)
    right -= 24 + draw_text(canvas, total, right, 152, Style.LOUD, TITLES[0], theme.accent, side="right")
    x = MARGIN + WREATH + 32
    title, size = fit(readable(said.title), Style.LOUD, TITLES, right - x)
    draw_text(canvas, title, x, 152, Style.LOUD, size, theme.text)
    ahead = draw_text(canvas, said.ahead, WIDTH - MARGIN, 212, Style.TEXT, 36, theme.quiet, side="right")
    subtitle = fitted(readable(said.subtitle), Style.TEXT, 36, WIDTH - MARGIN - ahead - 30 - x)
    draw_text(canvas, subtitle, x, 212, Style.TEXT, 36, theme.quiet)


def _decisive(canvas: Canvas, seen: PlayerView, face: Face, said: EndWords, highlight: DecisiveMove, top: int) -> None:
    """Draw the decisive move: its tile, effect and points."""
    theme, ground = canvas.theme, canvas.theme.slot
    marks.panel(canvas, RIM, top, WIDTH - 2 * RIM, MOVE)
    outline = OUTLINES[seen.rules.plane.first.kind]
    edge = TILE if outline.sides == 3 else 140
    y = top + (MOVE - outline.height(edge)) // 2
    canvas.stamp(tile_shadow(theme, edge, outline, ground), RIM + 63, y + 8)
    canvas.stamp(tile_sprite(edge, outline, highlight.placement.tile, face.held, lit=True), RIM + 58, y)
    points, right = signed(highlight.points), WIDTH - RIM - 40
    right -= 30 + draw_text(
        canvas, points, right, top + MOVE // 2 + 30, Style.LOUD, 86, theme.accent, ground=ground, side="right"
    )
    x = RIM + 58 + edge + 60
    for text, base, style, sizes, colour in (
        (said.decisive, 66, Style.TEXT, (36, 32), theme.quiet),
        (said.move, 128, Style.LOUD, (50, 44, 38, 34), theme.text),
        (said.effect, 186, Style.TEXT, (36, 34, 32), theme.quiet),
    ):
        text, size = fit(text, style, sizes, right - x)
        draw_text(canvas, text, x, top + base, style, size, colour, ground=ground)


@dataclass(frozen=True)
class _Line:
    """One seat's line: place, name, course of its total, hexagons and bridges, total."""

    canvas: Canvas
    seen: PlayerView
    seat: SeatView
    name: str
    said: EndWords
    courses: Sequence[tuple[int, ...]]

    def draw(self, top: int, high: int, *, last: bool) -> None:
        """Draw the line, with a thin separator below unless it is the `last`."""
        assert self.seen.ended is not None
        canvas, theme, number = self.canvas, self.canvas.theme, self.seat.seat
        base, middle = top + high // 2 + 15, top + high // 2
        place = self.seen.ended.places[number]
        colours = (theme.accent, theme.accent) if place == 1 else (theme.quiet, theme.text)
        draw_text(canvas, str(place), MARGIN + 12, base, Style.LOUD, 38, colours[0])
        canvas.stamp(seat_token(theme, number, 40), MARGIN + 66, middle - 20)
        name, size = fit(self.name, Style.TEXT, (42, 38, 34, 32), 190)
        draw_text(canvas, name, MARGIN + 124, base, Style.TEXT, size, theme.text)
        right, total = WIDTH - MARGIN, total_text(self.seat.total)
        wide = max(draw_text(canvas, total, right, base + 4, Style.LOUD, 54, colours[1], side="right"), 96)
        best, end = self.said.best[number], right - wide - 28
        wide += 28 + draw_text(canvas, best, end, base, Style.TEXT, 33, theme.quiet, side="right")
        x = MARGIN + 124 + 190 + 20 + CURVE[0] + 36
        for many, stud in ((self.seat.hexagons, hexagon_stud), (self.seat.bridges, bridge_stud)):
            if many and x + 90 < right - wide:
                canvas.stamp(stud(theme, 38), x, middle - 19)
                draw_text(canvas, str(many), x + 48, base, Style.TEXT, 34, theme.text)
            x += 94
        self._curve(MARGIN + 124 + 190 + 20, middle - CURVE[1] // 2 - 2)
        if not last:
            canvas.stamp(_hairline(theme), MARGIN, top + high - 1)

    def _curve(self, x: int, y: int) -> None:
        """Draw the course of the total, on the scale of all seats."""
        all_totals = [total for course in self.courses for total in course]
        low, high = min(0, *all_totals), max(1, *all_totals)
        points = course_points([course[self.seat.seat] for course in self.courses], low, high)
        theme = self.canvas.theme
        self.canvas.stamp(inked(theme, theme.faint, theme.cloth, nought, round(CURVE[1] * high / (high - low))), x, y)
        cover = curve(points, CURVE, 12, 4, 7)
        self.canvas.stamp(Sprite(theme, soft(cover, theme.cloth, theme.seat(self.seat.seat)), some(cover, 60)), x, y)


@PARTS.kept
def _hairline(theme: Theme) -> Sprite:
    line = Image.new("L", (WIDTH - 2 * MARGIN, 2), 120)
    return Sprite(theme, soft(line, theme.cloth, theme.faint))
