"""Fit the value of a position inside a round, from rounds that are played to their end from there."""

from bisect import bisect_left
from random import Random

from engine.match.rules import Rules
from engine.players.evaluation_weights import LeafWeights
from engine.players.rollouts import RolloutEvaluator
from tests.tools.fit.least_squares import LeastSquares
from tests.tools.fit.rounds import compute_lead, play_round

PHASES = {"triominoes": (2, 4), "quads": (4, 10, 18)}
"""The phases of a round, by family: see `Leaf.fewest`."""
RANDOM_SHARE = 0.15
"""The probability of a random move, so that all kinds of positions occur."""


def fit(rules: Rules, seats: int, rounds: int, seed: str) -> tuple[LeafWeights, str]:
    """Return the leaf evaluation for this number of seats, and how much of the variance each phase explains."""
    rng, fewest = Random(seed), PHASES[rules.family]
    fitted: dict[tuple[int, bool], LeastSquares] = {}
    for _ in range(rounds):
        positions = []
        for simulation in play_round(rules, seats, rng, random_share=RANDOM_SHARE):
            if simulation.over:
                break
            if simulation.reward is None and not simulation.bonus_tiles:
                playouts = RolloutEvaluator(simulation, None, 0)
                positions += [
                    (playouts.list_features(seat), seat == simulation.turn, seat, compute_lead(simulation.totals, seat))
                    for seat in simulation.active
                ]
        for facts, on_turn, seat, lead_before in positions:
            key = bisect_left(fewest, facts[0]), on_turn
            if key not in fitted:
                fitted[key] = LeastSquares(len(facts))
            fitted[key].add(facts, compute_lead(simulation.totals, seat) - lead_before)
    weights = {key: one.solve_weights() for key, one in fitted.items()}
    phases = tuple(
        tuple(tuple(round(weight, 3) for weight in weights[phase, on_turn]) for on_turn in (False, True))
        for phase in range(len(fewest) + 1)
    )
    explained = ", ".join(
        f"phase {phase}{' on turn' if on_turn else ''}: "
        f"{fitted[phase, on_turn].compute_explained_share(weights[phase, on_turn]):.3f}"
        f" of {fitted[phase, on_turn].rows}"
        for phase, on_turn in sorted(fitted)
    )
    return LeafWeights(fewest, phases), explained  # type: ignore[arg-type]
