"""Ratings of players from what they won against one another (Bradley-Terry, by maximum likelihood; ties half).

A rating is in the points of Elo: 400 more are ten wins to one. The interval is by resampling whole deals, as a deal's
rotations belong together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from random import Random
from typing import Final

ROUNDS: Final = 10_000
"""Steps of the fit at most. It comes to rest long before, later the further players are apart."""
REST: Final = 1e-8
"""The part of a strength by which a step changes none any more."""
SAMPLES: Final = 200
"""Times that deals are drawn anew."""
DRAWN: Final = 0.5
"""Wins and losses beside the real ones in every pair, so that whoever has won all is not infinitely good."""

Pair = tuple[str, str]
Shares = Mapping[Pair, Sequence[float]]
"""By pair, the part of the wins that the first has of each deal."""


@dataclass(frozen=True, slots=True)
class Rated:
    """How good a player is, beside the one whose rating is 0."""

    player: str
    rating: float
    low: float
    high: float
    """With 95 %."""
    share: float
    """Its part of all wins in its matches."""


def ratings(players: Sequence[str], found: Shares, anchor: str, matches: int = 2) -> list[Rated]:
    """The players, best first; `anchor` has 0. `matches` is how many a deal has."""
    best = _fit(players, found, anchor, matches)
    rng = Random(1)  # noqa: S311 - the same table each time
    drawn = [_fit(players, _redrawn(found, rng), anchor, matches) for _ in range(SAMPLES)]
    told = []
    for name in players:
        spread = sorted(one[name] for one in drawn)
        own = [value for pair, values in found.items() if name in pair for value in _for(name, pair, values)]
        share = sum(own) / len(own) if own else 0.5
        told.append(Rated(name, best[name], spread[SAMPLES // 40], spread[-1 - SAMPLES // 40], share))
    return sorted(told, key=lambda one: -one.rating)


def _for(name: str, pair: Pair, values: Sequence[float]) -> list[float]:
    return [value if pair[0] == name else 1 - value for value in values]


def _redrawn(found: Shares, rng: Random) -> Shares:
    return {pair: rng.choices(values, k=len(values)) for pair, values in found.items() if values}


def _fit(players: Sequence[str], found: Shares, anchor: str, matches: int) -> dict[str, float]:
    """The strengths under which these wins are most likely, each worked out from the others until they rest."""
    wins = dict.fromkeys(players, 0.0)
    met: dict[Pair, float] = {}
    for (one, other), values in found.items():
        if values:
            won, count = sum(values) * matches + DRAWN, len(values) * matches + 2 * DRAWN
            wins[one] += won
            wins[other] += count - won
            met[one, other] = count
    strength = dict.fromkeys(players, 1.0)
    for _ in range(ROUNDS):
        weight = dict.fromkeys(players, 0.0)
        for (one, other), count in met.items():
            part = count / (strength[one] + strength[other])
            weight[one] += part
            weight[other] += part
        before = strength
        strength = {name: wins[name] / weight[name] if weight[name] else 1.0 for name in players}
        if all(abs(strength[name] - before[name]) <= REST * before[name] for name in players):
            break
    return {name: 400 * log10(strength[name] / strength[anchor]) for name in players}
