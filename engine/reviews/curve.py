"""How a match went: what it promised everybody after each event, and the turns at which it was decided."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine.match.events import MatchEnded, RoundEnded
from engine.match.state import Match
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.prospects import in_any_order, margins
from engine.reviews.course import Decision, Stood
from engine.reviews.findings import Expected
from engine.reviews.futures import Futures, result_of

ORDERS: Final = 96
"""Orders of the boneyard in which each position is played on, usually."""
PLAYOUTS: Final = 40_000
"""In a long match they are fewer: so many play-outs are made for a whole curve."""
FEWEST_ORDERS: Final = 4
MOMENTS: Final = 3
"""So many turns are told to have decided a match, at most."""
TELLING: Final = 1.0
"""So many points a turn must have brought for that."""


def orders_for(events: int) -> int:
    """The orders of the boneyard for a curve of so many events."""
    return max(FEWEST_ORDERS, min(ORDERS, PLAYOUTS // max(1, events)))


def curve_of(stood: Sequence[Stood], weights: Weights, count: int, rng: Rng) -> list[Expected]:
    """What a round promised after each of its events. All are played on in the same `count` orders of the boneyard, so
    that what differs between two of them is less chance than either. Of the act that ended the round it is what came
    of it: the awards, or who won, are counted where they were earned.
    """
    dealt = stood[0].match
    orders = [in_any_order([dealt.board.hand([tile]) for tile in dealt.boneyard], rng) for _ in range(count)]
    found, act = list[Expected](), stood[0]
    for one, after in zip(stood, [*stood[1:], None], strict=True):
        match, counted = one.match, isinstance(one.event, RoundEnded | MatchEnded)
        act = act if counted else one
        if after is not None and isinstance(after.event, RoundEnded | MatchEnded):
            continue
        ahead, error = (margins(result_of(match, weights)), 0.0) if counted else _promised(match, orders, weights, rng)
        seat, rounded = getattr(act.event, "seat", None), tuple(round(points, 3) for points in ahead)
        found.append(Expected(at=act.at, round=match.round, ahead=rounded, error=error, seat=seat))
    return found


def _promised(match: Match, orders: Iterable[Sequence[int]], weights: Weights, rng: Rng) -> tuple[list[float], float]:
    futures = Futures(match, weights)
    left = set(futures.boneyard)
    found = [futures.ahead([bit for bit in order if bit in left], rng) for order in orders]
    columns = list(zip(*found, strict=True))
    ahead = [sum(column) / len(found) for column in columns]
    spread = sum((one - ahead[0]) ** 2 for one in columns[0]) / (len(found) - 1)
    return ahead, round((spread / len(found)) ** 0.5, 3)


@dataclass(frozen=True, slots=True)
class Swing:
    """What a turn changed."""

    at: int
    """Its last act."""
    before: Expected
    after: Expected

    def brought(self, seat: int) -> float:
        """The points by which it brought this seat forward."""
        return self.after.ahead[seat] - self.before.ahead[seat]


def swings(curve: Iterable[Expected]) -> list[Swing]:
    """The turns of a match: what one seat did. A deal belongs to none."""
    found = list[Swing]()
    whose: int | None = None
    for before, point in pairwise(curve):
        if point.round != before.round:
            whose = None
        elif point.seat != whose:
            found.append(Swing(point.at, before, point))
            whose = point.seat
        else:
            found.append(Swing(point.at, found.pop().before, point))
    return found


def moments_of(curve: Iterable[Expected], winner: int) -> tuple[int, ...]:
    """The turns that brought most to whoever won, each by its last act, in the order of play."""
    decided = [(turn.brought(winner), turn.at) for turn in swings(curve)]
    most = sorted([one for one in decided if one[0] >= TELLING], reverse=True)[:MOMENTS]
    return tuple(sorted(at for _, at in most))


def order_of_rounds(asked: Sequence[Sequence[Decision]], curve: Iterable[Expected]) -> list[int]:
    """In which order to look at the rounds: by what their choices seem to have cost, with all hands known."""
    lost = {}
    for before, point in pairwise(curve):
        lost[point.at] = [one - other for one, other in zip(before.ahead, point.ahead, strict=True)]
    seems = [sum(max(0.0, lost[one.at][one.made.seat]) for one in played if one.at in lost) for played in asked]
    return sorted(range(len(asked)), key=lambda number: -seems[number])
