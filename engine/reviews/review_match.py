"""Review a finished match: first its course, then its choices, the costliest round first.

Each part has its own random source, so that the same seed gives the same review.
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
from engine.reviews import findings
from engine.reviews.costs import Effort, cost
from engine.reviews.course import Decision, asked_in, ply_of, rounds_of
from engine.reviews.curve import curve_of, moments_of, order_of_rounds, orders_for
from engine.reviews.futures import result_of
from engine.reviews.luck import Chance, RoundLuck, lucks, round_luck, worlds_of

Chances = Callable[[str], Rng]  # a random source by name


@dataclass(frozen=True, slots=True)
class SoFar:
    """The progress of a review."""

    done: int
    of: int
    review: findings.Review  # the results so far


class Reviewer:
    """Reviews matches of one game."""

    def __init__(self, weights: Weights, chance: Chances, effort: Effort | None = None) -> None:
        self.weights: Final = weights
        self.chance: Final = chance
        self.effort: Final = effort or Effort()

    def review(self, log: Sequence[Event]) -> findings.Review:
        """Return the full review of a match from its events. Raises NotOverError while it runs."""
        *_, last = self.progress(log)
        return last.review

    def progress(self, log: Sequence[Event]) -> Iterator[SoFar]:
        """Yield the review in progress; the last one is complete. Raises NotOverError while the match runs."""
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

    def _choice(self, asked: Decision, effort: Effort) -> findings.ChoiceReview:
        before, seat = asked.before, asked.before.turn
        seen = view_for(before, seat)
        prospects = Prospects(seen, self.weights, self.chance(f"choice {asked.at}"))
        made = ply_of(prospects.one, prospects.moves, asked.made)
        assert made is not None
        found = cost(prospects, made, effort)
        review = findings.ChoiceReview(
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


def _drawn(log: Sequence[Event], number: int, drew: Chance) -> findings.LuckyDraw:
    event = log[drew.at]
    assert isinstance(event, Drew)
    ahead, error = round(drew.ahead[event.seat], 3), round(drew.error[event.seat], 3)
    return findings.LuckyDraw(at=drew.at, round=number, seat=event.seat, tiles=drew.draws, ahead=ahead, error=error)


@dataclass(slots=True)
class Found:
    """The results of a review so far."""

    seats: int
    wins: bool
    rounds: list[int] = field(default_factory=list)
    choices: list[findings.ChoiceReview] = field(default_factory=list)
    curve: list[findings.Expected] = field(default_factory=list)
    moments: tuple[int, ...] = ()
    luck: Sequence[findings.Luck | None] = ()
    draws: list[findings.LuckyDraw] = field(default_factory=list)

    def lost(self) -> list[tuple[float, float]]:
        """Return the cost of each seat's choices, with its standard error."""
        seats = [findings.seat_review(seat, self.choices) for seat in range(self.seats)]
        return [(one.lost, one.error) for one in seats]

    def review(self) -> findings.Review:
        luck = self.luck or [None] * self.seats
        return findings.Review(
            version=findings.REVIEW_VERSION,
            wins=self.wins,
            seats=tuple(
                findings.seat_review(seat, self.choices, luck[seat], wins=self.wins) for seat in range(self.seats)
            ),
            rounds=tuple(self.rounds),
            choices=tuple(sorted(self.choices, key=lambda one: one.at)),
            curve=tuple(self.curve),
            moments=self.moments,
            draws=findings.luckiest(self.draws),
        )


def missed(seen: PlayerView, made: Action) -> tuple[int, bool]:
    """Return how many more hexagons could have been closed, and whether a possible bridge was missed."""
    if seen.reward is not None:
        return 0, False
    moves = {(move.placement.tile, move.placement.cell, move.placement.rotation): move for move in seen.moves}
    mine = moves.get((made.tile, made.cell, made.rotation)) if isinstance(made, Play) else None
    hexagons = max((move.hexagons for move in seen.moves), default=0) - (mine.hexagons if mine else 0)
    return hexagons, any(move.bridge for move in seen.moves) and not (mine and mine.bridge)
