"""Find puzzles in rounds that computers play: positions with a clear best move.

    for situation in iterate_choices(rules, player, secret, rng):
        puzzle = find_best_move_puzzle(situation, weights, rng)

The search uses few sampled deals. A confirmed move leads by `MARGIN` points in `SAMPLED_DEALS` sampled deals, after
three standard errors are subtracted. All moves are tried on the same sampled deals.
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
from engine.puzzles.position import SEATS, Position, apply_action, play_to_choice
from engine.puzzles.puzzle import OUT_TILES, Puzzle
from engine.record.text import format_choice
from tests.tools.puzzle_maker.unique_answers import MAX_PLACEMENTS, MIN_PLACED_TILES, is_quiet

SAMPLED_DEALS: Final = 10_000
"""Number of sampled deals that confirm a best move."""
MARGIN: Final = 3.0
"""Minimum lead in points."""
RESERVE: Final = 1.0
"""Additional lead during the search, because some of many positions look better than they are."""
BATCHES: Final = 50
"""Number of groups for the standard error, because consecutive deals may be correlated."""
ERRORS: Final = 3.0
"""Number of standard errors that are subtracted from the lead."""
CHECKPOINTS: Final[dict[int, float]] = {30: 0.5, 100: 1.5, 300: 1.5, 1_000: 1.3, 3_000: 1.1}
"""After this many sampled deals, a position is dropped if its mean lead is below this multiple of the margin."""
MIN_DEALS: Final = 300
"""Minimum number of sampled deals before a move is dropped from the comparison."""
DROP_ERRORS: Final = 6.0
"""A move is dropped if it trails by the margin plus this many standard errors."""
MIN_CHOICES: Final = 4


@dataclass(frozen=True, slots=True)
class Situation:
    """A choice in a round, and the events that led to it."""

    match: Match
    position: Position


def iterate_choices(rules: Rules, player: Player, secret: bytes, rng: Rng) -> Iterator[Situation]:
    """Yield the choices of a round that this player plays on all seats, each before it is made."""
    match, moves = replay(start(rules, seats=SEATS, computers=(), by_hand=False, secret=secret)), list[str]()
    while True:
        play_to_choice(match, secret)
        if match.round_over is not None or match.ended is not None:
            return
        yield Situation(match.copy(), Position(secret.hex(), tuple(moves)))
        action = player.choose(view_for(match, match.turn), rng)
        moves.append(format_choice(action))
        apply_action(match, action, secret)


def find_best_move_puzzle(
    situation: Situation, weights: Weights, rng: Rng, worlds: int = SAMPLED_DEALS
) -> Puzzle | None:
    """Return a puzzle with a clear best move that does not score most immediately; None if there is none."""
    view = view_for(situation.match, situation.match.turn)
    assert view.own_seat is not None
    if (
        not is_quiet(view)
        or len(view.tiles) < MIN_PLACED_TILES
        or not MIN_CHOICES <= len(view.moves) <= MAX_PLACEMENTS
        or view.own_seat.tiles < OUT_TILES
    ):
        return None
    leader = find_lead(view, weights, rng, worlds, is_search=True)
    if leader is None:
        return None
    return Puzzle("best", situation.position, (str(leader.move),), round(leader.margin, 2), leader.worlds)


@dataclass(frozen=True, slots=True)
class Lead:
    """The lead of a move over the others."""

    move: Placement
    margin: float
    """Lead over the second-best move: the mean minus three standard errors."""
    worlds: int


def find_lead(
    view: PlayerView, weights: Weights, rng: Rng, worlds: int = SAMPLED_DEALS, *, is_search: bool = False
) -> Lead | None:
    """Return the leading placement over the same sampled deals, and its lead; None if no move leads clearly.

    With `is_search`, the placement must not score most immediately and needs the additional lead.
    """
    wanted = MARGIN + RESERVE if is_search else MARGIN
    evaluator = MoveEvaluator(view, weights, rng)
    values_by_move: dict[Ply, list[float]] = {move: [] for move in evaluator.moves}
    top_scoring = list_top_scoring(evaluator) if is_search else []
    for world in count(1):
        evaluator.deal()
        for move, values in values_by_move.items():
            values.append(evaluator.evaluate(move))
        if world not in CHECKPOINTS and world != worlds:
            continue
        leader = max(values_by_move, key=lambda move: sum(values_by_move[move]))
        leads_by_move = {
            move: _compute_lead(values_by_move[leader], worths)
            for move, worths in values_by_move.items()
            if move != leader
        }
        nearest = min(leads_by_move, key=lambda move: leads_by_move[move][0])
        if is_search and (leader in top_scoring or leads_by_move[nearest][0] < wanted * CHECKPOINTS.get(world, 1.0)):
            return None
        if world == worlds:
            margin = min(mean - ERRORS * error for mean, error in leads_by_move.values())
            return Lead(_to_placement(evaluator, leader), margin, worlds) if margin >= wanted else None
        if world >= MIN_DEALS:
            dropped = {move for move, (mean, error) in leads_by_move.items() if mean - DROP_ERRORS * error > wanted}
            # Keep one rival until the end, so that a lead can be computed.
            values_by_move = {
                move: worths for move, worths in values_by_move.items() if move == nearest or move not in dropped
            }
    raise AssertionError


def list_top_scoring(evaluator: MoveEvaluator) -> list[Ply]:
    """Return the moves that score most immediately; if none scores, those with the heaviest tile."""
    simulation, pips = evaluator.simulation, evaluator.simulation.tableau.table.pips_by_way
    moves = [move for move in evaluator.moves if move[1] >= 0]
    scores = {
        move: simulation.compute_score(move).points if simulation.rules.scores_tiles else pips[move[1]]
        for move in moves
    }
    return [move for move in moves if scores[move] == max(scores.values())]


def _to_placement(evaluator: MoveEvaluator, move: Ply) -> Placement:
    action = evaluator.simulation.to_action(move)
    assert isinstance(action, Play), "in such positions there is nothing but placements"
    return Placement(action.tile, action.cell, action.rotation)


def _compute_lead(best: list[float], values: list[float]) -> tuple[float, float]:
    """Return the mean lead of one move over another, and its standard error."""
    differences = [more - less for more, less in zip(best, values, strict=True)]
    mean, error = compute_mean_and_error(differences)
    size = len(differences) // BATCHES
    if size > 1:
        parts = [sum(differences[first : first + size]) / size for first in range(0, size * BATCHES, size)]
        error = max(error, compute_mean_and_error(parts)[1])
    return mean, error
