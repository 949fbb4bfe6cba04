"""The public picture of a table: header, board and the seats' cards; open hands once a round is over."""

from collections.abc import Sequence

from engine.seen import Seen
from render import marks
from render.board import board_windows, crowded, draw_board
from render.canvas import Box, Canvas, inked
from render.cards import GAP, card_height, cards_height, columns, draw_cards, paper
from render.faces import Face, face_of
from render.geometry import OUTLINES
from render.legend import draw_legend, legend_height
from render.open_hands import BAND, OpenHand
from render.picture import HEADER, TALLER, WIDTH, Captions, Picture, finished, header
from render.theme import THEME
from render.window import Plan

HEIGHT = 900
"""The usual height."""
LEAST = 480
"""The least height of the board."""
TICK = 56
"""The sign in place of the hand of a seat that went out."""


def table_picture(seen: Seen, names: Sequence[str], captions: Captions, *, theme: str = "classic") -> Picture:
    """The table as everybody may see it: 1200 x 900, and higher where the board, the seats or open hands need it.

    `names` by seat, in any script. When the round is over every seat's card shows its open hand. `theme` is one of
    `THEMES`; ValueError for any other.
    """
    canvas = Canvas(WIDTH, table_height(seen, face_of(seen.rules, theme)))
    return finished(draw_table(canvas, seen, names, captions, theme=theme))


def table_height(seen: Seen, face: Face) -> int:
    """How high the picture is."""
    room = HEIGHT - _below(seen, face)
    height = HEIGHT + max(0, LEAST - (room - _above(face)))
    return height + TALLER if crowded(seen, board_area(seen, face, height)) else height


def table_plan(seen: Seen, *, theme: str = "classic") -> Plan:
    """How the table picture is laid out."""
    face = face_of(seen.rules, theme)
    height, band = table_height(seen, face), _band(seen, face)
    windows = board_windows(seen, board_area(seen, face, height))
    return Plan(WIDTH, height, windows, tuple(hand.edge(band) for hand in _hands(seen, face) if band and hand.hand))


def board_area(seen: Seen, face: Face, height: int) -> Box:
    """Where the board is drawn in a picture of this height."""
    return 24, _above(face), WIDTH - 24, height - _below(seen, face)


def _above(face: Face) -> int:
    return HEADER + 18 + legend_height(face)


def _below(seen: Seen, face: Face) -> int:
    return 20 + cards_height(len(seen.seats), _band(seen, face)) + 18


def draw_table(
    canvas: Canvas, seen: Seen, names: Sequence[str], captions: Captions, *, theme: str = "classic"
) -> Canvas:
    """Draw the table picture on a canvas."""
    face = face_of(seen.rules, theme)
    area = board_area(seen, face, canvas.height)
    # The board comes first: its glow may reach further than its tiles.
    draw_board(canvas, seen, area, face)
    header(canvas, captions)
    draw_legend(canvas, seen.rules, face, HEADER + 8)
    band = _band(seen, face)
    draw_cards(canvas, seen, names, area[3] + 18, band)
    if band:
        _open_hands(canvas, seen, face, area[3] + 18, band)
    return canvas


def _hands(seen: Seen, face: Face) -> list[OpenHand]:
    outline = OUTLINES[seen.rules.plane.first.kind]
    wide = [width for _, _, width in columns(WIDTH, len(seen.seats))]
    return [OpenHand(seat.hand or (), outline, face.held, width) for seat, width in zip(seen.seats, wide, strict=True)]


def _band(seen: Seen, face: Face) -> int:
    """The room for open hands on top of every card: none before the round is over."""
    return 0 if seen.round_over is None else max([BAND, *(hand.band() for hand in _hands(seen, face))])


def _open_hands(canvas: Canvas, seen: Seen, face: Face, top: int, band: int) -> None:
    high = card_height(len(seen.seats)) + band + GAP
    for number, ((row, x, width), hand) in enumerate(
        zip(columns(canvas.width, len(seen.seats)), _hands(seen, face), strict=True)
    ):
        y = top + 8 + row * high
        if hand.hand:
            hand.draw(canvas, x, y, band)
        elif seen.round_over is not None and seen.round_over.out == number:
            tick = inked(THEME.mint, paper(seen, number), marks.tick, TICK)
            canvas.stamp(tick, x + (width - TICK) // 2, y + (band - TICK) // 2)
