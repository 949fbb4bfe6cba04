"""How a seat plays on itself in what it tries: the taste that brings most when rounds are played by it against greedy.

What a placement comes to is mostly chance, and what matters is how well all of them go together. So tastes are drawn
around what did best so far, each plays the same rounds, and the best of them say where to go on.
"""

from dataclasses import replace
from random import Random
from statistics import fmean, pstdev
from typing import Final

from engine.players.playouts import Playouts
from engine.players.weights import Taste
from engine.rules import Rules
from tests.fit.rounds import ahead, dealt

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
"""What is looked for, and how far around it at first; points count one each."""
NARROWEST: Final = 0.2
"""The part of that to which a spread may shrink: beyond it the best of a few rounds are chance."""
BROOD: Final = 14
"""Tastes of one generation."""
BEST: Final = 5
"""Those of them that the next one is drawn around."""
GENERATIONS: Final = 40
WHOLE: Final = 1 << 20
"""More turns than any round has."""


def fit(
    rules: Rules, seats: int, start: Taste, rounds: int, seed: str, generations: int = GENERATIONS
) -> tuple[Taste, str]:
    """The taste, and what it brings beside the one it started from, on rounds of their own."""
    rng = Random(seed)
    middle = {name: getattr(start, name) for name in SPREAD}
    spread = SPREAD.copy()
    for _ in range(generations):
        deals = rng.getrandbits(64)
        drawn = ({name: rng.gauss(middle[name], spread[name]) for name in SPREAD} for _ in range(BROOD))
        brood = [replace(start, **weights) for weights in drawn]
        brood.sort(key=lambda taste: brought(rules, seats, taste, rounds, deals), reverse=True)
        for name, widest in SPREAD.items():
            found = [getattr(taste, name) for taste in brood[:BEST]]
            middle[name] = (middle[name] + fmean(found)) / 2
            spread[name] = max(NARROWEST * widest, (spread[name] + pstdev(found)) / 2)
    taste = replace(start, **{name: round(value, 2) for name, value in middle.items()})
    others = rng.getrandbits(64)
    now, before = (brought(rules, seats, one, rounds * BROOD, others) for one in (taste, start))
    return taste, f"{now:.1f} points a round against greedy, {before:.1f} before"


def brought(rules: Rules, seats: int, taste: Taste, rounds: int, seed: int) -> float:
    """By how much a seat that goes by the taste ends a round ahead of greedy, each round played from every seat."""
    rng, found = Random(seed), 0.0
    for _ in range(rounds):
        one = dealt(rules, seats, rng)
        playouts = Playouts(one, None, WHOLE, taste)
        for seat in range(seats):
            playouts.play_on(seat)
            found += ahead(one.totals, seat)
            while one.plies:
                one.undo()
    return found / (seats * rounds)
