"""A player's own picture: a close look where the hand fits, the whole table small beside it, and the hand."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile
from engine.match.player_view import Move, PlayerView
from render.canvas.canvas import Box, Canvas
from render.canvas.cell_outline import Outline
from render.canvas.geometry import EDGES, OUTLINES, Frame, centred, largest_edge, row_height, whole
from render.canvas.picture import HEADER, RIM, WIDTH, Captions, Heading, lay_cloth, pictured
from render.faces import Face, face_of, sign_height
from render.table.board_picture import draw_board, draw_window
from render.table.closeup import GUTTER, aired, best_places, close_up, close_ups, edges_between
from render.table.film import framed
from render.table.in_sight import in_sight
from render.table.legend import draw_legend, legend_height
from render.table.rack import Rack
from render.table.seat_line import draw_line, line_height
from render.table.small_table import draw_small, small_width
from render.table.window import Plan, Window

READ: Final = 29.3  # least height of a digit: nine pixels when the picture is 369 wide, as on a phone
CLOSEST: Final = {3: 188, 4: 140}  # the largest edge of a tile in a close look, by number of sides
ON_RACK: Final = {3: 150, 4: 120}  # the same on the rack
SIDE: Final = 352  # width of what is beside a close look
HIGH, LOW, TALL, MOST = 720, 560, 900, 840
"""Heights of a close look: beside the small table, the least above it, of the whole table, the most."""
LOWEST: Final = 420  # the least height of the whole table as a close look
ENOUGH: Final = 0.8  # show the whole table if its tiles are at least this share of those in a close look
WIDEST: Final = 740  # the greatest width of the small table below a close look
ABOVE: Final = 20  # between the header and a close look
UNDER: Final = 330  # height of the small table below a close look
LIST: Final = 306  # height of the list of the best places


@dataclass(frozen=True, slots=True)
class HandWords:
    """The words beside a hand."""

    best: str = ""  # title of the list of the best places
    fitting: str = ""  # how many of the tiles fit


class Arranged(NamedTuple):
    """The positions of the parts of a picture."""

    windows: tuple[Window, ...]  # the close look; none before the first tile
    table: Box | None  # the small whole table; None if the close look shows it whole
    best: Box | None  # the list of the best places
    bottom: int  # the bottom of all of these


def draw_hand(
    seen: PlayerView,
    names: Sequence[str],
    captions: Captions,
    *,
    letters: Collection[Cell] | None = None,
    ghost: Placement | None = None,
    picked: Tile | None = None,
    said: HandWords | None = None,
    theme: str = "classic",
    scheme: str = "dark",
    true: bool = False,
) -> Canvas:
    """Draw the viewer's hand under a close look at the table. 1200 pixels wide.

    `letters` are the cells with letters, by default all where the hand fits. `ghost` is drawn where it would lie;
    `picked` is lifted out of the hand. Tiles that fit nowhere are dim; the others show their best score and its place.
    `theme` is one of `THEMES`, `scheme` one of `SCHEMES`; others raise ValueError. `true`: 24-bit colour, for tests.
    """
    face = face_of(seen.rules, theme, scheme)
    header = Heading(captions, face.theme, seen.viewer if seen.my_turn else None)
    rack, top = hand_rack(seen, face), header.height + legend_height(face) + ABOVE
    arranged = _arranged(seen, face, top)
    seats = arranged.bottom + GUTTER + rack.height + GUTTER
    canvas = Canvas(WIDTH, seats + line_height(len(seen.seats)) + RIM, face.theme, true=true)
    lay_cloth(canvas)
    fits = _fits(seen)
    lettered = fits if letters is None else fits & set(letters)
    if not arranged.windows:
        view = in_sight(seen, letters=lettered, chosen=ghost)
        draw_board(canvas, seen, (RIM, top, WIDTH - RIM, arranged.bottom), face, view)
    for window in arranged.windows:
        draw_window(canvas, seen, window, face, letters=lettered, chosen=ghost)
        framed(canvas, window.area)
    if arranged.table is not None:
        draw_small(canvas, seen, arranged.table, face, fits, arranged.windows)
        framed(canvas, arranged.table)
    if arranged.best is not None:
        best_places(canvas, arranged.best, seen.moves, said or HandWords())
    header.draw(canvas)
    draw_legend(canvas, seen.rules, face, header.height)
    armed = next((move for move in seen.moves if move.placement == ghost), None)
    rack.draw(canvas, arranged.bottom + GUTTER, picked or (ghost.tile if ghost else None), armed)
    draw_line(canvas, seen, names, seats)
    return canvas


hand_picture = pictured(draw_hand)


def hand_plan(seen: PlayerView, *, theme: str = "classic") -> Plan:
    """The layout of a hand picture under a header of two lines."""
    face = face_of(seen.rules, theme)
    rack = hand_rack(seen, face)
    arranged = _arranged(seen, face, HEADER + legend_height(face) + ABOVE)
    below = 2 * GUTTER + rack.height + line_height(len(seen.seats)) + RIM
    return Plan(WIDTH, arranged.bottom + below, arranged.windows, (rack.edge,) if rack.hand else ())


def _moves(seen: PlayerView) -> tuple[Move, ...]:
    """The moves of the hand, none after the end of the round."""
    return () if seen.ended or seen.round_over else seen.moves


def _fits(seen: PlayerView) -> set[Cell]:
    return {move.placement.cell for move in _moves(seen)}


def hand_rack(seen: PlayerView, face: Face) -> Rack:
    """The viewer's hand on its rack."""
    outline = OUTLINES[seen.rules.plane.first.kind]
    best: dict[Tile, Move] = {}
    for move in _moves(seen):
        best.setdefault(move.placement.tile, move)
    hand = (seen.mine.hand or ()) if seen.mine else ()
    least = least_edge(outline, face.held)
    over = bool(seen.ended or seen.round_over)
    return Rack(hand, best, outline, face.held, edges_between(least, max(least, ON_RACK[outline.sides])), over)


@cache
def least_edge(outline: Outline, face: Face) -> int:
    """The smallest edge with which a tile's numbers are readable on a phone."""
    return next((edge for edge in EDGES if sign_height(edge, outline, face) >= READ), EDGES[-1])


def _arranged(seen: PlayerView, face: Face, top: int) -> Arranged:
    """Show the places as large as possible: in one window, or in several if needed."""
    left, right = RIM, WIDTH - RIM
    if not seen.tiles:
        return Arranged((), None, None, top + 520)
    lattice, fits = seen.rules.plane, _fits(seen)
    everything = aired(lattice, whole(lattice, seen.tiles, (), (), {*fits, *seen.rules.bounds}))
    outline = OUTLINES[lattice.first.kind]
    least = least_edge(outline, face)
    edges = edges_between(least, max(least, CLOSEST[outline.sides]))
    beside = right - SIDE - GUTTER
    close = close_up(lattice, everything, fits, (left, top, beside, top + HIGH), edges) if fits else None
    all_of_it = _whole(seen, everything, (left, top, right, top + HIGH), edges)
    if fits and close is None and all_of_it.layout.edge < least:
        all_of_it = _whole(seen, everything, (left, top, right, top + TALL), edges)
    if not fits or all_of_it.layout.edge >= (least if close is None else max(least, ENOUGH * close.layout.edge)):
        return Arranged((all_of_it,), None, None, all_of_it.area[3])
    if close is not None:
        bottom = close.area[3]
        middle = bottom - LIST - GUTTER
        table = (beside + GUTTER, top, right, middle)
        return Arranged((close,), table, (beside + GUTTER, middle + GUTTER, right, bottom), bottom)
    heights = range(LOW, MOST + 1, 40)
    ones = (close_up(lattice, everything, fits, (left, top, right, top + high), edges[-1:]) for high in heights)
    one = next((window for window in ones if window), None)
    windows = [one] if one else close_ups(lattice, everything, fits, (left, top, right, top + MOST), least)
    top = max(window.area[3] for window in windows) + GUTTER
    bottom = top + UNDER
    middle = left + min(WIDEST, max(SIDE, small_width(seen, fits, UNDER)))
    return Arranged(tuple(windows), (left, top, middle, bottom), (middle + GUTTER, top, right, bottom), bottom)


def _whole(seen: PlayerView, everything: Frame, area: Box, edges: Sequence[int]) -> Window:
    """The whole table in one window, no higher than it needs."""
    lattice = seen.rules.plane
    left, top, right, bottom = area
    most = largest_edge(lattice, everything, right - left, bottom - top)
    edge = next((edge for edge in edges if edge <= most), most)
    high = round((everything[3] - everything[1]) * row_height(lattice, edge))
    area = (left, top, right, top + max(LOWEST, high))
    return Window(centred(lattice, everything, edge, area), area)
