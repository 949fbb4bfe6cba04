"""Tables to draw: random matches, played until a condition is true."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from data.rulebook import load_rules
from engine.board.board import Placement
from engine.board.tiles import Tile
from engine.match.decide import decide, find_forced_action, start
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.state import Match, apply_event, replay
from engine.players import greedy
from render.canvas.picture import HEADER_HEIGHT, Captions
from render.faces import build_face
from render.table.board_picture import build_board_window, get_close_up_edge
from render.table.hand import HEADER_GAP, HandArrangement, arrange_hand
from render.table.legend import compute_legend_height
from render.table.table_picture import TableArrangement, arrange_table
from render.table.window import Window
from tests.engine.readings import build_rules

RULES = load_rules("triominoes")

Until = Callable[[PlayerView], bool]
"""A condition on the public view of a table."""


def play_until(until: Until, *, seats: int = 4, seed: int = 1, rules: Rules = RULES) -> Match:
    """Return a match at the first moment when the condition is true, trying one seed after another."""
    for number in range(seed, seed + 60):
        rng = Random(number)
        secret = rng.randbytes(32)
        match = replay(start(rules, seats=seats, computers=(), by_hand=False, secret=secret))
        while not until(view_for(match, None)):
            if match.ended:
                break
            action = find_forced_action(match) or greedy.choose(view_for(match, match.turn), rng)
            for event in decide(match, action, secret):
                apply_event(match, event)
        else:
            return match
    raise AssertionError("no match ever looked like that")


GAMES = ("triominoes", "quad-ominos", "points", "muggins", "star", "trioker")


@cache
def build_running_round(game: str, tiles: int = 10, seats: int = 4, options: str = "") -> Match:
    rules = build_rules(game, options)
    return play_until(lambda view: view.round_over is None and len(view.tiles) == tiles, seats=seats, rules=rules)


def build_mover_view(game: str, tiles: int = 10, seats: int = 4) -> PlayerView:
    match = build_running_round(game, tiles, seats)
    return next(view for seat in range(seats) if (view := view_for(match, seat)).moves)


@cache
def build_ended_round(game: str, seats: int = 4) -> Match:

    return play_until(lambda view: view.round_over is not None, seats=seats, rules=load_rules(game))


@cache
def build_random_table(tiles: int, seed: int = 1) -> Match:
    """Return a table of Quad-Ominos with at least this many random squares, and unplayed squares in the hand of the
    player to move.
    """
    match = play_until(lambda view: len(view.tiles) == 3, rules=load_rules("quad-ominos")).copy()
    rng = Random(seed)
    board, unused_tiles = match.rules.build_board(), list(match.rules.tiles)
    board.place(Placement(unused_tiles.pop(), match.rules.plane.first, 0))
    rng.shuffle(unused_tiles)
    while len(board.placed) < tiles and (
        moves := board.list_legal_moves(unused_tiles[:20]) or board.list_legal_moves(unused_tiles)
    ):
        placement = moves[rng.randrange(len(moves))]
        board.place(placement)
        unused_tiles.remove(placement.tile)
    match.board = board
    match.seats[match.turn].hand = unused_tiles
    newest = board.last
    match.last = replace(match.last, tile=newest.tile, cell=newest.cell, rotation=newest.rotation)
    return match


@cache
def build_mid_round(seats: int = 4) -> Match:
    return play_until(lambda view: bool(view.hexagons and view.bridges and view.round_over is None), seats=seats)


@cache
def build_won_round(seats: int = 4) -> Match:
    return play_until(lambda view: view.round_over is not None and view.round_over.out is not None, seats=seats)


def with_first_seat(view: PlayerView, **changes: Any) -> PlayerView:
    return replace(view, seats=(replace(view.seats[0], **changes), *view.seats[1:]))


def with_own_hand(view: PlayerView, hand: Sequence[Tile]) -> PlayerView:
    seats = (replace(seat, hand=tuple(hand)) if seat.seat == view.viewer else seat for seat in view.seats)
    return replace(view, seats=tuple(seats))


def build_arrangement(view: PlayerView, theme: str = "classic") -> TableArrangement:
    """Return the layout of the public picture, with a header of the usual height."""
    return arrange_table(view, build_face(view.rules, theme), HEADER_HEIGHT)


def build_window(view: PlayerView, arrangement: TableArrangement | None = None) -> Window:
    """Return the part of the board that the public picture shows."""
    arrangement = arrangement or build_arrangement(view)
    return build_board_window(view, arrangement.board, arrangement.content, get_close_up_edge(view))


def build_hand_arrangement(view: PlayerView) -> HandArrangement:
    """Return the layout of the picture of a hand, with a header of the usual height."""
    face = build_face(view.rules, "classic")
    return arrange_hand(view, face, HEADER_HEIGHT + compute_legend_height(face) + HEADER_GAP)


CAPTIONS = Captions("Round 2", "Ada 3-3-4 at G · hexagon +50 = +60", "Grace to play", "Boneyard 12 · to 400")

NAMES = (
    *("Ada", "Grace", "Linus", "Björn", "Margaret", "Édouard"),
    *("Barbara", "Ken", "Dennis", "Anita", "Radia", "Tim"),
)
