"""How likely a seat still holds what would have scored more than what it placed: counted in rounds of known hands."""

from collections import Counter
from random import Random

from engine.players.onlooking import Onlooker, best_of_tiles
from engine.players.playouts import Playouts
from engine.players.weights import Weights
from engine.rules import Rules
from engine.simulation import Simulation
from engine.turns import DRAW
from tests.fit.rounds import dealt

STEPS = {"triominoes": (1, 2, 4, 7, 12, 25), "quads": (1, 2, 4, 7, 12, 25)}
"""The points more from which a factor holds, by family."""


def fit(rules: Rules, weights: Weights, rounds: int, seed: str) -> tuple[tuple[int, float], ...]:
    """By the points more, rising: how likely such a tile is held, beside one that would never have scored more.

    Seats play as greedy does or as hard does. They are looked at until they first draw: then what they hold was dealt.
    """
    rng, steps = Random(seed), STEPS[rules.family]
    held, hidden = Counter[int](), Counter[int]()
    for _ in range(rounds):
        one = dealt(rules, 2, rng)
        greedy = Playouts(one, None, 0).greedy
        hard = Onlooker(rules, weights.hard) if weights.hard is not None and rng.random() < 0.5 else None
        missed: list[dict[int, int] | None] = [{}, {}]
        while not one.over and any(known is not None for known in missed):
            seat = one.turn
            move = greedy() if hard is None else _hards(one, hard) or greedy()
            known = missed[seat]
            if move == DRAW:
                missed[seat] = None
            elif known is not None and move[1] >= 0 and one.tableau.lies:
                _count(one, seat, move, known, held, hidden, steps)
            one.play(move)
    plain = held[0] / (hidden[0] - held[0])
    odds = [held[step] / max(1, hidden[step] - held[step]) for step in steps]
    return tuple((step, round(min(1.0, max(0.01, one / plain)), 3)) for step, one in zip(steps, odds, strict=True))


def _hards(one: Simulation, hard: Onlooker) -> tuple[int, int] | None:
    moves = [move for move in one.moves() if move[1] >= 0]
    if len(moves) < 2 or one.reward is not None:
        return None
    worths = hard.worths(one, moves, opponent=one.hands[1 - one.turn].bit_count())
    return max(zip(worths, moves, strict=True))[1]


def _count(
    one: Simulation,
    seat: int,
    move: tuple[int, int],
    missed: dict[int, int],
    held: Counter[int],
    hidden: Counter[int],
    steps: tuple[int, ...],
) -> None:
    bit = one.tableau.table.bits[move[1]]
    unseen = one.tableau.table.whole & ~one.tableau.played & ~one.hands[1 - seat] & ~bit
    scored = one.earned(move).points
    for tile, points in best_of_tiles(one.rules, one.tableau, unseen)[0].items():
        if points > scored:
            missed[tile] = max(points - scored, missed.get(tile, 0))
    for number in range(unseen.bit_length()):
        tile = 1 << number
        if tile & unseen:
            step = max((least for least in steps if missed.get(tile, 0) >= least), default=0)
            hidden[step] += 1
            held[step] += bool(tile & one.hands[seat])
