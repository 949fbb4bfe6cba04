"""The course of a match: every seat's expectation after each event, and the decisive turns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine.match.events import MatchEnded, RoundEnded
from engine.match.state import Match
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.prospects import compute_margins, copy_shuffled
from engine.reviews.course import CourseEntry, Decision
from engine.reviews.findings import Expectation
from engine.reviews.futures import PositionEvaluator, compute_match_results

MAX_ORDERS: Final = 96  # boneyard orders per position, usually
MAX_ROLLOUTS: Final = 40_000  # rollouts per curve, which limit the orders in a long match
MIN_ORDERS: Final = 4
MAX_MOMENTS: Final = 3  # decisive turns, at most
MIN_DECISIVE_POINTS: Final = 1.0  # points that a decisive turn brought, at least


def count_curve_orders(events: int) -> int:
    """Return the boneyard orders for a curve of so many events."""
    return max(MIN_ORDERS, min(MAX_ORDERS, MAX_ROLLOUTS // max(1, events)))


def compute_curve(entries: Sequence[CourseEntry], weights: Weights, count: int, rng: Rng) -> list[Expectation]:
    """Return the expectation after each event of a round. All use the same `count` boneyard orders, so that differences
    are more certain than values. The act that ended the round has its real result: awards or wins.
    """
    dealt = entries[0].match
    orders = [copy_shuffled([dealt.board.to_mask([tile]) for tile in dealt.boneyard], rng) for _ in range(count)]
    found, act = list[Expectation](), entries[0]
    for entry, after in zip(entries, [*entries[1:], None], strict=True):
        match, is_final = entry.match, isinstance(entry.event, RoundEnded | MatchEnded)
        act = act if is_final else entry
        if after is not None and isinstance(after.event, RoundEnded | MatchEnded):
            continue
        if is_final:
            leads, error = compute_margins(compute_match_results(match, weights)), 0.0
        else:
            leads, error = _compute_expected_leads(match, orders, weights, rng)
        seat, rounded = getattr(act.event, "seat", None), tuple(round(points, 3) for points in leads)
        found.append(Expectation(at=act.at, round=match.round, ahead=rounded, error=error, seat=seat))
    return found


def _compute_expected_leads(
    match: Match, orders: Iterable[Sequence[int]], weights: Weights, rng: Rng
) -> tuple[list[float], float]:
    futures = PositionEvaluator(match, weights)
    left = set(futures.boneyard)
    found = [futures.compute_leads([bit for bit in order if bit in left], rng) for order in orders]
    columns = list(zip(*found, strict=True))
    leads = [sum(column) / len(found) for column in columns]
    spread = sum((one - leads[0]) ** 2 for one in columns[0]) / (len(found) - 1)
    return leads, round((spread / len(found)) ** 0.5, 3)


@dataclass(frozen=True, slots=True)
class Swing:
    at: int  # its last event
    before: Expectation
    after: Expectation

    def compute_gain(self, seat: int) -> float:
        """Return the points that the turn brought this seat."""
        return self.after.ahead[seat] - self.before.ahead[seat]


def list_swings(curve: Iterable[Expectation]) -> list[Swing]:
    """Return the turns of a match: consecutive acts of one seat. A deal belongs to none."""
    found = list[Swing]()
    turn_seat: int | None = None
    for before, point in pairwise(curve):
        if point.round != before.round:
            turn_seat = None
        elif point.seat != turn_seat:
            found.append(Swing(point.at, before, point))
            turn_seat = point.seat
        else:
            found.append(Swing(point.at, found.pop().before, point))
    return found


def list_moments(curve: Iterable[Expectation], winner: int) -> tuple[int, ...]:
    """Return the turns that brought most to the winner, each by its last event, in the order of play."""
    gains = [(turn.compute_gain(winner), turn.at) for turn in list_swings(curve)]
    most = sorted([one for one in gains if one[0] >= MIN_DECISIVE_POINTS], reverse=True)[:MAX_MOMENTS]
    return tuple(sorted(at for _, at in most))


def order_rounds(decisions: Sequence[Sequence[Decision]], curve: Iterable[Expectation]) -> list[int]:
    """Return the order in which to review rounds: by the apparent cost of their choices, with all hands known."""
    lost = {}
    for before, point in pairwise(curve):
        lost[point.at] = [one - other for one, other in zip(before.ahead, point.ahead, strict=True)]
    apparent_costs = [
        sum(max(0.0, lost[one.at][one.action.seat]) for one in played if one.at in lost) for played in decisions
    ]
    return sorted(range(len(decisions)), key=lambda number: -apparent_costs[number])
