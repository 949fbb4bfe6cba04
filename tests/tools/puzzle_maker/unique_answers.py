"""Find puzzles with exactly one answer under the rules, by trying all placements.

The table comes from a round of computers. The hand consists of unseen tiles, chosen until exactly one answer is left.
"""

from collections.abc import Iterator
from random import Random
from typing import Final

from engine.board.board import Board, Placement
from engine.board.tiles import Tile, format_tile_notation
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.state import Match
from engine.puzzles.position import Position, list_hidden_tiles, redeal
from engine.puzzles.puzzle import HEXAGONS, OUT_TILES, Puzzle, PuzzleKind

MIN_PLACEMENTS: Final = 5
MIN_PLACEMENTS_OUT: Final = 3
MAX_PLACEMENTS: Final = 25
"""Maximum number of placements, so that one menu holds them all."""
MIN_PLACED_TILES: Final = 8
MIN_HAND_TILES: Final = 5
"""Minimum number of tiles in the hand, except in puzzles about placing three tiles."""
RARE: Final = 3
"""Of this many ways to place three tiles, at most one places them all."""
MAX_WAYS_OUT: Final = 3
"""Maximum number of ways, ignoring the order of tiles."""
HANDS: Final = 60
"""Number of hands that are tried at a table."""


def is_quiet(view: PlayerView) -> bool:
    """Return whether a turn has just started and offers only placements."""
    return not (view.drawn or view.bonus_tiles or view.further or view.reward or view.options) and bool(view.tiles)


def find_unique_puzzle(match: Match, position: Position, kind: PuzzleKind, rng: Random) -> Puzzle | None:
    """Return a puzzle of this kind at this table; None if none is found."""
    view = view_for(match, match.turn)
    assert view.own_seat is not None
    held = view.own_seat.tiles
    if (
        not is_quiet(view)
        or len(view.tiles) < MIN_PLACED_TILES
        or (held != OUT_TILES if kind == "out" else held < MIN_HAND_TILES)
    ):
        return None
    hidden = list_hidden_tiles(match)
    for _ in range(HANDS):
        hand = sorted(rng.sample(hidden, held))
        if not _is_worth_searching(match.board, hand, kind):
            continue
        twin = match.copy()
        redeal(twin, hand)
        if (line := find_only_answer(twin, kind)) is not None:
            new_position = Position(position.secret, position.moves, tuple(map(format_tile_notation, hand)))
            return Puzzle(kind, new_position, tuple(map(str, line)))
    return None


def _is_worth_searching(board: Board, hand: list[Tile], kind: PuzzleKind) -> bool:
    many = len(board.list_legal_moves(hand))
    return MIN_PLACEMENTS_OUT <= many <= MAX_PLACEMENTS if kind == "out" else MIN_PLACEMENTS <= many <= MAX_PLACEMENTS


def find_only_answer(match: Match, kind: PuzzleKind) -> tuple[Placement, ...] | None:
    """Return the only answer of a position if it has exactly one and is not too easy. Tries every placement."""
    rules, board, hand = match.rules, match.board.copy(), match.seats[match.turn].hand
    match kind:
        case "count":
            return _find_top_placement(view_for(match, match.turn))
        case "bridge":
            bridges = [
                placement
                for placement in board.list_legal_moves(hand)
                if rules.score_placement(board, placement).bridge
            ]
            return (bridges[0],) if len(bridges) == 1 else None
        case "hexagons":
            return _find_hexagons(rules, board, hand)
        case "out":
            return _find_way_out(rules, board, hand)
        case "best":
            raise ValueError("which move is best, the rules alone do not tell")


def _find_top_placement(view: PlayerView) -> tuple[Placement, ...] | None:
    best, following = view.moves[:2]
    special = best.points > best.base or best.beside is not None or best.corner
    return (best.placement,) if special and best.points > following.points else None


def _find_hexagons(rules: Rules, board: Board, hand: list[Tile]) -> tuple[Placement, ...] | None:
    """Return the only pair of placements that closes two hexagons, in either order, or the only single placement."""
    found: dict[frozenset[Placement], tuple[Placement, ...]] = {}
    for first in board.list_legal_moves(hand):
        closed = rules.score_placement(board, first).hexagons
        if closed >= HEXAGONS:
            found[frozenset([first])] = (first,)
        else:
            board.place(first)
            for second in board.list_legal_moves([tile for tile in hand if tile != first.tile]):
                if closed + rules.score_placement(board, second).hexagons >= HEXAGONS:
                    found.setdefault(frozenset((first, second)), (first, second))
            board.undo()
        if len(found) > 1:
            return None
    return next(iter(found.values()), None)


def _find_way_out(rules: Rules, board: Board, hand: list[Tile]) -> tuple[Placement, ...] | None:
    """Return how to place all three tiles, if few ways do and the most valuable first placement does not."""
    ways = list(iterate_ways(board, hand))
    whole = [way for way in ways if len(way) == OUT_TILES]
    if not whole or len(whole) * RARE > len(ways) or len({frozenset(way) for way in whole}) > MAX_WAYS_OUT:
        return None
    return None if len(_play_greedily(rules, board, hand)) == OUT_TILES else whole[0]


def iterate_ways(board: Board, hand: list[Tile]) -> Iterator[tuple[Placement, ...]]:
    """Yield every way to place tiles of a hand one after another, until none fits."""
    moves = board.list_legal_moves(hand)
    if not moves:
        yield ()
    for placement in moves:
        board.place(placement)
        for way in iterate_ways(board, [tile for tile in hand if tile != placement.tile]):
            yield (placement, *way)
        board.undo()


def _play_greedily(rules: Rules, board: Board, hand: list[Tile]) -> list[Placement]:
    """Return the placements of a player who always scores most."""
    line, twin = list[Placement](), board.copy()
    while moves := twin.list_legal_moves([tile for tile in hand if tile not in {lies.tile for lies in line}]):
        line.append(
            max(moves, key=lambda placement: (rules.score_placement(twin, placement).points, sum(placement.tile)))
        )
        twin.place(line[-1])
    return line
