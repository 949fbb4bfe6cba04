"""Fit the weights by which a seat plays its own moves in rollouts, with an evolution strategy.

A single placement is mostly chance; how well all of them work together matters. So each generation draws weights
around the best so far, lets each play the same rounds against greedy, and continues from the best of them.
"""

from dataclasses import replace
from random import Random
from statistics import fmean, pstdev
from typing import Final

from engine.match.rules import Rules
from engine.players.evaluation_weights import PlacementWeights
from engine.players.rollouts import RolloutEvaluator
from tests.tools.fit.rounds import compute_lead, deal_round

SPREAD: Final = {
    "pips": 0.2,
    "triple": 5.0,
    "own_bonus": 0.2,
    "own_next": 0.2,
    "own_fit": 4.0,
    "last_fits": 6.0,
    "others_bonus": 0.5,
    "unseen_fit": 15.0,
}
"""The weights to find, and the first standard deviation of each. The weight of points is fixed at one."""
MIN_SPREAD: Final = 0.2
"""The share of the first standard deviation that remains at least: below it the best of a few rounds are chance."""
GENERATION_SIZE: Final = 14
SURVIVORS: Final = 5
"""The best of a generation, around which the next one is drawn."""
GENERATIONS: Final = 40
WHOLE_ROUND: Final = 1 << 20
"""More turns than any round has."""


def fit(
    rules: Rules, seats: int, start: PlacementWeights, rounds: int, seed: str, generations: int = GENERATIONS
) -> tuple[PlacementWeights, str]:
    """Return the weights, and their points a round on other rounds in comparison with the weights at the start."""
    rng = Random(seed)
    mean = {name: getattr(start, name) for name in SPREAD}
    spread = SPREAD.copy()
    for _ in range(generations):
        deals = rng.getrandbits(64)
        drawn = ({name: rng.gauss(mean[name], spread[name]) for name in SPREAD} for _ in range(GENERATION_SIZE))
        generation = [replace(start, **weights) for weights in drawn]
        generation.sort(key=lambda candidate: measure_lead(rules, seats, candidate, rounds, deals), reverse=True)
        for name, widest in SPREAD.items():
            found = [getattr(weights, name) for weights in generation[:SURVIVORS]]
            mean[name] = (mean[name] + fmean(found)) / 2
            spread[name] = max(MIN_SPREAD * widest, (spread[name] + pstdev(found)) / 2)
    weights = replace(start, **{name: round(value, 2) for name, value in mean.items()})
    others = rng.getrandbits(64)
    now, before = (measure_lead(rules, seats, one, rounds * GENERATION_SIZE, others) for one in (weights, start))
    return weights, f"{now:.1f} points a round against greedy, {before:.1f} before"


def measure_lead(rules: Rules, seats: int, weights: PlacementWeights, rounds: int, seed: int) -> float:
    """Return the mean lead of a seat with these weights over greedy. Each round is played from every seat."""
    rng, found = Random(seed), 0.0
    for _ in range(rounds):
        simulation = deal_round(rules, seats, rng)
        playouts = RolloutEvaluator(simulation, None, WHOLE_ROUND, weights)
        for seat in range(seats):
            playouts.run_rollout(seat)
            found += compute_lead(simulation.totals, seat)
            while simulation.ply_count:
                simulation.undo()
    return found / (seats * rounds)
