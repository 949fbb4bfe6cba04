"""The plates of the seats: name, score, last change, tiles left and progress to the target."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from PIL import Image

from engine.match.player_view import PlayerView, SeatView
from render.canvas import marks
from render.canvas.cache import COMPOSITION_CACHE
from render.canvas.canvas import Canvas, Sprite, draw_sprite, render_sprite
from render.canvas.cell_outline import Outline
from render.canvas.geometry import OUTLINES
from render.canvas.lettering import Style, choose_size, clean_text, draw_text, measure_text
from render.canvas.palette import DISABLED_OPACITY
from render.canvas.picture import RIM
from render.canvas.theme import Colour, Theme, mix
from render.canvas.tokens import render_seat_token

GAP: Final = 16
CARD_HEIGHT: Final = 150  # height of a plate if all are in one row
SMALL_CARD_HEIGHT: Final = 126  # height of a plate if there are several rows
CHANGE_SIZE, TILES_SIZE = 41, 41  # readable sizes of the points of the last turn, and of the number of tiles
SCORE_GAP: Final = 22  # between score and points of the last turn, side by side
CHANGE_MARGIN: Final = 14  # beside the points of the last turn


def count_card_rows(seats: int) -> int:
    return 1 if seats <= 4 else 2 if seats <= 8 else 3


def compute_card_height(seats: int) -> int:
    return CARD_HEIGHT if count_card_rows(seats) == 1 else SMALL_CARD_HEIGHT


def compute_cards_height(seats: int) -> int:
    return count_card_rows(seats) * (compute_card_height(seats) + GAP) - GAP


def compute_card_positions(wide: int, seats: int) -> list[tuple[int, int, int]]:
    """The row of each seat's plate, its left edge and its width, in a picture of this width."""
    across = -(-seats // count_card_rows(seats))
    room = wide - 2 * RIM
    width = (room - GAP * (across - 1)) // across
    return [(seat // across, RIM + (width + GAP) * (seat % across), width) for seat in range(seats)]


def draw_cards(canvas: Canvas, view: PlayerView, names: Sequence[str], top: int) -> None:
    """Draw one plate a seat, in seat order. The plate of the player to move, or of a winner, is ivory."""
    height = compute_card_height(len(view.seats))
    for seat, (row, x, width) in zip(view.seats, compute_card_positions(canvas.width, len(view.seats)), strict=True):
        card = SeatCard(
            theme=canvas.theme,
            seat=seat if seat.hand is None else replace(seat, hand=None),
            seats=len(view.seats),
            name=clean_text(names[seat.seat], f"#{seat.seat + 1}"),
            lit=is_highlighted(view, seat.seat),
            ringed=has_won(view, seat.seat) or has_gone_out(view, seat.seat),
            winner=has_won(view, seat.seat),
            target=view.rules.goal,
            icon=OUTLINES[view.rules.plane.first.kind],
            width=width,
        )
        y = top + row * (height + GAP)
        if card.lit:
            marks.draw_plate_shadow(canvas, x, y, width, height)
        canvas.paste_sprite(card.render(), x, y)


def has_won(view: PlayerView, seat: int) -> bool:
    """Whether the match has ended and this seat came first."""
    return view.ended is not None and view.ended.places[seat] == 1


def has_gone_out(view: PlayerView, seat: int) -> bool:
    return view.round_over is not None and view.round_over.out == seat


def is_highlighted(view: PlayerView, seat: int) -> bool:
    """Whether this seat's plate is ivory: its turn, or its victory."""
    return has_won(view, seat) or (view.ended is None and view.round_over is None and view.turn == seat)


def format_total(points: int) -> str:
    """`46`, `−15`: with a real minus sign."""
    return str(points).replace("-", "−")


def format_signed(points: int) -> str:
    """`+46`, `−15`, `0`."""
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatCard:
    """The content of one plate. Most plates do not change with a move, so the drawing is cached."""

    theme: Theme
    seat: SeatView  # without its hand
    seats: int
    name: str
    lit: bool
    ringed: bool
    winner: bool
    target: int
    icon: Outline
    width: int

    @COMPOSITION_CACHE.memoize
    def render(self) -> Sprite:
        height = compute_card_height(self.seats)
        mask, cuts = marks.build_plate_mask(self.width, height)
        return draw_sprite(self.theme, (self.width, height), self._draw, mask, cuts)

    def _draw(self, canvas: Canvas) -> None:
        plate = marks.render_plate(self.theme, self.width, canvas.height, lit=self.lit, ringed=self.ringed)
        canvas.paste_sprite(plate, 0, 0)
        _CardWriter(canvas, self).draw()


class _CardWriter:
    """Writes one seat's words on a canvas of the size of its plate."""

    def __init__(self, canvas: Canvas, card: SeatCard) -> None:
        self.canvas, self.card, self.seat, self.theme = canvas, card, card.seat, card.theme
        self.ground = marks.choose_ground(card.theme, lit=card.lit)
        self.width = card.width
        self.small = count_card_rows(card.seats) > 1
        self.pad = 18 if self.small else 20
        self.text_colour = self.theme.ink if card.lit else self.theme.text
        self.quiet = self.theme.ink_quiet if card.lit else self.theme.quiet

    def fade_colour(self, colour: Colour) -> Colour:
        """A colour on this plate, faded for a resigned seat."""
        return mix(colour, self.ground, DISABLED_OPACITY) if self.seat.resigned else colour

    def write(self, text: str, x: int, base: int, size: int, colour: Colour, style: Style, side: str = "left") -> int:
        colour = self.fade_colour(colour)
        return draw_text(self.canvas, text, x, base, style, size, colour, ground=self.ground, side=side)

    def draw_sign(self, make: Callable[[int], Image.Image], size: int, x: int, y: int, colour: Colour) -> None:
        mark = render_sprite(self.theme, self.fade_colour(colour), self.ground, make, size)
        self.canvas.paste_sprite(mark, x, y)

    def draw(self) -> None:
        right, room = self.width - self.pad, self.width - 2 * self.pad
        tiles = self._draw_tiles(right, 92 if self.small else 53)
        if self.small:
            total = self._draw_total(self.pad, 92, (44, 40, 36, 32), room - tiles - 10)
            change = self._measure_change()
            beside = total + SCORE_GAP + change <= room - tiles
            if beside:
                self._draw_change(self.pad + total + SCORE_GAP + change - CHANGE_MARGIN, 92)
            else:
                self._draw_change(right, 45)
            self._draw_name(right if beside else right - change, 45, (34, 32), 26)
            self._draw_bar(106, self.pad, right)
        else:
            self._draw_change(right, 109)
            self._draw_name(right - tiles - CHANGE_MARGIN, 52, (38, 34, 32, 30), 30)
            self._draw_total(self.pad, 110, (56, 48, 44, 41), room - self._measure_change())
            self._draw_bar(126, self.pad, right)

    def _draw_bar(self, y: int, left: int, right: int) -> None:
        """Draw the progress to the target, if there is one."""
        if self.card.target and right - left > 40:
            lit = self.card.lit
            colour = self.fade_colour(self.theme.brass_dark if lit else self.theme.get_seat_colour(self.seat.seat))
            share = self.seat.total / self.card.target
            marks.draw_bar(self.canvas, left, y, right - left, share, colour, lit=lit)

    def _measure_change(self) -> int:
        change = self.seat.change
        return 0 if change is None else measure_text(format_signed(change), Style.LOUD, CHANGE_SIZE) + CHANGE_MARGIN

    def _draw_change(self, right: int, base: int) -> None:
        change = self.seat.change
        if change is not None:
            colour = self.quiet if self.card.lit or not change else self.theme.loss if change < 0 else self.theme.gain
            self.write(format_signed(change), right, base, CHANGE_SIZE, colour, Style.LOUD, "right")

    def _draw_total(self, x: int, base: int, sizes: Sequence[int], room: int) -> int:
        """Write the score, smaller if it needs the room. Return its width."""
        text = format_total(self.seat.total)
        _, size = choose_size(text, Style.LOUD, sizes, room)
        return self.write(text, x, base, size, self.text_colour, Style.LOUD)

    def _draw_name(self, right: int, base: int, sizes: Sequence[int], sign: int) -> None:
        """Draw the seat's token or sign, and its name."""
        x, middle = self.pad, base - sizes[0] * 4 // 11
        if self.card.winner:
            self.draw_sign(marks.render_star, sign, x, middle - sign // 2, self.theme.brass_dark)
        elif self.seat.resigned:
            self.draw_sign(marks.render_flag, sign, x, middle - sign // 2, self.quiet)
        else:
            self.canvas.paste_sprite(render_seat_token(self.theme, self.seat.seat, sign), x, middle - sign // 2)
        x += sign + 12
        name, size = choose_size(self.card.name, Style.TEXT, sizes, right - x - (34 if self.seat.computer else 0))
        x += self.write(name, x, base, size, self.text_colour, Style.TEXT)
        if self.seat.computer:
            self.draw_sign(marks.render_computer, 24, x + 10, base - 22, self.quiet)

    def _draw_tiles(self, right: int, base: int) -> int:
        """Draw the icon and the number of tiles left. Return the width of both."""
        text = str(self.seat.tiles)
        width = measure_text(text, Style.TEXT, TILES_SIZE)
        # A square looks larger than a triangle of the same width.
        icon = 28 if self.card.icon.sides == 3 else 23
        left = right - width - 12 - icon
        colour = self.fade_colour(self.theme.ink_quiet if self.card.lit else self.theme.lip)
        sign = render_sprite(self.theme, colour, self.ground, marks.render_tile_icon, icon, self.card.icon)
        self.canvas.paste_sprite(sign, left, base - sign.height + 1)
        self.write(text, left + icon + 12, base, TILES_SIZE, self.quiet, Style.TEXT)
        return width + 12 + icon
