"""The prospects of a seat's moves: each is continued by rollouts in sampled deals."""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Final, TypeVar

from engine.board.tableau import Ply
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.hidden_deals import DealSampler
from engine.players.rollouts import RolloutEvaluator
from engine.players.sampled_deals import Belief
from engine.players.tree import choose_greedy_move

Item = TypeVar("Item")
ROLLOUT_TURNS: Final = 8  # turns of a rollout before a known evaluation replaces the rest (docs/explanation/review.md)
CELL_ORDERS: Final = 16  # shuffles of the open cells, used in turn
SCORED_COST: Final = 4
SQUARES_COST: Final = 2  # relative cost of moves (see `_compute_move_cost`)
TRIANGLE_SIDES: Final = 3
WIN_VALUE: Final = 50.0
"""Value of winning a match of a single deal, in points ahead: with two seats, a point is 1 % of the win."""


def is_valued_in_wins(rules: Rules, weights: Weights) -> bool:
    """Return whether values are parts of the win: in single-deal matches without an evaluation of points."""
    return rules.is_one_deal and weights.leaf is None


def compute_outcomes(totals: Sequence[int], places: Sequence[int] | None, *, wins: bool) -> Sequence[float]:
    """Return each seat's part of the win if `wins` count and the match is over, else its points."""
    if not wins or places is None:
        return totals
    winners = places.count(1)
    return [WIN_VALUE / winners if place == 1 else 0.0 for place in places]


def compute_margins(totals: Sequence[float]) -> list[float]:
    """Return each seat's lead over the mean of the others."""
    total_sum, others = sum(totals), len(totals) - 1
    return [total - (total_sum - total) / others for total in totals]


def copy_shuffled(tiles: Iterable[Item], rng: Rng) -> list[Item]:
    found = list(tiles)
    found.sort(key=lambda _: rng.random())
    return found


def compute_mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    mean = sum(values) / len(values)
    spread = sum([(one - mean) ** 2 for one in values]) / max(1, len(values) - 1)
    return mean, sqrt(spread / len(values))


class MoveEvaluator:
    """Evaluates a seat's moves by rollouts in sampled deals that agree with its view."""

    def __init__(self, view: PlayerView, weights: Weights, rng: Rng) -> None:
        simulation = Simulation.from_view(view)
        leaf, own = weights.choose_rollout_weights(len(simulation.active))
        self._belief: Final = Belief(view, weights.doubts) if view.rules.has_boneyard else None
        self._deals: Final = None if self._belief else DealSampler(view, simulation)
        self._rollouts: Final = None if leaf is None else RolloutEvaluator(simulation, leaf, ROLLOUT_TURNS, own)
        self._wins: Final = is_valued_in_wins(view.rules, weights)
        self._choices: Final = simulation.tableau.table.to_mask(view.choices)
        self._rng: Final = rng
        self.simulation: Final = simulation
        self.seat: Final = simulation.turn
        placed_ways, played, demand, masks, history = simulation.tableau.take_snapshot()
        cells = [*masks.items()]
        self._snapshots: Final = [
            (placed_ways, played, demand, dict(copy_shuffled(cells, rng)), history) for _ in range(CELL_ORDERS)
        ]
        """Open cells in random order, because a rollout makes the first of equal moves."""
        self._deal = 0
        self.deal()
        self.moves: Final = sorted(simulation.list_moves())  # legal moves; the same in every deal
        tiles = sum(map(int.bit_count, simulation.hands))
        plies = tiles if leaf is None else min(ROLLOUT_TURNS, tiles)
        # Weighted rollouts of the own seat take about half as long again.
        plies += plies // 2 if leaf is not None and own is not None else 0
        self.rollout_cost: Final = plies * _compute_move_cost(view.rules, has_leaf=leaf is not None)
        """Approximate cost of a rollout, in usual moves."""

    def deal(self) -> None:
        """Sample another deal, with another order of equal moves."""
        self._deal += 1
        self.simulation.tableau.restore(self._snapshots[self._deal % CELL_ORDERS])
        if self._belief is not None:
            self.simulation.deal(*self._belief.sample_deal(self._rng), self._choices)
        elif self._deals is not None:
            self._deals.deal(self.simulation, self._rng)

    def evaluate(self, move: Ply) -> float:
        """Return the seat's lead in this deal after the move and its rollout."""
        simulation = self.simulation
        hands, boneyard, choices = simulation.hands.copy(), simulation.boneyard.copy(), simulation.choices
        simulation.play(move)
        if self._rollouts is not None:
            self._rollouts.run_rollout(self.seat)
            found = self._rollouts.compute_lead(self.seat)
        else:
            while not simulation.over:
                moves = simulation.list_moves()
                simulation.play(moves[0] if len(moves) == 1 else choose_greedy_move(simulation, moves, self._rng))
            found = compute_margins(compute_outcomes(simulation.totals, simulation.places, wins=self._wins))[self.seat]
        simulation.reset(self._snapshots[self._deal % CELL_ORDERS])
        simulation.deal(hands, boneyard, choices)
        return found


def _compute_move_cost(rules: Rules, *, has_leaf: bool) -> int:
    """Return the relative cost of a rollout's move, so that all games take about the same time: higher if points of all
    placements are computed, and for squares, which fit many places.
    """
    if has_leaf:
        return SQUARES_COST if rules.plane.sides > TRIANGLE_SIDES else 1
    return SCORED_COST if rules.scores_tiles else 1
