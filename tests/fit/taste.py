"""What a placement is worth to a player that looks one move ahead: fitted on placements that were tried to the end."""

from collections.abc import Sequence
from dataclasses import fields
from random import Random
from typing import Final

from engine.players.onlooking import Onlooker
from engine.players.tree import greediest, paid_to
from engine.players.weights import Taste
from engine.rules import Rules
from engine.simulation import Simulation
from engine.tableau import Ply
from tests.fit.least_squares import LeastSquares
from tests.fit.rounds import dealt

MOST: Final = 10
"""Placements of a turn that are tried, at most."""
TRIES: Final = 4
"""Times that each is tried: played on greedily to the end of the round."""
LOOKED_AT: Final = 0.2
"""The part of the turns that are learnt from."""
ASTRAY: Final = 0.25
"""The chance of any move instead of the greedy one, so that all kinds of places are met."""
LIGHT: Final = ("points", "pips", "triple", "again", "shut_out")
"""What medium looks at: of what comes afterwards only whether all others must pass."""
ALL: Final = tuple(one.name for one in fields(Taste) if one.name != "others_bonus")
"""What hard looks at. Bonuses left open to others are part of the points of the best answer."""


class Samples:
    """Turns with a choice, the facts of each placement and what came of it, from 0 to 1."""

    def __init__(self, rules: Rules, seats: int, rounds: int, rng: Random) -> None:
        self.turns: Final[list[tuple[list[list[float]], list[float]]]] = []
        self._lookers: Final = [Onlooker(rules, Taste(**{"points": 0.0, name: 1.0})) for name in ALL]
        for _ in range(rounds):
            one = dealt(rules, seats, rng)
            while not one.over:
                moves = sorted(one.moves())
                placed = [move for move in moves if move[1] >= 0]
                if one.tableau.lies and len(placed) > 1 and rng.random() < LOOKED_AT:
                    self._learn(one, placed if len(placed) <= MOST else rng.sample(placed, MOST), rng)
                one.play(rng.choice(moves) if rng.random() < ASTRAY else greediest(one, moves, rng))

    def _learn(self, one: Simulation, moves: list[Ply], rng: Random) -> None:
        opponent = one.hands[(one.turn + 1) % len(one.hands)].bit_count()
        columns = [looker.worths(one, moves, opponent=opponent) for looker in self._lookers]
        rows = [list(row) for row in zip(*columns, strict=True)]
        self.turns.append((rows, [_tried(one, move, rng) for move in moves]))

    def fitted(self, names: Sequence[str]) -> Taste:
        """The taste for these facts that explains best what one placement of a turn comes to beside the others."""
        places = [ALL.index(name) for name in names]
        squares = LeastSquares(len(places))
        for rows, worths in self.turns:
            for row, worth in zip(rows, worths, strict=True):
                facts = [row[place] - sum(other[place] for other in rows) / len(rows) for place in places]
                squares.add(facts, 100 * (worth - sum(worths) / len(worths)))
        weights = [round(weight, 3) for weight in squares.weights(ridge=0.1)]
        return Taste(**{"points": 0.0, **dict(zip(names, weights, strict=False))})

    def regret(self, taste: Taste) -> float:
        """What the placement that a taste likes best comes to less than the best, in hundredths, on the mean."""
        weights = [getattr(taste, name) for name in ALL]
        lost = 0.0
        for rows, worths in self.turns:
            liked = [sum(weight * fact for weight, fact in zip(weights, row, strict=True)) for row in rows]
            lost += max(worths) - worths[liked.index(max(liked))]
        return 100 * lost / max(1, len(self.turns))


def fit(rules: Rules, seats: int, rounds: int, seed: str) -> tuple[Taste, Taste, str]:
    """The tastes of medium and hard, and how much each regrets on other rounds."""
    rng = Random(seed)
    learnt, others = Samples(rules, seats, rounds, rng), Samples(rules, seats, rounds // 4, rng)
    medium, hard = learnt.fitted(LIGHT), learnt.fitted(ALL)
    told = ", ".join(
        f"{name} {others.regret(taste):.2f}"
        for name, taste in (("greedy", Taste(pips=0.01)), ("medium", medium), ("hard", hard))
    )
    return medium, hard, f"regret on {len(others.turns)} turns: {told}"


def _tried(one: Simulation, move: Ply, rng: Random) -> float:
    seat, before, paid = one.turn, one.plies, 0.0
    for _ in range(TRIES):
        one.play(move)
        while not one.over:
            one.play(greediest(one, one.moves(), rng))
        paid += paid_to(one)[seat]
        while one.plies > before:
            one.undo()
    return paid / TRIES
