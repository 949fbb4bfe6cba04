"""The public picture of a table: header, board and the seats' plates; open hands once a round is over."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from engine.lattice import Cell
from engine.seen import Seen
from render import marks
from render.board import board_windows, closer_below, draw_board, needed
from render.canvas import Box, Canvas, inked
from render.cards import GAP, card_height, card_rows, cards_height, columns, draw_cards, laid_its_last, lights
from render.faces import Face, face_of
from render.geometry import OUTLINES
from render.legend import draw_legend, legend_height
from render.open_hands import BAND, OpenHand
from render.picture import HEADER, RIM, WIDTH, Captions, Heading, Picture, finished, lay_cloth
from render.window import Plan

LOWEST: Final = 800
"""The least height of a picture: three to two."""
TALLEST: Final = 1800
"""The greatest with one row of plates: two to three. What is taller is shown narrower, so it gains nothing there."""
ROW: Final = 60
"""What it may be higher for each further row of plates."""
UNDER: Final = 18
"""Between the board and the plates."""
BESIDE: Final = 14
"""From the rim to the board: its slots keep some room themselves."""
TICK: Final = 56
"""The sign in place of the hand of a seat that went out."""


class Arrangement(NamedTuple):
    """Where everything in a picture stands."""

    height: int
    board: Box
    plates: int
    """Where the plates begin."""
    band: int
    """The room for open hands on each."""


def table_picture(
    seen: Seen, names: Sequence[str], captions: Captions, *, theme: str = "classic", scheme: str = "dark"
) -> Picture:
    """The table as everybody may see it: 1200 wide, and as high as its board wants, from 800 to 1800.

    Rows of plates and open hands make it higher. `names` by seat, in any script. When the round is over every seat's
    plate shows its open hand. `theme` is one of `THEMES`, `scheme` one of `SCHEMES`; ValueError for any other.
    """
    return finished(draw_table(seen, names, captions, theme=theme, scheme=scheme))


def draw_table(
    seen: Seen,
    names: Sequence[str],
    captions: Captions,
    *,
    theme: str = "classic",
    scheme: str = "dark",
    true: bool = False,
) -> Canvas:
    """Draw the table picture; `true` draws in 24-bit colour, the yardstick."""
    face = face_of(seen.rules, theme, scheme)
    header = Heading(captions, face.theme, heading_seat(seen))
    there = arranged(seen, face, header.height)
    canvas = Canvas(WIDTH, there.height, face.theme, true=true)
    return draw_arranged(canvas, seen, names, header, face, there)


def draw_arranged(
    canvas: Canvas,
    seen: Seen,
    names: Sequence[str],
    header: Heading,
    face: Face,
    there: Arrangement,
    room: Collection[Cell] | None = None,
) -> Canvas:
    """Draw the table picture where everything is said to stand. `room` has the cells that the table takes in the end:
    with it the whole of it is fitted around these, so that it stands still from the first tile on, and no place is
    lettered.
    """
    lay_cloth(canvas)
    # The board comes first: its glow may reach further than its tiles.
    if room is None:
        draw_board(canvas, seen, there.board, face, comfort=closer_below(seen))
    else:
        draw_board(canvas, seen, there.board, face, letters=(), room_for=room, whole=True)
    header.draw(canvas)
    draw_legend(canvas, seen.rules, face, header.height)
    draw_cards(canvas, seen, names, there.plates, there.band)
    if there.band:
        _open_hands(canvas, seen, face, there.plates, there.band)
    return canvas


def table_plan(seen: Seen, *, theme: str = "classic") -> Plan:
    """How the table picture is laid out under a header of the usual height."""
    face = face_of(seen.rules, theme)
    there = arranged(seen, face)
    windows = board_windows(seen, there.board, comfort=closer_below(seen))
    rack = tuple(hand.edge(there.band) for hand in _hands(seen, face) if there.band and hand.hand)
    return Plan(WIDTH, there.height, windows, rack)


def heading_seat(seen: Seen) -> int | None:
    """The seat that the header is about."""
    if seen.ended is not None:
        first = [seat for seat, place in enumerate(seen.ended.places) if place == 1]
        return first[0] if len(first) == 1 else None
    return None if seen.round_over is not None else seen.turn


def arranged(seen: Seen, face: Face, header: int = HEADER) -> Arrangement:
    """The picture takes the shape of the table: tiles as large as they go, and no higher than they need."""
    seats = len(seen.seats)
    band = hands_band(seen, face)
    above = header + legend_height(face)
    below = UNDER + cards_height(seats, band) + RIM
    most = max(LOWEST, TALLEST + ROW * (card_rows(seats) - 1) + band) - above - below
    room = WIDTH - 2 * BESIDE
    high = max(needed(seen, room, most), LOWEST - above - below)
    return Arrangement(above + high + below, (BESIDE, above, WIDTH - BESIDE, above + high), above + high + UNDER, band)


def _hands(seen: Seen, face: Face) -> list[OpenHand]:
    outline = OUTLINES[seen.rules.plane.first.kind]
    wide = [width for _, _, width in columns(WIDTH, len(seen.seats))]
    return [OpenHand(seat.hand or (), outline, face.held, width) for seat, width in zip(seen.seats, wide, strict=True)]


def hands_band(seen: Seen, face: Face) -> int:
    """The room for open hands on top of every plate: none before the round is over."""
    return 0 if seen.round_over is None else max([BAND, *(hand.band() for hand in _hands(seen, face))])


def _open_hands(canvas: Canvas, seen: Seen, face: Face, top: int, band: int) -> None:
    theme, high = canvas.theme, card_height(len(seen.seats)) + band + GAP
    for number, ((row, x, width), hand) in enumerate(
        zip(columns(canvas.width, len(seen.seats)), _hands(seen, face), strict=True)
    ):
        y = top + 8 + row * high
        if hand.hand:
            hand.draw(canvas, x, y, band)
        elif laid_its_last(seen, number):
            lit = lights(seen, number)
            colour = theme.brass_dark if lit else theme.brass
            tick = inked(theme, colour, marks.ground(theme, lit=lit), marks.tick, TICK)
            canvas.stamp(tick, x + (width - TICK) // 2, y + (band - TICK) // 2)
