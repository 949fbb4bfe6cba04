"""What a place in a round is worth: fitted on rounds that are played on greedily from there."""

from bisect import bisect_left
from random import Random

from engine.players.playouts import Playouts
from engine.players.weights import Leaf
from engine.rules import Rules
from tests.fit.least_squares import LeastSquares
from tests.fit.rounds import ahead, played

FEWEST = {"triominoes": (2, 4), "quads": (4, 10, 18)}
"""The phases of a round, by family: see `Leaf.fewest`."""
ASTRAY = 0.15
"""The chance of any move instead of the greedy one, so that all kinds of places are met."""


def fit(rules: Rules, seats: int, rounds: int, seed: str) -> tuple[Leaf, str]:
    """The leaf of a game with so many seats, and how well it explains what happens."""
    rng, fewest = Random(seed), FEWEST[rules.family]
    fitted: dict[tuple[int, bool], LeastSquares] = {}
    for _ in range(rounds):
        places = []
        for one in played(rules, seats, rng, astray=ASTRAY):
            if one.over:
                break
            if one.reward is None and not one.bonus_tiles:
                told = Playouts(one, None, 0)
                places += [(told.facts(seat), seat == one.turn, seat, ahead(one.totals, seat)) for seat in one.active]
        for facts, on_turn, seat, so_far in places:
            key = bisect_left(fewest, facts[0]), on_turn
            if key not in fitted:
                fitted[key] = LeastSquares(len(facts))
            fitted[key].add(facts, ahead(one.totals, seat) - so_far)
    weights = {key: one.weights() for key, one in fitted.items()}
    phases = tuple(
        tuple(tuple(round(weight, 3) for weight in weights[phase, on_turn]) for on_turn in (False, True))
        for phase in range(len(fewest) + 1)
    )
    told = ", ".join(
        f"phase {phase}{' on turn' if on_turn else ''}: {fitted[phase, on_turn].explained(weights[phase, on_turn]):.3f}"
        f" of {fitted[phase, on_turn].rows}"
        for phase, on_turn in sorted(fitted)
    )
    return Leaf(fewest, phases), told  # type: ignore[arg-type]
