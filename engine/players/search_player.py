"""A player that tries its moves in sampled deals, each played on for some turns."""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Final

from engine.board.tableau import Ply
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players import greedy
from engine.players.evaluation_weights import RolloutBudget, Weights
from engine.players.greedy import Rng
from engine.players.rollouts import RolloutEvaluator
from engine.players.sampled_deals import Belief

FIRST_COMPARISON: Final = 32  # deals before moves are first compared; then at twice as many, and so on
MAX_ERRORS_BEHIND: Final = 3.0  # a move is dropped when it is this many standard errors behind the best


class RolloutPlayer:
    """Tries every move in the same deals, and makes the one with the best mean."""

    def __init__(self, rules: Rules, thinking: RolloutBudget, weights: Weights) -> None:
        self.rules: Final = rules
        self.budget: Final = thinking
        self.weights: Final = weights

    def choose(self, view: PlayerView, rng: Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        assert view.viewer is not None
        simulation = Simulation.from_view(view)
        belief = Belief(view, self.weights.doubts)
        simulation.deal(*belief.sample_deal(rng), simulation.tableau.table.to_mask(view.choices))
        moves = sorted(simulation.list_moves())
        placements = [move for move in moves if move[1] >= 0 or view.reward is not None]
        if len(placements) < 2:
            return greedy.choose(view, rng)
        return simulation.to_action(self._choose_best(simulation, placements, belief, rng, should_stop))

    def _choose_best(
        self, simulation: Simulation, moves: list[Ply], belief: Belief, rng: Rng, should_stop: Callable[[], bool] | None
    ) -> Ply:
        seat, choices, weights, budget = simulation.turn, simulation.choices, self.weights, self.budget
        max_deals, turns = budget.worlds, budget.turns
        if len(simulation.active) > 2:
            max_deals, turns = budget.worlds_of_many or max_deals, budget.turns_of_many or turns
        leaf, own = weights.choose_rollout_weights(len(simulation.active))
        rollouts = RolloutEvaluator(simulation, leaf, turns, own)
        values_by_move: dict[Ply, list[float]] = {move: [] for move in moves}
        next_comparison = FIRST_COMPARISON
        for deal_count in range(1, max_deals + 1):
            for move, values in values_by_move.items():
                values.append(rollouts.evaluate(move, seat))
            if deal_count == next_comparison:
                best, next_comparison = max(values_by_move.values(), key=sum), 2 * next_comparison
                values_by_move = {
                    move: found
                    for move, found in values_by_move.items()
                    if found is best or not _is_behind(found, best)
                }
            if len(values_by_move) == 1 or (should_stop is not None and should_stop()):
                break
            simulation.deal(*belief.sample_deal(rng), choices)
        return max(values_by_move, key=lambda move: sum(values_by_move[move]))


def _is_behind(values: Sequence[float], best: Sequence[float]) -> bool:
    differences = [more - less for more, less in zip(best, values, strict=True)]
    mean = sum(differences) / len(differences)
    spread = sum([(one - mean) ** 2 for one in differences]) / len(differences)
    return mean > MAX_ERRORS_BEHIND * sqrt(spread / len(differences))
