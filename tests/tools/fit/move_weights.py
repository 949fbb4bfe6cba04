"""Fit the weights of players that look one move ahead, from placements that are tried until the end of the round."""

from collections.abc import Sequence
from dataclasses import fields
from random import Random
from typing import Final

from engine.board.tableau import Ply
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players.evaluation_weights import PlacementWeights
from engine.players.lookahead import LookaheadPlayer
from engine.players.tree import choose_greedy_move, compute_payoffs
from tests.tools.fit.least_squares import LeastSquares
from tests.tools.fit.rounds import deal_round

MAX_PLACEMENTS: Final = 10
"""The most placements of a turn that are tried."""
TRIES: Final = 4
"""How often each is tried, with greedy moves until the end of the round."""
LEARNT_SHARE: Final = 0.2
"""The share of the turns that are used for the fit."""
RANDOM_SHARE: Final = 0.25
"""The probability of a random move, so that all kinds of positions occur."""
MEDIUM: Final = ("points", "pips", "triple", "again", "shut_out")
"""The facts that medium uses. Of the consequences it sees only whether all others must pass."""
HARD: Final = tuple(one.name for one in fields(PlacementWeights) if one.name != "others_bonus")
"""The facts that hard uses. Bonuses left to others are part of the points of their best answer."""


class TurnSamples:
    """Turns with several placements: the facts of each placement, and its result from 0 to 1."""

    def __init__(self, rules: Rules, seats: int, rounds: int, rng: Random) -> None:
        self.turns: Final[list[tuple[list[list[float]], list[float]]]] = []
        self._evaluators: Final = [
            LookaheadPlayer(rules, PlacementWeights(**{"points": 0.0, name: 1.0})) for name in HARD
        ]
        for _ in range(rounds):
            simulation = deal_round(rules, seats, rng)
            while not simulation.over:
                moves = sorted(simulation.list_moves())
                placed = [move for move in moves if move[1] >= 0]
                if simulation.tableau.placed_ways and len(placed) > 1 and rng.random() < LEARNT_SHARE:
                    few = placed if len(placed) <= MAX_PLACEMENTS else rng.sample(placed, MAX_PLACEMENTS)
                    self._learn(simulation, few, rng)
                is_random = rng.random() < RANDOM_SHARE
                simulation.play(rng.choice(moves) if is_random else choose_greedy_move(simulation, moves, rng))

    def _learn(self, simulation: Simulation, moves: list[Ply], rng: Random) -> None:
        opponent = simulation.hands[(simulation.turn + 1) % len(simulation.hands)].bit_count()
        columns = [
            evaluator.evaluate_placements(simulation, moves, opponent=opponent) for evaluator in self._evaluators
        ]
        rows = [list(row) for row in zip(*columns, strict=True)]
        self.turns.append((rows, [_try(simulation, move, rng) for move in moves]))

    def fit_weights(self, names: Sequence[str]) -> PlacementWeights:
        """Return the weights of these facts that best explain the differences between the placements of a turn."""
        places = [HARD.index(name) for name in names]
        squares = LeastSquares(len(places))
        for rows, values in self.turns:
            for row, value in zip(rows, values, strict=True):
                facts = [row[place] - sum(other[place] for other in rows) / len(rows) for place in places]
                squares.add(facts, 100 * (value - sum(values) / len(values)))
        weights = [round(weight, 3) for weight in squares.solve_weights(ridge=0.1)]
        return PlacementWeights(**{"points": 0.0, **dict(zip(names, weights, strict=False))})

    def compute_regret(self, placement_weights: PlacementWeights) -> float:
        """Return how much less than the best the chosen placement brings, in hundredths, on average."""
        weights = [getattr(placement_weights, name) for name in HARD]
        lost = 0.0
        for rows, values in self.turns:
            scores = [sum(weight * fact for weight, fact in zip(weights, row, strict=True)) for row in rows]
            lost += max(values) - values[scores.index(max(scores))]
        return 100 * lost / max(1, len(self.turns))


def fit(rules: Rules, seats: int, rounds: int, seed: str) -> tuple[PlacementWeights, PlacementWeights, str]:
    """Return the weights of medium and hard, and the regret of each on other rounds."""
    rng = Random(seed)
    learnt, others = TurnSamples(rules, seats, rounds, rng), TurnSamples(rules, seats, rounds // 4, rng)
    medium, hard = learnt.fit_weights(MEDIUM), learnt.fit_weights(HARD)
    regrets = ", ".join(
        f"{name} {others.compute_regret(weights):.2f}"
        for name, weights in (("greedy", PlacementWeights(pips=0.01)), ("medium", medium), ("hard", hard))
    )
    return medium, hard, f"regret on {len(others.turns)} turns: {regrets}"


def _try(simulation: Simulation, move: Ply, rng: Random) -> float:
    """Return the mean result of a placement for the seat that makes it."""
    seat, before, paid = simulation.turn, simulation.ply_count, 0.0
    for _ in range(TRIES):
        simulation.play(move)
        while not simulation.over:
            simulation.play(choose_greedy_move(simulation, simulation.list_moves(), rng))
        paid += compute_payoffs(simulation)[seat]
        while simulation.ply_count > before:
            simulation.undo()
    return paid / TRIES
