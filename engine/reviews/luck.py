"""Luck and skill: what the deals and draws of a match brought each seat.

The luck of a deal or draw is the expectation after it, less the mean over all alternatives; with the same evaluation
for both its mean is zero (as in AIVAT: Burch, Schmid, Moravcik, Morrill and Bowling, 2018). Every boneyard order is
equally likely. A position is valued in many of them (`engine.reviews.futures`), with the drawn tile swapped to the top.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Final

from engine.board.tiles import Tile
from engine.match.events import Dealt, Drew, Event
from engine.match.rounds import dealt
from engine.match.state import Match, evolve
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.prospects import in_any_order, margins
from engine.reviews.findings import Luck
from engine.reviews.futures import Futures

FUTURES: Final = 60_000  # rollouts per match: about four seconds of CPU time
FEWEST, MOST = 50, 1_000  # boneyard orders, at least and at most
DEALS: Final = 4  # how many times fewer deals than orders a deal is compared with; rotated seats keep the mean at 0


@dataclass(frozen=True, slots=True)
class Chance:
    """The luck of one deal or draw."""

    at: int  # index of its event, or of the last of several draws
    draws: int  # number of drawn tiles; 0 for a deal
    ahead: tuple[float, ...]  # points by seat
    error: tuple[float, ...]  # standard error of each


@dataclass(frozen=True, slots=True)
class RoundLuck:
    """The luck of a round."""

    round: int
    deal: Chance
    draws: tuple[Chance, ...]
    drawn: tuple[float, ...]  # points of all draws, by seat
    error: tuple[float, ...]
    """Standard error of `drawn`: smaller than the sum of errors, since all draws use the same orders."""


def worlds_of(log: Sequence[Event]) -> int:
    """Return the number of boneyard orders for the positions of a match."""
    drew = [event.seat if isinstance(event, Drew) else None for event in log]
    draws = sum(seat is not None and seat != before for before, seat in pairwise([None, *drew]))
    deals = sum(isinstance(event, Dealt) for event in log)
    return max(FEWEST, min(MOST, FUTURES // (2 * (deals + draws))))


def round_luck(match: Match, events: Sequence[tuple[int, Event]], weights: Weights, worlds: int, rng: Rng) -> RoundLuck:
    """Return the luck of a round. `match` is the match before its deal and does not change; `events` are the round's,
    with their indexes; `worlds` is the number of boneyard orders.
    """
    match, (first, opening) = match.copy(), events[0]
    assert isinstance(opening, Dealt), "a round begins with its deal"
    fair, unsure = _any_deal(match, opening, weights, 2 + worlds // DEALS, rng)
    evolve(match, opening)
    futures = Futures(match, weights)
    orders = [in_any_order(sorted(futures.boneyard), rng) for _ in range(worlds)]
    deal = _chance(first, 0, [_less(futures.ahead(order, rng), fair) for order in orders], unsure)
    draws: list[Chance] = []
    together = [[0.0] * len(match.seats) for _ in orders]
    at = 1
    while at < len(events):
        run = _run(events[at:], alone=match.rules.may_draw_freely)
        if run:
            brought = luck_of_draws([event.tile for _, event in run if event.tile], match, orders, weights, rng)
            together = [_more(*both) for both in zip(together, brought, strict=True)]
            draws.append(_chance(run[-1][0], len(run), brought))
        for _, event in run or events[at : at + 1]:
            evolve(match, event)
        at += max(1, len(run))
    whole = _chance(first, 0, together)
    return RoundLuck(opening.round, deal, tuple(draws), whole.ahead, whole.error)


def luck_of_draws(
    tiles: Sequence[Tile], match: Match, orders: list[list[int]], weights: Weights, rng: Rng
) -> list[list[float]]:
    """Return what these draws brought each seat, by boneyard order, and remove the tiles from the orders."""
    futures, bits = Futures(match, weights), match.board.tableau.table.bit
    came = [bits[tile] for tile in tiles]
    found = []
    for order in orders:
        other = futures.ahead(order, rng, draws=1)
        for bit in came:
            order[order.index(bit)] = order[-1]
            order.pop()
        real = futures.ahead([*order, *reversed(came)], rng, draws=len(came))
        found.append(_less(real, other))
    return found


def lucks(
    rounds: Iterable[RoundLuck], totals: Sequence[float], lost: Sequence[tuple[float, float]]
) -> tuple[Luck, ...]:
    """Return the parts of each seat's result, from the totals and the points `lost` with their standard errors."""
    rounds, result, others = list(rounds), margins(totals), len(totals) - 1
    skill = [-points for points in margins([points for points, _ in lost])]
    found = []
    for seat, points in enumerate(result):
        deal = sum(one.deal.ahead[seat] for one in rounds)
        draws = sum(one.drawn[seat] for one in rounds)
        unsure = [error if other == seat else error / others for other, (_, error) in enumerate(lost)]
        found.append(
            Luck(
                deal=deal,
                draws=draws,
                skill=skill[seat],
                rest=points - deal - draws - skill[seat],
                error=sqrt(sum(one.deal.error[seat] ** 2 + one.error[seat] ** 2 for one in rounds)),
                skill_error=sqrt(sum(error**2 for error in unsure)),
            )
        )
    return tuple(found)


def _any_deal(
    match: Match, opening: Dealt, weights: Weights, deals: int, rng: Rng
) -> tuple[Sequence[float], Sequence[float]]:
    """Return each seat's mean expectation over random deals of this round, with its standard error."""
    found, active = [], match.active
    for _ in range(deals):
        order, opens = in_any_order(match.rules.tiles, rng), rng.randrange(len(active))
        sides = []
        for by in range(len(active)):
            seats, lot = [*active[by:], *active[:by]], (opens + by) % len(active)
            going = match.copy()
            evolve(going, dealt(match.rules, seats, len(match.seats), opening.round, order, lot))
            futures = Futures(going, weights)
            sides.append(futures.ahead(futures.boneyard, rng))
        found.append([sum(column) / len(sides) for column in zip(*sides, strict=True)])
    mean = _chance(0, 0, found)
    return mean.ahead, mean.error


def _run(events: Sequence[tuple[int, Event]], *, alone: bool) -> list[tuple[int, Drew]]:
    """Return the leading draws: consecutive forced draws of one seat, or a single voluntary one."""
    found: list[tuple[int, Drew]] = []
    for at, event in events:
        if not isinstance(event, Drew) or (found and (alone or found[0][1].seat != event.seat)):
            break
        found.append((at, event))
    return found


def _chance(at: int, draws: int, brought: Sequence[Sequence[float]], unsure: Sequence[float] = ()) -> Chance:
    """Return the mean with its standard error; `unsure` is an additional error."""
    count, mean, errors = len(brought), [], []
    for seat, column in enumerate(zip(*brought, strict=True)):
        middle = sum(column) / count
        spread = sum((points - middle) ** 2 for points in column) / max(1, count - 1) / count
        mean.append(middle)
        errors.append(sqrt(spread + (unsure[seat] ** 2 if unsure else 0.0)))
    return Chance(at, draws, tuple(mean), tuple(errors))


def _more(some: Sequence[float], others: Sequence[float]) -> list[float]:
    return [one + other for one, other in zip(some, others, strict=True)]


def _less(some: Sequence[float], others: Sequence[float]) -> list[float]:
    return [one - other for one, other in zip(some, others, strict=True)]
