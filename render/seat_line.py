"""All seats in a line or two, for pictures about something else than the score."""

from collections.abc import Sequence

from engine.seen import Seen
from render import marks
from render.canvas import Canvas, inked
from render.cards import GAP, columns, lights, paper, rows, total
from render.geometry import OUTLINES
from render.lettering import Style, fitted, length, plain, write
from render.palette import DIM
from render.theme import THEME, mix

LINE = 60
"""The height of a line."""


def line_height(seats: int) -> int:
    """How high the lines of seats are together."""
    return rows(seats) * (LINE + GAP) - GAP


def draw_line(canvas: Canvas, seen: Seen, names: Sequence[str], top: int) -> None:
    """Every seat's name and score, and its tiles where there is room."""
    few = len(seen.seats) <= 4
    size = 32 if few else 26
    base = LINE // 2 + round(0.36 * size)
    icon = OUTLINES[seen.rules.plane.first.kind]
    for seat, (row, x, width) in zip(seen.seats, columns(canvas.width, len(seen.seats)), strict=True):
        y = top + row * (LINE + GAP)
        ground = paper(seen, seat.seat)
        marks.panel(canvas, x, y, width, LINE, ground, THEME.gold if lights(seen, seat.seat) else None)
        colour = mix(THEME.seat(seat.seat), ground, DIM) if seat.resigned else THEME.seat(seat.seat)
        canvas.stamp(inked(colour, ground, marks.dot, 16), x + 14, y + (LINE - 16) // 2)
        text = mix(THEME.white, ground, DIM) if seat.resigned else THEME.white
        right = x + width - 14
        write(
            canvas,
            total(seat.total),
            right,
            base + y,
            style=Style.LOUD,
            size=size,
            colour=text,
            ground=ground,
            side="right",
        )
        right -= length(total(seat.total), Style.LOUD, size)
        if len(seen.seats) <= 3:
            right -= 26
            tiles = str(seat.tiles)
            write(canvas, tiles, right, base + y, style=Style.TEXT, size=size, colour=text, ground=ground, side="right")
            right -= length(tiles, Style.TEXT, size) + 34
            lip = mix(THEME.lip, ground, DIM) if seat.resigned else THEME.lip
            sign = inked(lip, ground, marks.little_tile, 24 if icon.sides == 3 else 20, icon)
            canvas.stamp(sign, right, base + y - sign.rgb.height + 1)
        name = fitted(plain(names[seat.seat], f"#{seat.seat + 1}"), Style.TEXT, size, right - x - 50)
        write(canvas, name, x + 40, base + y, style=Style.TEXT, size=size, colour=text, ground=ground)
