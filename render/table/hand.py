"""A player's own picture: a close-up where the hand fits, the whole table small beside it, and the hand."""

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
from render.canvas.geometry import (
    EDGES,
    OUTLINES,
    Frame,
    build_centred_layout,
    choose_edge,
    compute_row_height,
    compute_table_frame,
)
from render.canvas.picture import RIM, WIDTH, Captions, Header, build_renderer, draw_cloth
from render.faces import Face, build_face, compute_sign_height
from render.table.board_picture import draw_board, draw_window
from render.table.closeup import GUTTER, build_close_ups, draw_best_places, find_close_up, list_edges, pad_frame
from render.table.film import draw_window_frame
from render.table.in_sight import build_board_content
from render.table.legend import compute_legend_height, draw_legend
from render.table.rack import Rack
from render.table.seat_line import compute_lines_height, draw_seat_lines
from render.table.small_table import compute_small_width, draw_small_table
from render.table.window import Window

MIN_DIGIT_HEIGHT: Final = 29.3  # least height of a digit: nine pixels when the picture is 369 wide, as on a phone
MAX_CLOSE_UP_EDGE: Final = {3: 188, 4: 140}  # the largest edge of a tile in a close-up, by number of sides
MAX_RACK_EDGE: Final = {3: 150, 4: 120}  # the same on the rack
SIDE_WIDTH: Final = 352  # width of what is beside a close-up
CLOSE_UP_HEIGHT, MIN_CLOSE_UP_HEIGHT, MAX_WHOLE_HEIGHT, MAX_CLOSE_UP_HEIGHT = 720, 560, 900, 840
"""Heights of a close-up: beside the small table, at least if above the small table, of the whole table, at most."""
MIN_WHOLE_HEIGHT: Final = 420  # the least height of the whole table as a close-up
MIN_WHOLE_SHARE: Final = 0.8  # show the whole table if its tiles are at least this share of those in a close-up
MAX_SMALL_WIDTH: Final = 740  # the greatest width of the small table below a close-up
HEADER_GAP: Final = 20  # between the header and a close-up
SMALL_TABLE_HEIGHT: Final = 330  # height of the small table below a close-up
LIST_HEIGHT: Final = 306  # height of the list of the best places


@dataclass(frozen=True, slots=True)
class HandWords:
    title: str = ""  # title of the list of the best places
    footer: str = ""  # how many of the tiles fit


NO_WORDS: Final = HandWords()


class HandArrangement(NamedTuple):
    windows: tuple[Window, ...]  # the close-up; none before the first tile
    table: Box | None  # the small picture of the whole table; None if the close-up shows it all
    best: Box | None  # the list of the best places
    bottom: int  # the bottom of all of these


def draw_hand(
    view: PlayerView,
    names: Sequence[str],
    captions: Captions,
    *,
    letters: Collection[Cell] | None = None,
    ghost: Placement | None = None,
    picked: Tile | None = None,
    words: HandWords = NO_WORDS,
    theme: str = "classic",
    scheme: str = "dark",
    true_colour: bool = False,
) -> Canvas:
    """Draw the viewer's hand under a close-up at the table. 1200 pixels wide.

    `letters` are the cells with letters, by default all where the hand fits. `ghost` is drawn where it would lie;
    `picked` is lifted out of the hand. Tiles that fit nowhere are dim; the others show their best score and its place.
    `theme` is one of `THEMES`, `scheme` one of `SCHEMES`; others raise ValueError. `true_colour`: 24-bit colour, for
    tests.
    """
    face = build_face(view.rules, theme, scheme)
    header = Header(captions, face.theme, view.viewer if view.is_own_turn else None)
    rack, top = build_hand_rack(view, face), header.height + compute_legend_height(face) + HEADER_GAP
    arrangement = arrange_hand(view, face, top)
    seats = arrangement.bottom + GUTTER + rack.height + GUTTER
    canvas = Canvas(WIDTH, seats + compute_lines_height(len(view.seats)) + RIM, face.theme, true_colour=true_colour)
    draw_cloth(canvas)
    fits = _list_fitting_cells(view)
    letter_cells = fits if letters is None else fits & set(letters)
    if not arrangement.windows:
        content = build_board_content(view, letters=letter_cells, chosen=ghost)
        draw_board(canvas, view, (RIM, top, WIDTH - RIM, arrangement.bottom), face, content)
    for window in arrangement.windows:
        draw_window(canvas, view, window, face, letters=letter_cells, chosen=ghost)
        draw_window_frame(canvas, window.area)
    if arrangement.table is not None:
        draw_small_table(canvas, view, arrangement.table, face, fits, arrangement.windows)
        draw_window_frame(canvas, arrangement.table)
    if arrangement.best is not None:
        draw_best_places(canvas, arrangement.best, view.moves, words.title, words.footer)
    header.draw(canvas)
    draw_legend(canvas, view.rules, face, header.height)
    preview_move = next((move for move in view.moves if move.placement == ghost), None)
    rack.draw(canvas, arrangement.bottom + GUTTER, picked or (ghost.tile if ghost else None), preview_move)
    draw_seat_lines(canvas, view, names, seats)
    return canvas


render_hand = build_renderer(draw_hand)


def _list_moves(view: PlayerView) -> tuple[Move, ...]:
    """The moves of the hand, none after the end of the round."""
    return () if view.ended or view.round_over else view.moves


def _list_fitting_cells(view: PlayerView) -> set[Cell]:
    return {move.placement.cell for move in _list_moves(view)}


def build_hand_rack(view: PlayerView, face: Face) -> Rack:
    outline = OUTLINES[view.rules.plane.first.kind]
    best: dict[Tile, Move] = {}
    for move in _list_moves(view):
        best.setdefault(move.placement.tile, move)
    hand = (view.own_seat.hand or ()) if view.own_seat else ()
    smallest = find_readable_edge(outline, face.hand_face)
    edges = list_edges(smallest, max(smallest, MAX_RACK_EDGE[outline.sides]))
    return Rack(hand, best, outline, face.hand_face, edges, bool(view.ended or view.round_over))


@cache
def find_readable_edge(outline: Outline, face: Face) -> int:
    """The smallest edge with which a tile's numbers are readable on a phone."""
    return next((edge for edge in EDGES if compute_sign_height(edge, outline, face) >= MIN_DIGIT_HEIGHT), EDGES[-1])


def arrange_hand(view: PlayerView, face: Face, top: int) -> HandArrangement:
    """Show the places as large as possible: in one window, or in several if needed."""
    left, right = RIM, WIDTH - RIM
    if not view.tiles:
        return HandArrangement((), None, None, top + 520)
    lattice, fits = view.rules.plane, _list_fitting_cells(view)
    table_frame = pad_frame(lattice, compute_table_frame(lattice, view.tiles, (), (), {*fits, *view.rules.bounds}))
    outline = OUTLINES[lattice.first.kind]
    least = find_readable_edge(outline, face)
    edges = list_edges(least, max(least, MAX_CLOSE_UP_EDGE[outline.sides]))
    beside = right - SIDE_WIDTH - GUTTER
    bottom = top + CLOSE_UP_HEIGHT
    close = find_close_up(lattice, table_frame, fits, (left, top, beside, bottom), edges) if fits else None
    whole_window = _build_whole_window(view, table_frame, (left, top, right, bottom), edges)
    if fits and close is None and whole_window.layout.edge < least:
        whole_window = _build_whole_window(view, table_frame, (left, top, right, top + MAX_WHOLE_HEIGHT), edges)
    enough = least if close is None else max(least, MIN_WHOLE_SHARE * close.layout.edge)
    if not fits or whole_window.layout.edge >= enough:
        return HandArrangement((whole_window,), None, None, whole_window.area[3])
    if close is not None:
        bottom = close.area[3]
        middle = bottom - LIST_HEIGHT - GUTTER
        table = (beside + GUTTER, top, right, middle)
        return HandArrangement((close,), table, (beside + GUTTER, middle + GUTTER, right, bottom), bottom)
    heights = range(MIN_CLOSE_UP_HEIGHT, MAX_CLOSE_UP_HEIGHT + 1, 40)
    ones = (
        find_close_up(lattice, table_frame, fits, (left, top, right, top + height), edges[-1:]) for height in heights
    )
    one = next((window for window in ones if window), None)
    area = (left, top, right, top + MAX_CLOSE_UP_HEIGHT)
    windows = [one] if one else build_close_ups(lattice, table_frame, fits, area, least)
    top = max(window.area[3] for window in windows) + GUTTER
    bottom = top + SMALL_TABLE_HEIGHT
    middle = left + min(MAX_SMALL_WIDTH, max(SIDE_WIDTH, compute_small_width(view, fits, SMALL_TABLE_HEIGHT)))
    return HandArrangement(tuple(windows), (left, top, middle, bottom), (middle + GUTTER, top, right, bottom), bottom)


def _build_whole_window(view: PlayerView, table_frame: Frame, area: Box, edges: Sequence[int]) -> Window:
    """The whole table in one window, no higher than it needs."""
    lattice = view.rules.plane
    left, top, right, bottom = area
    most = choose_edge(lattice, table_frame, right - left, bottom - top)
    edge = next((edge for edge in edges if edge <= most), most)
    height = round((table_frame[3] - table_frame[1]) * compute_row_height(lattice, edge))
    area = (left, top, right, top + max(MIN_WHOLE_HEIGHT, height))
    return Window(build_centred_layout(lattice, table_frame, edge, area), area)
