"""The public picture of a table: header, board and seat plates; after a round also the open hands."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.match.player_view import PlayerView
from render.canvas.canvas import Box, Canvas
from render.canvas.picture import HEADER, RIM, WIDTH, Captions, Heading, lay_cloth, pictured
from render.faces import Face, face_of
from render.table.board_picture import board_windows, closer_below, draw_board, needed
from render.table.cards import GAP, card_rows, cards_height, draw_cards
from render.table.in_sight import InSight, in_sight
from render.table.legend import draw_legend, legend_height
from render.table.open_hands import OpenHands, open_hands
from render.table.window import Plan

LOWEST: Final = 800  # the least height of a picture: three to two
TALLEST: Final = 1800
"""The greatest height with one row of plates: two to three. Discord shows taller pictures narrower."""
ROW: Final = 60  # additional height for each further row of plates
UNDER: Final = 18  # between the board and the plates
BOARD_RIM: Final = 7  # from the edge to the board, whose slots have margins themselves
FOR_HANDS: Final = 300  # additional height for open hands


class Arrangement(NamedTuple):
    """The positions of the parts of a picture."""

    height: int
    board: Box
    plates: int  # top of the plates
    hands: OpenHands | None  # the open hands, above the plates
    view: InSight

    @property
    def above(self) -> int:
        """The top of the open hands, or of the plates without hands."""
        return self.plates - _room_of(self.hands)

    @property
    def shown(self) -> tuple[int, ...]:
        """The edges of tiles in open hands."""
        return (self.hands.edge,) if self.hands and any(hand for _, hand in self.hands.hands) else ()


def draw_table(
    seen: PlayerView,
    names: Sequence[str],
    captions: Captions,
    *,
    theme: str = "classic",
    scheme: str = "dark",
    true: bool = False,
) -> Canvas:
    """Draw the public table picture: 1200 pixels wide, 800 to 1800 high as the board needs.

    Further rows of plates and open hands make it higher. `names` are by seat, in any script. `theme` is one of
    `THEMES`, `scheme` one of `SCHEMES`. Raises ValueError for others. `true` draws in 24-bit colour, for tests.
    """
    face = face_of(seen.rules, theme, scheme)
    header = Heading(captions, face.theme, heading_seat(seen))
    there = arranged(seen, face, header.height)
    canvas = Canvas(WIDTH, there.height, face.theme, true=true)
    return draw_arranged(canvas, seen, names, header, face, there)


table_picture = pictured(draw_table)


def draw_arranged(
    canvas: Canvas, seen: PlayerView, names: Sequence[str], header: Heading, face: Face, there: Arrangement
) -> Canvas:
    """Draw the table picture in this arrangement."""
    lay_cloth(canvas)
    # The board comes first, because its glow may reach further than its tiles.
    draw_board(canvas, seen, there.board, face, there.view, comfort=closer_below(seen))
    header.draw(canvas)
    draw_legend(canvas, seen.rules, face, header.height)
    draw_cards(canvas, seen, names, there.plates)
    if there.hands:
        there.hands.draw(canvas, there.above)
    return canvas


def table_plan(seen: PlayerView, *, theme: str = "classic") -> Plan:
    """The layout of the table picture under a header of the usual height."""
    face = face_of(seen.rules, theme)
    there = arranged(seen, face)
    windows = board_windows(seen, there.board, there.view, comfort=closer_below(seen))
    return Plan(WIDTH, there.height, windows, there.shown)


def heading_seat(seen: PlayerView) -> int | None:
    """The seat that the header is about."""
    if seen.ended is not None:
        first = [seat for seat, place in enumerate(seen.ended.places) if place == 1]
        return first[0] if len(first) == 1 else None
    return None if seen.round_over is not None else seen.turn


def arranged(seen: PlayerView, face: Face, header: int = HEADER) -> Arrangement:
    """Arrange the picture: tiles as large as possible, and no higher than needed."""
    seats, hands = len(seen.seats), open_hands(seen, face)
    above = header + legend_height(face)
    shown = _room_of(hands)
    below = UNDER + shown + cards_height(seats) + RIM
    most = max(LOWEST, TALLEST + ROW * (card_rows(seats) - 1) + min(shown, FOR_HANDS)) - above - below
    room, view = WIDTH - 2 * BOARD_RIM, in_sight(seen)
    high = max(needed(seen, room, most, view), LOWEST - above - below)
    board = (BOARD_RIM, above, WIDTH - BOARD_RIM, above + high)
    return Arrangement(above + high + below, board, above + high + UNDER + shown, hands, view)


def _room_of(hands: OpenHands | None) -> int:
    """The additional height below the board for open hands."""
    return hands.height + GAP if hands else 0
