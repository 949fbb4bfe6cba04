"""All seats in a line or two, for pictures about something other than the score."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from engine.match.player_view import PlayerView
from render.canvas import marks
from render.canvas.cache import PIECES
from render.canvas.canvas import Canvas, Sprite, inked
from render.canvas.cell_outline import Outline
from render.canvas.geometry import OUTLINES
from render.canvas.lettering import Style, draw_text, fitted, readable
from render.canvas.palette import DIM
from render.canvas.theme import Colour, Theme, mix
from render.canvas.tokens import seat_token
from render.table.cards import GAP, card_rows, columns, lights, total_text

LINE = 60  # height of a line


def line_height(seats: int) -> int:
    """The height of all lines of seats."""
    return card_rows(seats) * (LINE + GAP) - GAP


def draw_line(canvas: Canvas, seen: PlayerView, names: Sequence[str], top: int) -> None:
    """Draw every seat's name and score, and its tiles if there is room."""
    icon = OUTLINES[seen.rules.plane.first.kind]
    for seat, (row, x, width) in zip(seen.seats, columns(canvas.width, len(seen.seats)), strict=True):
        panel = Panel(
            theme=canvas.theme,
            seat=seat.seat,
            seats=len(seen.seats),
            name=readable(names[seat.seat], f"#{seat.seat + 1}"),
            total=total_text(seat.total),
            tiles=str(seat.tiles),
            resigned=seat.resigned,
            lit=lights(seen, seat.seat),
            icon=icon,
            width=width,
        )
        canvas.stamp(panel.drawn(), x, top + row * (LINE + GAP))


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One seat's part of the line. Most do not change with a move, so the drawing is cached."""

    theme: Theme
    seat: int
    seats: int
    name: str
    total: str
    tiles: str
    resigned: bool
    lit: bool
    icon: Outline
    width: int

    @PIECES.kept
    def drawn(self) -> Sprite:
        mask, cuts = marks.slab_mask(self.width, LINE)
        return Sprite(self.theme, lambda: self._draw(true=True), mask, self._draw(true=False), cuts)

    def _draw(self, *, true: bool) -> Image.Image:
        theme = self.theme
        canvas = Canvas(self.width, LINE, theme, true=true)
        ground = marks.ground(theme, lit=self.lit)
        canvas.stamp(marks.plate_sprite(theme, self.width, LINE, lit=self.lit, ringed=False), 0, 0)
        canvas.stamp(seat_token(theme, self.seat, 24), 14, (LINE - 24) // 2 - 1)
        size = 32
        base = LINE // 2 + round(0.34 * size)
        text = self._faded(theme.ink if self.lit else theme.text, ground)
        right = self.width - 16
        right -= draw_text(canvas, self.total, right, base, Style.LOUD, size, text, ground=ground, side="right")
        if self.seats <= 3:
            right -= 26
            right -= draw_text(canvas, self.tiles, right, base, Style.TEXT, size, text, ground=ground, side="right")
            right -= 34
            edge = 24 if self.icon.sides == 3 else 20
            lip = self._faded(theme.ink_quiet if self.lit else theme.lip, ground)
            sign = inked(theme, lip, ground, marks.little_tile, edge, self.icon)
            canvas.stamp(sign, right, base - sign.height + 1)
        name = fitted(self.name, Style.TEXT, size, right - 60)
        draw_text(canvas, name, 48, base, Style.TEXT, size, text, ground=ground)
        return canvas.image

    def _faded(self, colour: Colour, ground: Colour) -> Colour:
        """A colour, faded for a resigned seat."""
        return mix(colour, ground, DIM) if self.resigned else colour
