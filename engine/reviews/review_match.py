"""Looks back on a match that is over: first how it went, then its choices, the costliest round first.

    reviewer = Reviewer(weights, lambda name: Random(f"{seed} {name}"))
    for progress in reviewer.progress(log):
        print(progress.done, progress.of)
    review = progress.review

Everything has a chance of its own, so that the same seed finds the same.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.match.actions import Action, Play
from engine.match.events import Drew, Event, MatchEnded, Started
from engine.match.player_view import PlayerView, view_for
from engine.match.state import started
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.prospects import Prospects, counts_wins
from engine.reviews.costs import Effort, cost
from engine.reviews.course import Decision, asked_in, ply_of, rounds_of
from engine.reviews.curve import curve_of, moments_of, order_of_rounds, orders_for
from engine.reviews.findings import (
    REVIEW_VERSION,
    ChoiceReview,
    Expected,
    Luck,
    LuckyDraw,
    Review,
    luckiest,
    seat_review,
)
from engine.reviews.futures import result_of
from engine.reviews.luck import Chance, RoundLuck, lucks, round_luck, worlds_of

Chances = Callable[[str], Rng]
"""A source of chance for whatever has a name."""


@dataclass(frozen=True, slots=True)
class SoFar:
    """How far a review is."""

    done: int
    of: int
    review: Review
    """What was found so far."""


class Reviewer:
    """Reviews matches of one game."""

    def __init__(self, weights: Weights, chance: Chances, effort: Effort | None = None) -> None:
        self.weights: Final = weights
        self.chance: Final = chance
        self.effort: Final = effort or Effort()

    def review(self, log: Sequence[Event]) -> Review:
        """All there is to find in a match, given in its own events. Raises NotOverError where it still runs."""
        *_, last = self.progress(log)
        return last.review

    def progress(self, log: Sequence[Event]) -> Iterator[SoFar]:
        """The review as it comes along; the last is whole. Raises NotOverError where the match still runs."""
        rounds = rounds_of(log)
        first = log[0]
        assert isinstance(first, Started)
        asked = [asked_in(stood) for stood in rounds]
        wins = counts_wins(first.rules, self.weights)
        effort = self.effort.for_choices(sum(map(len, asked)), wins=wins)
        part = effort.orders
        orders, orders_of_curve = max(2, round(worlds_of(log) * part)), max(2, round(orders_for(len(log)) * part))
        found = Found(first.seats, wins)
        done, of = 0, sum(map(len, asked)) + 2 * len(rounds)
        for number, stood in enumerate(rounds):
            found.curve += curve_of(stood, self.weights, orders_of_curve, self.chance(f"curve {number}"))
            done += 1
            yield SoFar(done, of, found.review())
        ended = log[-1]
        assert isinstance(ended, MatchEnded)
        found.moments = moments_of(found.curve, ended.places.index(1))
        brought = list[RoundLuck]()
        for number in order_of_rounds(asked, found.curve):
            for one in asked[number]:
                found.choices.append(self._choice(one, effort))
                done += 1
                yield SoFar(done, of, found.review())
            found.rounds.append(number + 1)
            before = rounds[number - 1][-1].match if number else started(first)
            events, rng = [(one.at, one.event) for one in rounds[number]], self.chance(f"luck {number}")
            luck = round_luck(before, events, self.weights, orders, rng)
            brought.append(luck)
            found.draws += [_drawn(log, luck.round, one) for one in luck.draws]
            done += 1
            if done == of:
                found.luck = lucks(brought, result_of(rounds[-1][-1].match, self.weights), found.lost())
            yield SoFar(done, of, found.review())

    def _choice(self, asked: Decision, effort: Effort) -> ChoiceReview:
        before, seat = asked.before, asked.before.turn
        seen = view_for(before, seat)
        prospects = Prospects(seen, self.weights, self.chance(f"choice {asked.at}"))
        made = ply_of(prospects.one, prospects.moves, asked.made)
        assert made is not None
        found = cost(prospects, made, effort)
        review = ChoiceReview(
            at=asked.at,
            round=before.round,
            seat=seat,
            made=asked.made,
            best=asked.made if found.best == made else prospects.one.action(found.best),
            cost=round(found.points, 3),
            error=round(found.error, 3),
            worlds=found.deals,
            options=len(prospects.moves),
        )
        if review.label == "good":
            return review
        hexagons, bridge = missed(seen, asked.made)
        return replace(review, missed_hexagons=hexagons, missed_bridge=bridge)


def _drawn(log: Sequence[Event], number: int, drew: Chance) -> LuckyDraw:
    """What came in a draw, for the seat that drew."""
    event = log[drew.at]
    assert isinstance(event, Drew)
    ahead, error = round(drew.ahead[event.seat], 3), round(drew.error[event.seat], 3)
    return LuckyDraw(at=drew.at, round=number, seat=event.seat, tiles=drew.draws, ahead=ahead, error=error)


@dataclass(slots=True)
class Found:
    """What a review has found so far."""

    seats: int
    wins: bool
    rounds: list[int] = field(default_factory=list)
    choices: list[ChoiceReview] = field(default_factory=list)
    curve: list[Expected] = field(default_factory=list)
    moments: tuple[int, ...] = ()
    luck: Sequence[Luck | None] = ()
    draws: list[LuckyDraw] = field(default_factory=list)

    def lost(self) -> list[tuple[float, float]]:
        """What each seat's choices cost, with the standard error of that."""
        seats = [seat_review(seat, self.choices) for seat in range(self.seats)]
        return [(one.lost, one.error) for one in seats]

    def review(self) -> Review:
        """As a value."""
        luck = self.luck or [None] * self.seats
        return Review(
            version=REVIEW_VERSION,
            wins=self.wins,
            seats=tuple(seat_review(seat, self.choices, luck[seat], wins=self.wins) for seat in range(self.seats)),
            rounds=tuple(self.rounds),
            choices=tuple(sorted(self.choices, key=lambda one: one.at)),
            curve=tuple(self.curve),
            moments=self.moments,
            draws=luckiest(self.draws),
        )


def missed(seen: PlayerView, made: Action) -> tuple[int, bool]:
    """How many more hexagons could have been closed, and whether a bridge could have been made and none was."""
    if seen.reward is not None:
        return 0, False
    moves = {(move.placement.tile, move.placement.cell, move.placement.rotation): move for move in seen.moves}
    mine = moves.get((made.tile, made.cell, made.rotation)) if isinstance(made, Play) else None
    hexagons = max((move.hexagons for move in seen.moves), default=0) - (mine.hexagons if mine else 0)
    return hexagons, any(move.bridge for move in seen.moves) and not (mine and mine.bridge)
