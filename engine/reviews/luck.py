"""Luck and skill: what the deals and draws of a match brought each seat.

The luck of a deal or draw is the expectation after it, less the mean over all alternatives; with the same evaluation
for both its mean is zero (as in AIVAT: Burch, Schmid, Moravcik, Morrill and Bowling, 2018). Every boneyard order is
equally likely. A position is valued in many of them (`engine.reviews.futures`), with the drawn tile swapped to the top.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from operator import add
from typing import Final

from engine.board.tiles import Tile
from engine.match.events import Dealt, Drew, Event
from engine.match.rounds import deal_in_order
from engine.match.state import Match, apply_event
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.prospects import compute_margins, copy_shuffled
from engine.reviews.findings import Luck
from engine.reviews.futures import PositionEvaluator

MAX_ROLLOUTS: Final = 60_000  # rollouts per match: about four seconds of CPU time
MIN_ORDERS, MAX_ORDERS = 50, 1_000  # boneyard orders, at least and at most
ORDERS_PER_DEAL: Final = 4  # a deal is compared with so many times fewer deals; rotated seats keep the mean at 0


@dataclass(frozen=True, slots=True)
class EventLuck:
    at: int  # index of its event, or of the last of several draws
    draws: int  # number of drawn tiles; 0 for a deal
    ahead: tuple[float, ...]  # points by seat
    error: tuple[float, ...]  # standard error of each


@dataclass(frozen=True, slots=True)
class RoundLuck:
    round: int
    deal: EventLuck
    draws: tuple[EventLuck, ...]
    draw_points: tuple[float, ...]  # points of all draws, by seat
    error: tuple[float, ...]
    """Standard error of `draw_points`: smaller than the sum of errors, since all draws use the same orders."""


def count_luck_orders(log: Sequence[Event]) -> int:
    """Return the number of boneyard orders for the positions of a match."""
    draw_seats = [event.seat if isinstance(event, Drew) else None for event in log]
    draws = sum(seat is not None and seat != before for before, seat in pairwise([None, *draw_seats]))
    deals = sum(isinstance(event, Dealt) for event in log)
    return max(MIN_ORDERS, min(MAX_ORDERS, MAX_ROLLOUTS // (2 * (deals + draws))))


def compute_round_luck(
    match: Match, events: Sequence[tuple[int, Event]], weights: Weights, order_count: int, rng: Rng
) -> RoundLuck:
    """Return the luck of a round. `match` is the match before its deal and does not change; `events` are the round's,
    with their indexes; `order_count` is the number of boneyard orders.
    """
    match, (first, opening) = match.copy(), events[0]
    assert isinstance(opening, Dealt), "a round begins with its deal"
    fair, errors = _average_random_deals(match, opening, weights, 2 + order_count // ORDERS_PER_DEAL, rng)
    apply_event(match, opening)
    evaluator = PositionEvaluator(match, weights)
    orders = [copy_shuffled(sorted(evaluator.boneyard), rng) for _ in range(order_count)]
    deal_gains = [_subtract(evaluator.compute_leads(order, rng), fair) for order in orders]
    deal = _build_event_luck(first, 0, deal_gains, errors)
    draws: list[EventLuck] = []
    sums = [[0.0] * len(match.seats) for _ in orders]
    at = 1
    while at < len(events):
        run = _list_leading_draws(events[at:], voluntary=match.rules.may_draw_freely)
        if run:
            gains = compute_draw_luck([event.tile for _, event in run if event.tile], match, orders, weights, rng)
            sums = [[*map(add, *both)] for both in zip(sums, gains, strict=True)]
            draws.append(_build_event_luck(run[-1][0], len(run), gains))
        for _, event in run or events[at : at + 1]:
            apply_event(match, event)
        at += max(1, len(run))
    whole = _build_event_luck(first, 0, sums)
    return RoundLuck(opening.round, deal, tuple(draws), whole.ahead, whole.error)


def compute_draw_luck(
    tiles: Sequence[Tile], match: Match, orders: list[list[int]], weights: Weights, rng: Rng
) -> list[list[float]]:
    """Return what these draws brought each seat, by boneyard order, and remove the tiles from the orders."""
    evaluator, bits = PositionEvaluator(match, weights), match.board.tableau.table.bit_by_tile
    drawn_bits = [bits[tile] for tile in tiles]
    found = []
    for order in orders:
        other = evaluator.compute_leads(order, rng, draws=1)
        for bit in drawn_bits:
            order[order.index(bit)] = order[-1]
            order.pop()
        real = evaluator.compute_leads([*order, *reversed(drawn_bits)], rng, draws=len(drawn_bits))
        found.append(_subtract(real, other))
    return found


def compute_match_luck(
    rounds: Iterable[RoundLuck], totals: Sequence[float], lost: Sequence[tuple[float, float]]
) -> tuple[Luck, ...]:
    """Return the parts of each seat's result, from the totals and the points `lost` with their standard errors."""
    rounds, result, others = list(rounds), compute_margins(totals), len(totals) - 1
    skill = [-points for points in compute_margins([points for points, _ in lost])]
    found = []
    for seat, points in enumerate(result):
        deal = sum(one.deal.ahead[seat] for one in rounds)
        draws = sum(one.draw_points[seat] for one in rounds)
        errors = [error if other == seat else error / others for other, (_, error) in enumerate(lost)]
        found.append(
            Luck(
                deal=deal,
                draws=draws,
                skill=skill[seat],
                rest=points - deal - draws - skill[seat],
                error=sqrt(sum(one.deal.error[seat] ** 2 + one.error[seat] ** 2 for one in rounds)),
                skill_error=sqrt(sum(error**2 for error in errors)),
            )
        )
    return tuple(found)


def _average_random_deals(
    match: Match, opening: Dealt, weights: Weights, deals: int, rng: Rng
) -> tuple[Sequence[float], Sequence[float]]:
    """Return each seat's mean expectation over random deals of this round, with its standard error."""
    found, active = [], match.active
    for _ in range(deals):
        order, opens = copy_shuffled(match.rules.tiles, rng), rng.randrange(len(active))
        sides = []
        for by in range(len(active)):
            seats, lot = [*active[by:], *active[:by]], (opens + by) % len(active)
            dealt_match = match.copy()
            apply_event(dealt_match, deal_in_order(match.rules, seats, len(match.seats), opening.round, order, lot))
            evaluator = PositionEvaluator(dealt_match, weights)
            sides.append(evaluator.compute_leads(evaluator.boneyard, rng))
        found.append([sum(column) / len(sides) for column in zip(*sides, strict=True)])
    mean = _build_event_luck(0, 0, found)
    return mean.ahead, mean.error


def _list_leading_draws(events: Sequence[tuple[int, Event]], *, voluntary: bool) -> list[tuple[int, Drew]]:
    """Return the leading draws: consecutive forced draws of one seat, or a single voluntary one."""
    found: list[tuple[int, Drew]] = []
    for at, event in events:
        if not isinstance(event, Drew) or (found and (voluntary or found[0][1].seat != event.seat)):
            break
        found.append((at, event))
    return found


def _build_event_luck(
    at: int, draws: int, gains: Sequence[Sequence[float]], extra_errors: Sequence[float] = ()
) -> EventLuck:
    """Return the mean with its standard error; `unsure` is an additional error."""
    count, mean, errors = len(gains), [], []
    for seat, column in enumerate(zip(*gains, strict=True)):
        average = sum(column) / count
        spread = sum((points - average) ** 2 for points in column) / max(1, count - 1) / count
        mean.append(average)
        errors.append(sqrt(spread + (extra_errors[seat] ** 2 if extra_errors else 0.0)))
    return EventLuck(at, draws, tuple(mean), tuple(errors))


def _subtract(some: Sequence[float], others: Sequence[float]) -> list[float]:
    return [one - other for one, other in zip(some, others, strict=True)]
