"""The course of a match: every seat's expectation after each event, and the decisive turns."""

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

ORDERS: Final = 96  # boneyard orders per position, usually
PLAYOUTS: Final = 40_000  # rollouts per curve, which limit the orders in a long match
FEWEST_ORDERS: Final = 4
MOMENTS: Final = 3  # decisive turns, at most
TELLING: Final = 1.0  # points that a decisive turn brought, at least


def orders_for(events: int) -> int:
    """Return the boneyard orders for a curve of so many events."""
    return max(FEWEST_ORDERS, min(ORDERS, PLAYOUTS // max(1, events)))


def curve_of(stood: Sequence[Stood], weights: Weights, count: int, rng: Rng) -> list[Expected]:
    """Return the expectation after each event of a round. All use the same `count` boneyard orders, so that differences
    are more certain than values. The act that ended the round has its real result: awards or wins.
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
    """The change by a turn."""

    at: int  # its last event
    before: Expected
    after: Expected

    def brought(self, seat: int) -> float:
        """Return the points that it brought this seat."""
        return self.after.ahead[seat] - self.before.ahead[seat]


def swings(curve: Iterable[Expected]) -> list[Swing]:
    """Return the turns of a match: consecutive acts of one seat. A deal belongs to none."""
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
    """Return the turns that brought most to the winner, each by its last event, in the order of play."""
    decided = [(turn.brought(winner), turn.at) for turn in swings(curve)]
    most = sorted([one for one in decided if one[0] >= TELLING], reverse=True)[:MOMENTS]
    return tuple(sorted(at for _, at in most))


def order_of_rounds(asked: Sequence[Sequence[Decision]], curve: Iterable[Expected]) -> list[int]:
    """Return the order in which to review rounds: by the apparent cost of their choices, with all hands known."""
    lost = {}
    for before, point in pairwise(curve):
        lost[point.at] = [one - other for one, other in zip(before.ahead, point.ahead, strict=True)]
    seems = [sum(max(0.0, lost[one.at][one.made.seat]) for one in played if one.at in lost) for played in asked]
    return sorted(range(len(asked)), key=lambda number: -seems[number])
