"""All seats in a line or two, for pictures about something other than the score."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.match.player_view import PlayerView
from render.canvas import marks
from render.canvas.cache import COMPOSITION_CACHE
from render.canvas.canvas import Canvas, Sprite, draw_sprite, render_sprite
from render.canvas.cell_outline import Outline
from render.canvas.geometry import OUTLINES
from render.canvas.lettering import Style, clean_text, draw_fitted_text, draw_text
from render.canvas.palette import DISABLED_OPACITY
from render.canvas.theme import Colour, Theme, mix
from render.canvas.tokens import render_seat_token
from render.table.cards import GAP, compute_card_positions, count_card_rows, format_total, is_highlighted

LINE_HEIGHT = 60  # height of a line


def compute_lines_height(seats: int) -> int:
    return count_card_rows(seats) * (LINE_HEIGHT + GAP) - GAP


def draw_seat_lines(canvas: Canvas, view: PlayerView, names: Sequence[str], top: int) -> None:
    """Draw every seat's name and score, and its tiles if there is room."""
    icon = OUTLINES[view.rules.plane.first.kind]
    for seat, (row, x, width) in zip(view.seats, compute_card_positions(canvas.width, len(view.seats)), strict=True):
        panel = SeatPanel(
            theme=canvas.theme,
            seat=seat.seat,
            seats=len(view.seats),
            name=clean_text(names[seat.seat], f"#{seat.seat + 1}"),
            total=format_total(seat.total),
            tiles=str(seat.tiles),
            resigned=seat.resigned,
            lit=is_highlighted(view, seat.seat),
            icon=icon,
            width=width,
        )
        canvas.paste_sprite(panel.render(), x, top + row * (LINE_HEIGHT + GAP))


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPanel:
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

    @COMPOSITION_CACHE.memoize
    def render(self) -> Sprite:
        mask, cuts = marks.build_plate_mask(self.width, LINE_HEIGHT)
        return draw_sprite(self.theme, (self.width, LINE_HEIGHT), self._draw, mask, cuts)

    def _draw(self, canvas: Canvas) -> None:
        theme = self.theme
        ground = marks.choose_ground(theme, lit=self.lit)
        canvas.paste_sprite(marks.render_plate(theme, self.width, LINE_HEIGHT, lit=self.lit, ringed=False), 0, 0)
        canvas.paste_sprite(render_seat_token(theme, self.seat, 24), 14, (LINE_HEIGHT - 24) // 2 - 1)
        size = 32
        base = LINE_HEIGHT // 2 + round(0.34 * size)
        text = self._fade_colour(theme.ink if self.lit else theme.text, ground)
        right = self.width - 16
        right -= draw_text(canvas, self.total, right, base, Style.LOUD, size, text, ground=ground, side="right")
        if self.seats <= 3:
            right -= 26
            right -= draw_text(canvas, self.tiles, right, base, Style.TEXT, size, text, ground=ground, side="right")
            right -= 34
            edge = 24 if self.icon.sides == 3 else 20
            lip = self._fade_colour(theme.ink_quiet if self.lit else theme.lip, ground)
            sign = render_sprite(theme, lip, ground, marks.render_tile_icon, edge, self.icon)
            canvas.paste_sprite(sign, right, base - sign.height + 1)
        draw_fitted_text(canvas, self.name, 48, base, Style.TEXT, (size,), right - 60, text, ground=ground)

    def _fade_colour(self, colour: Colour, ground: Colour) -> Colour:
        """A colour, faded for a resigned seat."""
        return mix(colour, ground, DISABLED_OPACITY) if self.resigned else colour
