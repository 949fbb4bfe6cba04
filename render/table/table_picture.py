"""The public picture of a table: header, board and seat plates; after a round also the open hands."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.match.player_view import PlayerView
from render.canvas.canvas import Box, Canvas
from render.canvas.picture import HEADER_HEIGHT, RIM, WIDTH, Captions, Header, build_renderer, draw_cloth
from render.faces import Face, build_face
from render.table.board_picture import compute_board_height, draw_board, get_close_up_edge
from render.table.cards import GAP, compute_cards_height, count_card_rows, draw_cards
from render.table.in_sight import BoardContent, build_board_content
from render.table.legend import compute_legend_height, draw_legend
from render.table.open_hands import OpenHands, build_open_hands

MIN_HEIGHT: Final = 800  # the least height of a picture: three to two
MAX_HEIGHT: Final = 1800
"""The greatest height with one row of plates: two to three. Discord shows taller pictures narrower."""
EXTRA_ROW_HEIGHT: Final = 60  # additional height for each further row of plates
PLATE_GAP: Final = 18  # between the board and the plates
BOARD_RIM: Final = 7  # from the edge to the board, whose slots have margins themselves
HANDS_HEIGHT: Final = 300  # additional height for open hands


class TableArrangement(NamedTuple):
    height: int
    board: Box
    plates_top: int  # top of the plates
    hands: OpenHands | None  # the open hands, above the plates
    content: BoardContent

    @property
    def hands_top(self) -> int:
        """The top of the open hands, or of the plates without hands."""
        return self.plates_top - _compute_hands_height(self.hands)


def draw_table(
    view: PlayerView,
    names: Sequence[str],
    captions: Captions,
    *,
    theme: str = "classic",
    scheme: str = "dark",
    true_colour: bool = False,
) -> Canvas:
    """Draw the public table picture: 1200 pixels wide, 800 to 1800 high as the board needs.

    Further rows of plates and open hands make it higher. `names` are by seat, in any script. `theme` is one of
    `THEMES`, `scheme` one of `SCHEMES`. Raises ValueError for others. `true_colour` draws in 24-bit colour, for tests.
    """
    face = build_face(view.rules, theme, scheme)
    header = Header(captions, face.theme, find_header_seat(view))
    arrangement = arrange_table(view, face, header.height)
    canvas = Canvas(WIDTH, arrangement.height, face.theme, true_colour=true_colour)
    return draw_arrangement(canvas, view, names, header, face, arrangement)


render_table = build_renderer(draw_table)


def draw_arrangement(
    canvas: Canvas, view: PlayerView, names: Sequence[str], header: Header, face: Face, arrangement: TableArrangement
) -> Canvas:
    draw_cloth(canvas)
    # The board comes first, because its glow may reach further than its tiles.
    draw_board(canvas, view, arrangement.board, face, arrangement.content, target_edge=get_close_up_edge(view))
    header.draw(canvas)
    draw_legend(canvas, view.rules, face, header.height)
    draw_cards(canvas, view, names, arrangement.plates_top)
    if arrangement.hands:
        arrangement.hands.draw(canvas, arrangement.hands_top)
    return canvas


def find_header_seat(view: PlayerView) -> int | None:
    """The seat that the header is about."""
    if view.ended is not None:
        winners = [seat for seat, place in enumerate(view.ended.places) if place == 1]
        return winners[0] if len(winners) == 1 else None
    return None if view.round_over is not None else view.turn


def arrange_table(view: PlayerView, face: Face, header: int = HEADER_HEIGHT) -> TableArrangement:
    """Arrange the picture: tiles as large as possible, and no higher than needed."""
    seats, hands = len(view.seats), build_open_hands(view, face)
    above = header + compute_legend_height(face)
    hands_height = _compute_hands_height(hands)
    below = PLATE_GAP + hands_height + compute_cards_height(seats) + RIM
    max_board_height = (
        max(MIN_HEIGHT, MAX_HEIGHT + EXTRA_ROW_HEIGHT * (count_card_rows(seats) - 1) + min(hands_height, HANDS_HEIGHT))
        - above
        - below
    )
    room, content = WIDTH - 2 * BOARD_RIM, build_board_content(view)
    height = max(compute_board_height(view, room, max_board_height, content), MIN_HEIGHT - above - below)
    board = (BOARD_RIM, above, WIDTH - BOARD_RIM, above + height)
    return TableArrangement(above + height + below, board, above + height + PLATE_GAP + hands_height, hands, content)


def _compute_hands_height(hands: OpenHands | None) -> int:
    """The additional height below the board for open hands."""
    return hands.height + GAP if hands else 0
