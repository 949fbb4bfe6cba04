"""Count how likely a seat still holds a tile that would have scored more than the tile it placed."""

from collections import Counter
from random import Random

from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.match.turns import DRAW
from engine.players.evaluation_weights import Weights
from engine.players.lookahead import LookaheadPlayer, list_best_scores
from engine.players.rollouts import RolloutEvaluator
from tests.tools.fit.rounds import deal_round

STEPS = {"triominoes": (1, 2, 4, 7, 12, 25), "quads": (1, 2, 4, 7, 12, 25)}
"""The differences in points from which a factor applies, by family."""


def fit(rules: Rules, weights: Weights, rounds: int, seed: str) -> tuple[tuple[int, float], ...]:
    """Return the relative probability that such a tile is held, by rising difference in points.

    The reference is a tile that never scores more.

    Seats play like greedy or like hard. They count until they first draw: until then they hold only dealt tiles.
    """
    rng, steps = Random(seed), STEPS[rules.family]
    held, hidden = Counter[int](), Counter[int]()
    for _ in range(rounds):
        simulation = deal_round(rules, 2, rng)
        greedy = RolloutEvaluator(simulation, None, 0).choose_greedy_move
        hard = LookaheadPlayer(rules, weights.hard) if weights.hard is not None and rng.random() < 0.5 else None
        missed: list[dict[int, int] | None] = [{}, {}]
        while not simulation.over and any(known is not None for known in missed):
            seat = simulation.turn
            move = greedy() if hard is None else _choose_like_hard(simulation, hard) or greedy()
            known = missed[seat]
            if move == DRAW:
                missed[seat] = None
            elif known is not None and move[1] >= 0 and simulation.tableau.placed_ways:
                _count(simulation, seat, move, known, held, hidden, steps)
            simulation.play(move)
    base = held[0] / (hidden[0] - held[0])
    odds = [held[step] / max(1, hidden[step] - held[step]) for step in steps]
    return tuple((step, round(min(1.0, max(0.01, one / base)), 3)) for step, one in zip(steps, odds, strict=True))


def _choose_like_hard(simulation: Simulation, hard: LookaheadPlayer) -> tuple[int, int] | None:
    moves = [move for move in simulation.list_moves() if move[1] >= 0]
    if len(moves) < 2 or simulation.reward is not None:
        return None
    values = hard.evaluate_placements(simulation, moves, opponent=simulation.hands[1 - simulation.turn].bit_count())
    return max(zip(values, moves, strict=True))[1]


def _count(
    simulation: Simulation,
    seat: int,
    move: tuple[int, int],
    missed: dict[int, int],
    held: Counter[int],
    hidden: Counter[int],
    steps: tuple[int, ...],
) -> None:
    """Note the points that each unseen tile would have scored more, and whether the seat holds it."""
    tableau = simulation.tableau
    bit = tableau.table.bit_by_way[move[1]]
    unseen = tableau.table.full_mask & ~tableau.played_mask & ~simulation.hands[1 - seat] & ~bit
    scored = simulation.compute_score(move).points
    for tile, points in list_best_scores(simulation.rules, tableau, unseen)[0].items():
        if points > scored:
            missed[tile] = max(points - scored, missed.get(tile, 0))
    for number in range(unseen.bit_length()):
        tile = 1 << number
        if tile & unseen:
            step = max((least for least in steps if missed.get(tile, 0) >= least), default=0)
            hidden[step] += 1
            held[step] += bool(tile & simulation.hands[seat])
