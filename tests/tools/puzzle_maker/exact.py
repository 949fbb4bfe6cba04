"""Puzzles whose answer the rules alone tell: every way there is to place the tiles is tried.

The table is one that computers have played; the hand is put together of tiles that nobody has seen, until exactly one
answer is left.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from engine.board.board import Board, Placement
from engine.board.tiles import Tile, tile_text
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.state import Match
from engine.puzzles.position import Position, hidden_tiles, redeal
from engine.puzzles.puzzle import HEXAGONS, OUT, Puzzle, PuzzleKind

FEWEST: Final = 5
"""Placements to choose from."""
FEWEST_OUT: Final = 3
MOST_PLACEMENTS: Final = 25
"""No more, so that one menu holds them all."""
LYING: Final = 8
"""Tiles on the table at least."""
HELD: Final = 5
"""Tiles in the hand at least, but where three are to be got rid of."""
RARE: Final = 3
"""Of so many ways to place three tiles, each until no other can follow, at most one gets rid of all."""
WAYS_OUT: Final = 3
"""So many ways there are, whatever the order of their tiles."""
HANDS: Final = 60
"""So many hands are tried at a table."""


class Sampler(Protocol):
    """What hands are put together by: `random.Random`, or its like."""

    def sample(self, population: Sequence[Tile], k: int) -> list[Tile]:
        """So many of these, none twice."""


def is_quiet(seen: PlayerView) -> bool:
    """Whether there is nothing to choose from but placements, in a turn that has just begun."""
    return not (seen.drawn or seen.bonus_tiles or seen.further or seen.reward or seen.options) and bool(seen.tiles)


def exact(match: Match, position: Position, kind: PuzzleKind, rng: Sampler) -> Puzzle | None:
    """A puzzle of this kind at this table, where one is found."""
    seen = view_for(match, match.turn)
    assert seen.mine is not None
    held = seen.mine.tiles
    if not is_quiet(seen) or len(seen.tiles) < LYING or (held != OUT if kind == "out" else held < HELD):
        return None
    hidden = hidden_tiles(match)
    for _ in range(HANDS):
        hand = sorted(rng.sample(hidden, held))
        if not _may_do(match.board, hand, kind):
            continue
        twin = match.copy()
        redeal(twin, hand)
        if (line := only_answer(twin, kind)) is not None:
            there = Position(position.secret, position.moves, tuple(map(tile_text, hand)))
            return Puzzle(kind, there, tuple(map(str, line)))
    return None


def _may_do(board: Board, hand: list[Tile], kind: PuzzleKind) -> bool:
    """Whether it is worth a closer look."""
    many = len(board.legal(hand))
    return FEWEST_OUT <= many <= MOST_PLACEMENTS if kind == "out" else FEWEST <= many <= MOST_PLACEMENTS


def only_answer(match: Match, kind: PuzzleKind) -> tuple[Placement, ...] | None:
    """The only answer that a position has, if it has one and is not too easy. Every placement is tried."""
    rules, board, hand = match.rules, match.board.copy(), match.seats[match.turn].hand
    match kind:
        case "count":
            return _most(view_for(match, match.turn))
        case "bridge":
            bridges = [placement for placement in board.legal(hand) if rules.score(board, placement).bridge]
            return (bridges[0],) if len(bridges) == 1 else None
        case "hexagons":
            return _hexagons(rules, board, hand)
        case "out":
            return _only_way_out(rules, board, hand)
        case "best":
            raise ValueError("which move is best, the rules alone do not tell")


def _most(seen: PlayerView) -> tuple[Placement, ...] | None:
    best, following = seen.moves[:2]
    special = best.points > best.base or best.beside is not None or best.corner
    return (best.placement,) if special and best.points > following.points else None


def _hexagons(rules: Rules, board: Board, hand: list[Tile]) -> tuple[Placement, ...] | None:
    """The one pair of placements, in whichever order, that closes two hexagons, or the one placement that does."""
    found: dict[frozenset[Placement], tuple[Placement, ...]] = {}
    for first in board.legal(hand):
        closed = rules.score(board, first).hexagons
        if closed >= HEXAGONS:
            found[frozenset([first])] = (first,)
        else:
            board.place(first)
            for second in board.legal([tile for tile in hand if tile != first.tile]):
                if closed + rules.score(board, second).hexagons >= HEXAGONS:
                    found.setdefault(frozenset((first, second)), (first, second))
            board.undo()
        if len(found) > 1:
            return None
    return next(iter(found.values()), None)


def _only_way_out(rules: Rules, board: Board, hand: list[Tile]) -> tuple[Placement, ...] | None:
    """How to place all three tiles, where hardly any way does, and that with the most points at once does not."""
    ways = list(ways_of(board, hand))
    whole = [way for way in ways if len(way) == OUT]
    if not whole or len(whole) * RARE > len(ways) or len({frozenset(way) for way in whole}) > WAYS_OUT:
        return None
    return None if len(_greedily(rules, board, hand)) == OUT else whole[0]


def ways_of(board: Board, hand: list[Tile]) -> Iterator[tuple[Placement, ...]]:
    """Every way to place tiles of a hand one after the other, each until no other can follow."""
    moves = board.legal(hand)
    if not moves:
        yield ()
    for placement in moves:
        board.place(placement)
        for way in ways_of(board, [tile for tile in hand if tile != placement.tile]):
            yield (placement, *way)
        board.undo()


def _greedily(rules: Rules, board: Board, hand: list[Tile]) -> list[Placement]:
    """What whoever always scores most places."""
    line, twin = list[Placement](), board.copy()
    while moves := twin.legal([tile for tile in hand if tile not in {lies.tile for lies in line}]):
        line.append(max(moves, key=lambda placement: (rules.score(twin, placement).points, sum(placement.tile))))
        twin.place(line[-1])
    return line
