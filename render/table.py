"""The public picture of a table: header, board and the seats' cards; open hands once a round is over."""

from collections.abc import Sequence

from engine.seen import Seen
from engine.tiles import Tile
from render import marks
from render.board import draw_board
from render.canvas import Canvas, inked
from render.cards import cards_height, columns, draw_cards, paper
from render.geometry import rise
from render.picture import HEADER, WIDTH, Captions, Picture, finished, header
from render.theme import THEME
from render.tile import tile

HEIGHT = 900
BAND = 104
"""The height of the open hands."""
TICK = 56
"""The sign in place of the hand of a seat that went out."""
HAND_EDGES = (78, 70, 62, 54, 46, 38, 32, 26)
BETWEEN = 7
"""Pixels between two tiles of a hand."""


def table_picture(seen: Seen, names: Sequence[str], captions: Captions) -> Picture:
    """The table as everybody may see it: 1200 x 900.

    `names` by seat, in any script. When the round is over every seat's card shows its open hand.
    """
    return finished(draw_table(Canvas(WIDTH, HEIGHT), seen, names, captions))


def draw_table(canvas: Canvas, seen: Seen, names: Sequence[str], captions: Captions) -> Canvas:
    """Draw the table picture on a canvas."""
    band = BAND if seen.round_over is not None else 0
    top = HEIGHT - 20 - cards_height(len(seen.seats)) - band
    # The board comes first: its glow may reach further than its tiles.
    draw_board(canvas, seen, (24, HEADER + 18, WIDTH - 24, top - 18))
    header(canvas, captions)
    draw_cards(canvas, seen, names, top, band)
    if seen.round_over is not None:
        for seat, (x, width) in zip(seen.seats, columns(canvas, len(seen.seats)), strict=True):
            if seat.hand:
                _open_hand(canvas, seat.hand, x, top + 8, width)
            elif seen.round_over.out == seat.seat:
                tick = inked(THEME.mint, paper(seen, seat.seat), marks.tick, TICK)
                canvas.stamp(tick, x + (width - TICK) // 2, top + 8 + (BAND - TICK) // 2)
    return canvas


def _across(edge: int, width: int) -> int:
    """How many tiles, point up and point down in turn, stand in a row."""
    return max(1, 1 + (width - edge) // (edge // 2 + BETWEEN))


def _rows(tiles: int, edge: int, width: int) -> int:
    return -(-tiles // _across(edge, width))


def _edge(tiles: int, width: int) -> int:
    """The largest tiles with which a hand fits above its card."""
    for edge in HAND_EDGES:
        if _rows(tiles, edge, width) * (rise(edge) + BETWEEN) <= BAND:
            return edge
    return HAND_EDGES[-1]


def _open_hand(canvas: Canvas, hand: Sequence[Tile], x: int, top: int, width: int) -> None:
    edge = _edge(len(hand), width - 24)
    rows = _rows(len(hand), edge, width - 24)
    per_row = -(-len(hand) // rows)
    y = top + (BAND - rows * (rise(edge) + BETWEEN)) // 2 + BETWEEN // 2
    for start in range(0, len(hand), per_row):
        row = hand[start : start + per_row]
        step = edge // 2 + BETWEEN
        left = x + (width - (step * (len(row) - 1) + edge)) // 2
        for number, (low, middle, high) in enumerate(row):
            up = number % 2 == 0
            # A hand is read clockwise from its smallest value, whichever way the triangle points.
            canvas.stamp(tile(edge, up, (low, middle, high) if up else (low, high, middle)), left + number * step, y)
        y += rise(edge) + BETWEEN
