"""Find puzzles in rounds that computers play: positions with a clear best move.

    for stand in choices_of_round(rules, player, secret, rng):
        puzzle = best(stand, weights, rng)

The search uses few sampled deals. A confirmed move leads by `MARGIN` points in `WORLDS` sampled deals, after three
standard errors are subtracted. All moves are tried on the same sampled deals.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final

from engine.board.board import Placement
from engine.board.tableau import Ply
from engine.match.actions import Play
from engine.match.decide import start
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.state import Match, replay
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.levels import Player
from engine.players.prospects import MoveEvaluator, compute_mean_and_error
from engine.puzzles.position import SEATS, Position, apply_action, format_action, play_to_choice
from engine.puzzles.puzzle import OUT_TILES, Puzzle
from tests.tools.puzzle_maker.unique_answers import LYING, MOST_PLACEMENTS, is_quiet

WORLDS: Final = 10_000
"""Number of sampled deals that confirm a best move."""
MARGIN: Final = 3.0
"""Minimum lead in points."""
RESERVE: Final = 1.0
"""Additional lead during the search, because some of many positions look better than they are."""
BATCHES: Final = 50
"""Number of groups for the standard error, because consecutive deals may be correlated."""
ERRORS: Final = 3.0
"""Number of standard errors that are subtracted from the lead."""
LOOKS: Final[dict[int, float]] = {30: 0.5, 100: 1.5, 300: 1.5, 1_000: 1.3, 3_000: 1.1}
"""After this many sampled deals, a position is dropped if its mean lead is below this multiple of the margin."""
SURE: Final = 300
"""Minimum number of sampled deals before a move is dropped from the comparison."""
FAR: Final = 6.0
"""A move is dropped if it trails by the margin plus this many standard errors."""
CHOICES: Final = 4
"""Minimum number of placements to choose from."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A choice in a round, and the events that led to it."""

    match: Match
    position: Position


def choices_of_round(rules: Rules, player: Player, secret: bytes, rng: Rng) -> Iterator[Situation]:
    """Yield the choices of a round that this player plays on all seats, each before it is made."""
    match, moves = replay(start(rules, seats=SEATS, computers=(), by_hand=False, secret=secret)), list[str]()
    while True:
        play_to_choice(match, secret)
        if match.round_over is not None or match.ended is not None:
            return
        yield Situation(match.copy(), Position(secret.hex(), tuple(moves)))
        action = player.choose(view_for(match, match.turn), rng)
        moves.append(format_action(action))
        apply_action(match, action, secret)


def best(stand: Situation, weights: Weights, rng: Rng, worlds: int = WORLDS) -> Puzzle | None:
    """Return a puzzle with a clear best move that does not score most immediately; None if there is none."""
    seen = view_for(stand.match, stand.match.turn)
    assert seen.own_seat is not None
    if (
        not is_quiet(seen)
        or len(seen.tiles) < LYING
        or not CHOICES <= len(seen.moves) <= MOST_PLACEMENTS
        or seen.own_seat.tiles < OUT_TILES
    ):
        return None
    led = lead(seen, weights, rng, worlds, sought=True)
    if led is None:
        return None
    return Puzzle("best", stand.position, (str(led.move),), round(led.margin, 2), led.worlds)


@dataclass(frozen=True, slots=True)
class Lead:
    """The lead of a move over the others."""

    move: Placement
    margin: float
    """Lead over the second-best move: the mean minus three standard errors."""
    worlds: int


def lead(seen: PlayerView, weights: Weights, rng: Rng, worlds: int = WORLDS, *, sought: bool = False) -> Lead | None:
    """Return the leading placement over the same sampled deals, and its lead; None if no move leads clearly.

    With `sought`, the placement must not score most immediately and needs the additional lead.
    """
    wanted = MARGIN + RESERVE if sought else MARGIN
    prospects = MoveEvaluator(seen, weights, rng)
    tried: dict[Ply, list[float]] = {move: [] for move in prospects.moves}
    plain = most_now(prospects) if sought else []
    for world in count(1):
        prospects.deal()
        for move, worths in tried.items():
            worths.append(prospects.evaluate(move))
        if world not in LOOKS and world != worlds:
            continue
        leads = max(tried, key=lambda move: sum(tried[move]))
        ahead = {move: _ahead(tried[leads], worths) for move, worths in tried.items() if move != leads}
        nearest = min(ahead, key=lambda move: ahead[move][0])
        if sought and (leads in plain or ahead[nearest][0] < wanted * LOOKS.get(world, 1.0)):
            return None
        if world == worlds:
            margin = min(mean - ERRORS * error for mean, error in ahead.values())
            return Lead(_placement(prospects, leads), margin, worlds) if margin >= wanted else None
        if world >= SURE:
            far = {move for move, (mean, error) in ahead.items() if mean - FAR * error > wanted}
            # Keep one rival until the end, so that a lead can be computed.
            tried = {move: worths for move, worths in tried.items() if move == nearest or move not in far}
    raise AssertionError


def most_now(prospects: MoveEvaluator) -> list[Ply]:
    """Return the moves that score most immediately; if none scores, those with the heaviest tile."""
    one, pips = prospects.simulation, prospects.simulation.tableau.table.pips_by_way
    moves = [move for move in prospects.moves if move[1] >= 0]
    worth = {move: one.compute_score(move).points if one.rules.scores_tiles else pips[move[1]] for move in moves}
    return [move for move in moves if worth[move] == max(worth.values())]


def _placement(prospects: MoveEvaluator, move: Ply) -> Placement:
    action = prospects.simulation.to_action(move)
    assert isinstance(action, Play), "in such positions there is nothing but placements"
    return Placement(action.tile, action.cell, action.rotation)


def _ahead(best: list[float], worths: list[float]) -> tuple[float, float]:
    """Return the mean lead of one move over another, and its standard error."""
    apart = [more - less for more, less in zip(best, worths, strict=True)]
    mean, error = compute_mean_and_error(apart)
    size = len(apart) // BATCHES
    if size > 1:
        parts = [sum(apart[first : first + size]) / size for first in range(0, size * BATCHES, size)]
        error = max(error, compute_mean_and_error(parts)[1])
    return mean, error
