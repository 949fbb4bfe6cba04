"""Skill ratings of people, from places alone, for any number of players.

The model is openskill's Bradley-Terry with full pairing (Weng and Lin 2011): a match of many is rated as one match
between each two of its people, and a shared place is half a win for both. Everybody starts at a middle of 25 with a
deviation of 25/3. (Plackett-Luce, openskill's usual model, can give two who share the first place less than the third.)

People see numbers of the size they know from chess: 42 points for each unit of the model, so that a newcomer has
1500 with a deviation of 350. The uncertainty shown is two deviations: the true strength lies inside it 19 times in 20.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from openskill.models import BradleyTerryFull

from data.store import Rating

_MODEL: Final = BradleyTerryFull()
NEWCOMER: Final = Rating(_MODEL.mu, _MODEL.sigma)
"""The rating before the first rated match."""

MIDDLE: Final = 1500
"""Points of a newcomer."""
POINTS: Final = 42
"""Points for one unit of the model."""


class Shown(NamedTuple):
    """A rating as people read it: `points` ± `uncertainty`."""

    points: int
    uncertainty: int


def rate(before: Mapping[int, Rating], places: Mapping[int, int]) -> Mapping[int, Rating]:
    """The ratings after a match. `places` has every rated person, by user id; lower is better and equal is a tie.

    Who is missing from `before` is a newcomer. Fewer than two people rate nothing: the answer is empty.
    """
    if len(places) < 2:
        return {}
    # Sums of floats depend on their order: sorted, the same match always gives the same ratings.
    users = sorted(places)
    known = [before.get(user, NEWCOMER) for user in users]
    teams = [[_MODEL.rating(mu=rating.mu, sigma=rating.sigma)] for rating in known]
    rated = _MODEL.rate(teams, ranks=[float(places[user]) for user in users])
    return {user: Rating(team[0].mu, team[0].sigma) for user, team in zip(users, rated, strict=True)}


def shown(rating: Rating) -> Shown:
    """The rating in points: 1500 ± 700 for a newcomer."""
    return Shown(_points(rating.mu), round(POINTS * 2 * rating.sigma))


def careful(rating: Rating) -> int:
    """The points somebody is almost surely worth: the leaderboard of all time ranks by this. 450 for a newcomer."""
    return _points(rating.ordinal)


def change(before: Rating | None, after: Rating) -> int:
    """Points won or lost in a match; None before is a newcomer."""
    return _points(after.mu) - _points((before or NEWCOMER).mu)


def _points(value: float) -> int:
    return round(MIDDLE + POINTS * (value - NEWCOMER.mu))
