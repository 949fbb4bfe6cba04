"""The cards of the seats: name, score, last change, tiles left and how far it is to the target."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PIL import Image

from engine.seen import SeatSeen, Seen
from render import marks
from render.canvas import Canvas, Sprite, inked
from render.geometry import OUTLINES
from render.kept import PIECES
from render.lettering import Style, draw_text, fitted, length, readable
from render.outline import Outline
from render.palette import DIM
from render.picture import MARGIN
from render.theme import THEME, Colour, mix

GAP = 14
WIDE = 124
"""The height of a card with room for two things beside each other."""
NARROW = 150
"""The height of a card where five or six share the row."""
SMALL = 118
"""The height of a card where there are two rows of them."""


def card_rows(seats: int) -> int:
    """In how many rows the seats' cards stand."""
    return 1 if seats <= 6 else 2


def card_height(seats: int) -> int:
    """How high one card is."""
    return WIDE if seats <= 4 else NARROW if seats <= 6 else SMALL


def cards_height(seats: int, above: int = 0) -> int:
    """How high the cards are together; `above` is the room at the top of each."""
    return card_rows(seats) * (card_height(seats) + above + GAP) - GAP


def columns(wide: int, seats: int) -> list[tuple[int, int, int]]:
    """The row of each seat's card, its left edge and its width, in a picture so wide."""
    across = -(-seats // card_rows(seats))
    room = wide - 2 * MARGIN + 8
    width = (room - GAP * (across - 1)) // across
    left = (wide - (width * across + GAP * (across - 1))) // 2
    return [(seat // across, left + (width + GAP) * (seat % across), width) for seat in range(seats)]


def draw_cards(canvas: Canvas, seen: Seen, names: Sequence[str], top: int, above: int = 0) -> None:
    """One card a seat, in seat order; gold around the one whose turn it is, or around the winners.

    `above` makes room at the top of every card, for a hand that may be seen.
    """
    high = card_height(len(seen.seats)) + above
    for seat, (row, x, width) in zip(seen.seats, columns(canvas.width, len(seen.seats)), strict=True):
        card = Card(
            seat=seat if seat.hand is None else replace(seat, hand=None),
            seats=len(seen.seats),
            name=readable(names[seat.seat], f"#{seat.seat + 1}"),
            lit=lights(seen, seat.seat),
            winner=won(seen, seat.seat),
            target=seen.rules.target,
            icon=OUTLINES[seen.rules.plane.first.kind],
            width=width,
            above=above,
        )
        canvas.stamp(card.drawn(), x, top + row * (high + GAP))


def won(seen: Seen, seat: int) -> bool:
    """Whether the match has ended and this seat came first."""
    return seen.ended is not None and seen.ended.places[seat] == 1


def lights(seen: Seen, seat: int) -> bool:
    """Whether this seat's card is outlined: its turn, or its victory."""
    return won(seen, seat) or (seen.ended is None and seen.round_over is None and seen.turn == seat)


def paper(seen: Seen, seat: int) -> Colour:
    """The ground of this seat's card."""
    return THEME.panel_on if lights(seen, seat) else THEME.panel


def total_text(points: int) -> str:
    """`46`, `−15`: with a real minus sign."""
    return str(points).replace("-", "−")


def signed(points: int) -> str:
    """`+46`, `−15`, `0`."""
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """All that one card shows. Most seats look as they did a move ago, so what was drawn is kept."""

    seat: SeatSeen
    """Without its hand."""
    seats: int
    name: str
    lit: bool
    winner: bool
    target: int
    icon: Outline
    width: int
    above: int

    @PIECES.kept
    def drawn(self) -> Sprite:
        """The card with its panel."""
        return Sprite(lambda: self._draw(true=True), numbers=self._draw(true=False))

    def _draw(self, *, true: bool) -> Image.Image:
        canvas = Canvas(self.width, card_height(self.seats) + self.above, true=true)
        ground = THEME.panel_on if self.lit else THEME.panel
        marks.panel(canvas, 0, 0, canvas.width, canvas.height, ground, THEME.gold if self.lit else None)
        _Pen(canvas, self, ground).draw()
        return canvas.image


class _Pen:
    """Draws one seat's card on a canvas that it fills."""

    def __init__(self, canvas: Canvas, card: Card, ground: Colour) -> None:
        self.canvas, self.card, self.seat, self.ground = canvas, card, card.seat, ground
        self.x, self.y, self.width = 0, card.above, card.width
        self.narrow = card.seats > 4
        self.small = card_rows(card.seats) > 1
        self.pad = 16 if self.narrow else 20
        self.height = card_height(card.seats)

    def colour(self, colour: Colour) -> Colour:
        """A colour on this card: those who have resigned fade."""
        return mix(colour, self.ground, DIM) if self.seat.resigned else colour

    def text(self, text: str, x: int, base: int, size: int, colour: Colour, style: Style, side: str = "left") -> int:
        """Write on the card."""
        return draw_text(
            self.canvas,
            text,
            x,
            base,
            style=style,
            size=size,
            colour=self.colour(colour),
            ground=self.ground,
            side=side,
        )

    def sign(self, make: Callable[[int], Image.Image], size: int, x: int, y: int, colour: Colour) -> None:
        """Put a mark on the card."""
        self.canvas.stamp(inked(self.colour(colour), self.ground, make, size), x, y)

    def draw(self) -> None:
        """Everything on the panel."""
        right, low = self.x + self.width - self.pad, self.y + self.height
        room = self.width - 2 * self.pad
        if self.small:
            self._name(right)
            self._total(self._tiles(right, self.y + 76, 25) + 10)
            change = self._change(right, low - 14)
            self._bar(low - 26, room - change)
        elif self.narrow:
            self._name(right)
            self._total(self._change(right, self.y + 86))
            tiles = self._tiles(right, low - 17, 25)
            self._bar(low - 30, room - tiles - 12)
        else:
            self._name(right - self._change(right, self.y + 40))
            self._total(90)
            self._tiles(right, self.y + 86, 30)
            self._bar(low - 24, room)

    def _bar(self, y: int, room: int) -> None:
        """How far it is to the target; where one deal decides there is nothing to reach."""
        if self.card.target:
            colour = self.colour(THEME.seat(self.seat.seat))
            marks.bar(self.canvas, self.x + self.pad, y, room, self.seat.total / self.card.target, colour, self.ground)

    def _change(self, right: int, base: int) -> int:
        """The points of the last turn; returns the room it takes."""
        change = self.seat.change
        if change is None:
            return 0
        colour = THEME.coral if change < 0 else THEME.mint if change else THEME.grey
        return self.text(signed(change), right, base, 25 if self.narrow else 28, colour, Style.TEXT, "right") + 14

    def _total(self, beside: int) -> None:
        """The score, smaller where it would run into what stands at its right."""
        text, room = total_text(self.seat.total), self.width - 2 * self.pad - beside
        sizes = (38, 34) if self.small else (46, 40, 34)
        size = next((size for size in sizes if length(text, Style.LOUD, size) <= room), 28)
        self.text(text, self.x + self.pad, self.y + (78 if self.small else 88), size, THEME.white, Style.LOUD)

    def _name(self, right: int) -> None:
        """The seat's dot, name and what is special about it."""
        x, base = self.x + self.pad, self.y + 40
        if self.card.winner:
            colour, sign, size = THEME.gold, marks.star, 24
        elif self.seat.resigned:
            colour, sign, size = THEME.grey, marks.flag, 20
        else:
            colour, sign, size = THEME.seat(self.seat.seat), marks.dot, 18
        self.sign(sign, size, x, base - 9 - size // 2, colour)
        x += size + 10
        size = 25 if self.narrow else 28
        room = right - x - (30 if self.seat.computer else 0)
        name = fitted(self.card.name, Style.TEXT, size, room)
        x += self.text(name, x, base, size, THEME.white, Style.TEXT)
        if self.seat.computer:
            self.sign(marks.computer, 20, x + 10, base - 18, THEME.grey)

    def _tiles(self, right: int, base: int, size: int) -> int:
        """The icon and the number of tiles left; returns the room both take."""
        text = str(self.seat.tiles)
        self.text(text, right, base, size, THEME.white, Style.TEXT, "right")
        # A square looks larger than a triangle of the same width.
        icon = (22 if self.narrow else 26) - (0 if self.card.icon.sides == 3 else 4)
        x = right - length(text, Style.TEXT, size) - 9 - icon
        high = self.card.icon.height(icon)
        sign = inked(self.colour(THEME.lip), self.ground, marks.little_tile, icon, self.card.icon)
        self.canvas.stamp(sign, x, base - high + 1)
        return right - x
