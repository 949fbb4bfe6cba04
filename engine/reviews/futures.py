"""The expectation of a position with known hands, by rollouts with shuffled boneyards."""

from collections.abc import Sequence
from typing import Final

from engine.match.simulation import Simulation
from engine.match.state import Match
from engine.match.turns import DRAW
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.prospects import compute_margins, compute_outcomes, is_valued_in_wins
from engine.players.rollouts import RolloutEvaluator
from engine.players.tree import choose_greedy_move


def compute_match_results(match: Match, weights: Weights) -> Sequence[float]:
    """Return each seat's result at the end of a round or match."""
    places = match.ended.places if match.ended is not None else None
    return compute_outcomes([seat.total for seat in match.seats], places, wins=is_valued_in_wins(match.rules, weights))


ROLLOUT_TURNS: Final = 4
"""Turns before a known evaluation replaces the rest; more turns mean more variance, and need more rollouts."""


class PositionEvaluator:
    """A position within a round, evaluated by repeated greedy rollouts."""

    def __init__(self, match: Match, weights: Weights) -> None:
        """The match does not change. Raises ValueError between rounds and after its end."""
        simulation = Simulation.from_match(match)
        leaf, _ = weights.choose_rollout_weights(len(simulation.active))
        self.boneyard: Final = tuple(simulation.boneyard)  # bits of the tiles to draw; the next is the last
        self._simulation: Final = simulation
        self._hands, self._choices = simulation.hands, simulation.choices
        self._wins: Final = is_valued_in_wins(match.rules, weights)
        # The first of equal moves is made, so their order must be the same in every rollout.
        self._snapshot: Final = simulation.tableau.take_snapshot()
        self._rollouts: Final = None if leaf is None else RolloutEvaluator(simulation, leaf, ROLLOUT_TURNS)

    def compute_leads(self, boneyard: Sequence[int], rng: Rng, draws: int = 0) -> list[float]:
        """Return each seat's lead over the mean of the others after `draws` draws and a rollout with this boneyard,
        including match totals; the sum is 0. Without an evaluation the round is played to its end, with random choices
        between equal moves.
        """
        simulation = self._simulation
        simulation.deal(self._hands, boneyard, self._choices)
        for _ in range(draws):
            simulation.play(DRAW)
        if self._rollouts is None:
            while not simulation.over:
                moves = simulation.list_moves()
                simulation.play(moves[0] if len(moves) == 1 else choose_greedy_move(simulation, moves, rng))
        else:
            self._rollouts.run_rollout()
        if self._rollouts is None or simulation.over:
            found = compute_outcomes(simulation.totals, simulation.places, wins=self._wins)
        else:
            found = self._compute_expected_totals(self._rollouts)
        simulation.reset(self._snapshot)
        return compute_margins(found)

    def _compute_expected_totals(self, rollouts: RolloutEvaluator) -> list[float]:
        """Return the expected totals: the future gains of active seats are evaluated."""
        active, found = self._simulation.active, [float(total) for total in self._simulation.totals]
        first = rollouts.compute_lead(active[0])
        expected = [first, -first] if len(active) == 2 else [first, *map(rollouts.compute_lead, active[1:])]
        # Each seat is evaluated alone, so remove their common part.
        common = sum(expected) / len(active)
        middle, part = sum(found[seat] for seat in active) / len(active), (len(active) - 1) / len(active)
        for seat, points in zip(active, expected, strict=True):
            found[seat] = middle + (points - common) * part
        return found
