"""The list of a hand's best places, beside a close look at them."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Protocol

from engine.seen import Move
from engine.tiles import tile_text
from render import marks
from render.canvas import Box, Canvas
from render.cards import signed
from render.lettering import Style, draw_text, fitted, length
from render.tokens import bridge_stud, hexagon_stud

PAD: Final = 26
ROW: Final = 58
TITLE, FOOT = 34, 32
LETTER, TILE, POINTS = 38, 34, 40
STUD: Final = 36
LEAST: Final = 290
"""The least width of a row."""


class Said(Protocol):
    """The words of the list."""

    @property
    def best(self) -> str:
        """Its title."""

    @property
    def fitting(self) -> str:
        """The line at its end."""


def best_places(canvas: Canvas, area: Box, moves: Sequence[Move], said: Said) -> None:
    """As many as there is room for, best first: letter, tile, what it makes, points."""
    theme = canvas.theme
    left, top, right, bottom = area
    marks.panel(canvas, left, top, right - left, bottom - top)
    room, ground = right - left - 2 * PAD, theme.slot
    draw_text(
        canvas,
        fitted(said.best, Style.LOUD, TITLE, room),
        left + PAD,
        top + 52,
        style=Style.LOUD,
        size=TITLE,
        colour=theme.text,
        ground=ground,
    )
    foot = FOOT + 28 if said.fitting else 8
    rows = max(1, (bottom - foot - 8 - top - 52) // ROW)
    columns = 2 if room > 2 * LEAST else 1
    wide = (room - (columns - 1) * 2 * PAD) // columns
    scoring = any(move.points for move in moves)
    for number, move in enumerate(islice(_different(moves), rows * columns)):
        x = left + PAD + number // rows * (wide + 2 * PAD)
        _row(canvas, move, x, top + 52 + ROW * (1 + number % rows), wide, scoring=scoring, first=number == 0)
    draw_text(
        canvas,
        fitted(said.fitting, Style.TEXT, FOOT, room),
        left + PAD,
        bottom - 28,
        style=Style.TEXT,
        size=FOOT,
        colour=theme.quiet,
        ground=ground,
    )


def _row(canvas: Canvas, move: Move, x: int, base: int, wide: int, *, scoring: bool, first: bool) -> None:
    """Letter, tile, what it makes, points."""
    theme, ground, end = canvas.theme, canvas.theme.slot, x + wide
    draw_text(canvas, move.letter, x, base, style=Style.LOUD, size=LETTER, colour=theme.accent, ground=ground)
    x += max(48, length(move.letter, Style.LOUD, LETTER) + 14)
    tile = tile_text(move.placement.tile)
    x += draw_text(canvas, tile, x, base, style=Style.TEXT, size=TILE, colour=theme.text, ground=ground)
    if scoring:
        colour, points = theme.accent if first else theme.text, signed(move.points)
        end -= draw_text(
            canvas, points, end, base, style=Style.LOUD, size=POINTS, colour=colour, ground=ground, side="right"
        )
    for made, stud in ((move.hexagons, hexagon_stud), (move.bridge, bridge_stud)):
        if made and end - STUD - 10 > x + 8:
            end -= STUD + 10
            canvas.stamp(stud(theme, STUD), end, base - 31)


def _different(moves: Sequence[Move]) -> Iterator[Move]:
    """The best move of each tile at each place."""
    known = set()
    for move in moves:
        key = move.letter, move.placement.tile
        if key not in known:
            known.add(key)
            yield move
