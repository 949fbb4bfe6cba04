"""The plates of the seats: name, score, last change, tiles left and progress to the target."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from PIL import Image

from engine.match.player_view import PlayerView, SeatView
from render.canvas import marks
from render.canvas.cache import PIECES
from render.canvas.canvas import Canvas, Sprite, inked
from render.canvas.cell_outline import Outline
from render.canvas.geometry import OUTLINES
from render.canvas.lettering import Style, draw_text, fit, length, readable
from render.canvas.palette import DIM
from render.canvas.picture import RIM
from render.canvas.theme import Colour, Theme, mix
from render.canvas.tokens import seat_token

GAP: Final = 16
WIDE: Final = 150  # height of a plate if all are in one row
SMALL: Final = 126  # height of a plate if there are several rows
CHANGE, TILES = 32, 32  # sizes of the points of the last turn, and of the number of tiles
AIR: Final = 22  # between score and points of the last turn, side by side
CLEAR: Final = 14  # beside the points of the last turn


def card_rows(seats: int) -> int:
    """The number of rows of plates."""
    return 1 if seats <= 4 else 2 if seats <= 8 else 3


def card_height(seats: int) -> int:
    """The height of a plate."""
    return WIDE if card_rows(seats) == 1 else SMALL


def cards_height(seats: int) -> int:
    """The height of all plates together."""
    return card_rows(seats) * (card_height(seats) + GAP) - GAP


def columns(wide: int, seats: int) -> list[tuple[int, int, int]]:
    """The row of each seat's plate, its left edge and its width, in a picture of this width."""
    across = -(-seats // card_rows(seats))
    room = wide - 2 * RIM
    width = (room - GAP * (across - 1)) // across
    return [(seat // across, RIM + (width + GAP) * (seat % across), width) for seat in range(seats)]


def draw_cards(canvas: Canvas, seen: PlayerView, names: Sequence[str], top: int) -> None:
    """Draw one plate a seat, in seat order. The plate of the player to move, or of a winner, is ivory."""
    high = card_height(len(seen.seats))
    for seat, (row, x, width) in zip(seen.seats, columns(canvas.width, len(seen.seats)), strict=True):
        card = Card(
            theme=canvas.theme,
            seat=seat if seat.hand is None else replace(seat, hand=None),
            seats=len(seen.seats),
            name=readable(names[seat.seat], f"#{seat.seat + 1}"),
            lit=lights(seen, seat.seat),
            ringed=won(seen, seat.seat) or laid_its_last(seen, seat.seat),
            winner=won(seen, seat.seat),
            target=seen.rules.target,
            icon=OUTLINES[seen.rules.plane.first.kind],
            width=width,
        )
        y = top + row * (high + GAP)
        if card.lit:
            marks.plate_shadow(canvas, x, y, width, high)
        canvas.stamp(card.drawn(), x, y)


def won(seen: PlayerView, seat: int) -> bool:
    """Whether the match has ended and this seat came first."""
    return seen.ended is not None and seen.ended.places[seat] == 1


def laid_its_last(seen: PlayerView, seat: int) -> bool:
    return seen.round_over is not None and seen.round_over.out == seat


def lights(seen: PlayerView, seat: int) -> bool:
    """Whether this seat's plate is ivory: its turn, or its victory."""
    return won(seen, seat) or (seen.ended is None and seen.round_over is None and seen.turn == seat)


def total_text(points: int) -> str:
    """`46`, `−15`: with a real minus sign."""
    return str(points).replace("-", "−")


def signed(points: int) -> str:
    """`+46`, `−15`, `0`."""
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
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

    @PIECES.kept
    def drawn(self) -> Sprite:
        # Only a raised plate needs a mask, because of its shadow on the cloth around it.
        mask, cuts = marks.slab_mask(self.width, self._height()) if self.lit else (None, None)
        return Sprite(self.theme, lambda: self._draw(true=True), mask, self._draw(true=False), cuts)

    def _height(self) -> int:
        return card_height(self.seats)

    def _draw(self, *, true: bool) -> Image.Image:
        canvas = Canvas(self.width, self._height(), self.theme, true=true)
        plate = marks.plate_sprite(self.theme, self.width, self._height(), lit=self.lit, ringed=self.ringed)
        canvas.stamp(plate, 0, 0)
        _Pen(canvas, self).draw()
        return canvas.image


class _Pen:
    """Writes one seat's words on a canvas of the size of its plate."""

    def __init__(self, canvas: Canvas, card: Card) -> None:
        self.canvas, self.card, self.seat, self.theme = canvas, card, card.seat, card.theme
        self.ground = marks.ground(card.theme, lit=card.lit)
        self.width = card.width
        self.small = card_rows(card.seats) > 1
        self.pad = 18 if self.small else 20
        self.text_colour = self.theme.ink if card.lit else self.theme.text
        self.quiet = self.theme.ink_quiet if card.lit else self.theme.quiet

    def colour(self, colour: Colour) -> Colour:
        """A colour on this plate, faded for a resigned seat."""
        return mix(colour, self.ground, DIM) if self.seat.resigned else colour

    def text(self, text: str, x: int, base: int, size: int, colour: Colour, style: Style, side: str = "left") -> int:
        return draw_text(self.canvas, text, x, base, style, size, self.colour(colour), ground=self.ground, side=side)

    def sign(self, make: Callable[[int], Image.Image], size: int, x: int, y: int, colour: Colour) -> None:
        mark = inked(self.theme, self.colour(colour), self.ground, make, size)
        self.canvas.stamp(mark, x, y)

    def draw(self) -> None:
        right, room = self.width - self.pad, self.width - 2 * self.pad
        tiles = self._tiles(right, 92 if self.small else 108)
        if self.small:
            total = self._total(self.pad, 92, (44, 40, 36, 32), room - tiles - 10)
            change = self._change_width()
            beside = total + AIR + change <= room - tiles
            self._change(self.pad + total + AIR + change - CLEAR if beside else right, 92 if beside else 45)
            self._name(right if beside else right - change, 45, (34, 32), 26)
            self._bar(106, self.pad, right)
        else:
            self._change(right, 50)
            self._name(right - self._change_width(), 52, (34, 32), 30)
            self._total(self.pad, 110, (56, 48, 40, 34, 28), room - tiles - 10)
            self._bar(126, self.pad, right)

    def _bar(self, y: int, left: int, right: int) -> None:
        """Draw the progress to the target, if there is one."""
        if self.card.target and right - left > 40:
            lit = self.card.lit
            colour = self.colour(self.theme.brass_dark if lit else self.theme.seat(self.seat.seat))
            share = self.seat.total / self.card.target
            marks.bar(self.canvas, left, y, right - left, share, colour, lit=lit)

    def _change_width(self) -> int:
        change = self.seat.change
        return 0 if change is None else length(signed(change), Style.LOUD, CHANGE) + CLEAR

    def _change(self, right: int, base: int) -> None:
        change = self.seat.change
        if change is not None:
            colour = self.quiet if self.card.lit or not change else self.theme.loss if change < 0 else self.theme.gain
            self.text(signed(change), right, base, CHANGE, colour, Style.LOUD, "right")

    def _total(self, x: int, base: int, sizes: Sequence[int], room: int) -> int:
        """Write the score, smaller if it needs the room. Return its width."""
        text = total_text(self.seat.total)
        _, size = fit(text, Style.LOUD, sizes, room)
        return self.text(text, x, base, size, self.text_colour, Style.LOUD)

    def _name(self, right: int, base: int, sizes: Sequence[int], sign: int) -> None:
        """Draw the seat's token or sign, and its name."""
        x, middle = self.pad, base - sizes[0] * 4 // 11
        if self.card.winner:
            self.sign(marks.star, sign, x, middle - sign // 2, self.theme.brass_dark)
        elif self.seat.resigned:
            self.sign(marks.flag, sign, x, middle - sign // 2, self.quiet)
        else:
            self.canvas.stamp(seat_token(self.theme, self.seat.seat, sign), x, middle - sign // 2)
        x += sign + 12
        name, size = fit(self.card.name, Style.TEXT, sizes, right - x - (34 if self.seat.computer else 0))
        x += self.text(name, x, base, size, self.text_colour, Style.TEXT)
        if self.seat.computer:
            self.sign(marks.computer, 24, x + 10, base - 22, self.quiet)

    def _tiles(self, right: int, base: int) -> int:
        """Draw the icon and the number of tiles left. Return the width of both."""
        text = str(self.seat.tiles)
        wide = length(text, Style.TEXT, TILES)
        # A square looks larger than a triangle of the same width.
        icon = 28 if self.card.icon.sides == 3 else 23
        left = right - wide - 12 - icon
        colour = self.theme.ink_quiet if self.card.lit else self.theme.lip
        sign = inked(self.theme, self.colour(colour), self.ground, marks.little_tile, icon, self.card.icon)
        self.canvas.stamp(sign, left, base - sign.height + 1)
        self.text(text, left + icon + 12, base, TILES, self.quiet, Style.TEXT)
        return wide + 12 + icon
