"""Review a finished match: first its course, then its choices, the costliest round first.

Each part has its own random source, so that the same seed gives the same review.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.match.actions import Action, Play
from engine.match.events import Drew, Event, MatchEnded, Started
from engine.match.player_view import PlayerView, view_for
from engine.match.state import create_match
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.prospects import MoveEvaluator, is_valued_in_wins
from engine.reviews import findings
from engine.reviews.costs import Effort, compute_cost
from engine.reviews.course import Decision, find_ply, list_decisions, list_rounds
from engine.reviews.curve import compute_curve, count_curve_orders, list_moments, order_rounds
from engine.reviews.futures import compute_match_results
from engine.reviews.luck import EventLuck, RoundLuck, compute_match_luck, compute_round_luck, count_luck_orders

RngFactory = Callable[[str], Rng]  # a random source by name


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    done: int
    total: int
    review: findings.Review  # the results so far


class Reviewer:
    def __init__(self, weights: Weights, create_rng: RngFactory, effort: Effort | None = None) -> None:
        self.weights: Final = weights
        self.create_rng: Final = create_rng
        self.effort: Final = effort or Effort()

    def review(self, log: Sequence[Event]) -> findings.Review:
        """Return the full review of a match from its events. Raises NotOverError while it runs."""
        *_, last = self.iterate_progress(log)
        return last.review

    def iterate_progress(self, log: Sequence[Event]) -> Iterator[ReviewProgress]:
        """Yield the review in progress; the last one is complete. Raises NotOverError while the match runs."""
        rounds = list_rounds(log)
        first = log[0]
        assert isinstance(first, Started)
        decisions = [list_decisions(entries) for entries in rounds]
        wins = is_valued_in_wins(first.rules, self.weights)
        effort = self.effort.share_between_choices(sum(map(len, decisions)), wins=wins)
        orders = max(2, round(count_luck_orders(log) * effort.orders))
        orders_of_curve = max(2, round(count_curve_orders(len(log)) * effort.orders))
        found = PartialReview(first.seats, wins)
        done, total = 0, sum(map(len, decisions)) + 2 * len(rounds)
        for number, stood in enumerate(rounds):
            found.curve += compute_curve(stood, self.weights, orders_of_curve, self.create_rng(f"curve {number}"))
            done += 1
            yield ReviewProgress(done, total, found.build_review())
        ended = log[-1]
        assert isinstance(ended, MatchEnded)
        found.moments = list_moments(found.curve, ended.places.index(1))
        round_lucks = list[RoundLuck]()
        for number in order_rounds(decisions, found.curve):
            for one in decisions[number]:
                found.choices.append(self._review_choice(one, effort))
                done += 1
                yield ReviewProgress(done, total, found.build_review())
            found.rounds.append(number + 1)
            before = rounds[number - 1][-1].match if number else create_match(first)
            events, rng = [(one.at, one.event) for one in rounds[number]], self.create_rng(f"luck {number}")
            luck = compute_round_luck(before, events, self.weights, orders, rng)
            round_lucks.append(luck)
            found.draws += [_build_lucky_draw(log, luck.round, one) for one in luck.draws]
            done += 1
            if done == total:
                results = compute_match_results(rounds[-1][-1].match, self.weights)
                found.luck = compute_match_luck(round_lucks, results, found.list_lost_points())
            yield ReviewProgress(done, total, found.build_review())

    def _review_choice(self, decision: Decision, effort: Effort) -> findings.ChoiceReview:
        before, seat = decision.before, decision.before.turn
        view = view_for(before, seat)
        evaluator = MoveEvaluator(view, self.weights, self.create_rng(f"choice {decision.at}"))
        played = find_ply(evaluator.simulation, evaluator.moves, decision.action)
        assert played is not None
        found = compute_cost(evaluator, played, effort)
        review = findings.ChoiceReview(
            at=decision.at,
            round=before.round,
            seat=seat,
            made=decision.action,
            best=decision.action if found.best == played else evaluator.simulation.to_action(found.best),
            cost=round(found.points, 3),
            error=round(found.error, 3),
            worlds=found.deals,
            options=len(evaluator.moves),
        )
        if review.label == "good":
            return review
        hexagons, bridge = find_missed_bonuses(view, decision.action)
        return replace(review, missed_hexagons=hexagons, missed_bridge=bridge)


def _build_lucky_draw(log: Sequence[Event], number: int, luck: EventLuck) -> findings.LuckyDraw:
    event = log[luck.at]
    assert isinstance(event, Drew)
    lead, error = round(luck.ahead[event.seat], 3), round(luck.error[event.seat], 3)
    return findings.LuckyDraw(at=luck.at, round=number, seat=event.seat, tiles=luck.draws, ahead=lead, error=error)


@dataclass(slots=True)
class PartialReview:
    seats: int
    wins: bool
    rounds: list[int] = field(default_factory=list)
    choices: list[findings.ChoiceReview] = field(default_factory=list)
    curve: list[findings.Expectation] = field(default_factory=list)
    moments: tuple[int, ...] = ()
    luck: Sequence[findings.Luck | None] = ()
    draws: list[findings.LuckyDraw] = field(default_factory=list)

    def list_lost_points(self) -> list[tuple[float, float]]:
        """Return the cost of each seat's choices, with its standard error."""
        seats = [findings.build_seat_review(seat, self.choices) for seat in range(self.seats)]
        return [(one.lost, one.error) for one in seats]

    def build_review(self) -> findings.Review:
        luck = self.luck or [None] * self.seats
        return findings.Review(
            version=findings.REVIEW_VERSION,
            wins=self.wins,
            seats=tuple(
                findings.build_seat_review(seat, self.choices, luck[seat], wins=self.wins) for seat in range(self.seats)
            ),
            rounds=tuple(self.rounds),
            choices=tuple(sorted(self.choices, key=lambda one: one.at)),
            curve=tuple(self.curve),
            moments=self.moments,
            draws=findings.list_luckiest(self.draws),
        )


def find_missed_bonuses(view: PlayerView, action: Action) -> tuple[int, bool]:
    """Return how many more hexagons could have been closed, and whether a possible bridge was missed."""
    if view.reward is not None:
        return 0, False
    moves = {(move.placement.tile, move.placement.cell, move.placement.rotation): move for move in view.moves}
    chosen_move = moves.get((action.tile, action.cell, action.rotation)) if isinstance(action, Play) else None
    hexagons = max((move.hexagons for move in view.moves), default=0) - (chosen_move.hexagons if chosen_move else 0)
    return hexagons, any(move.bridge for move in view.moves) and not (chosen_move and chosen_move.bridge)
