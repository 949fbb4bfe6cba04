"""What the end of a match is worth in a review: points where rounds add up, the win where a single deal decides."""

from collections.abc import Sequence
from typing import Final

from engine.match import Match
from engine.players.weights import Weights
from engine.rules import Rules

WIN: Final = 50.0
"""What winning a match of a single deal is worth, in points ahead: between two, a point is a hundredth of the win."""


def counts_wins(rules: Rules, weights: Weights) -> bool:
    """Whether a match of these rules is told in parts of the win: where a single deal decides, its points may be few
    or none. Where there is a guess of the points to come, they are told all the same.
    """
    return not rules.target and weights.leaf is None


def won_or_scored(totals: Sequence[int], places: Sequence[int] | None, *, wins: bool) -> Sequence[float]:
    """What each seat has of it: its part of the win where `wins` count and the match is over, else its points."""
    if not wins or places is None:
        return totals
    first = places.count(1)
    return [WIN / first if place == 1 else 0.0 for place in places]


def result_of(match: Match, weights: Weights) -> Sequence[float]:
    """What each seat has where a round or the match is over."""
    places = match.ended.places if match.ended is not None else None
    return won_or_scored([seat.total for seat in match.seats], places, wins=counts_wins(match.rules, weights))
