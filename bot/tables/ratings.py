"""Skill ratings of players, computed from places alone, for any number of players.

The model is openskill's Bradley-Terry with full pairing (Weng and Lin 2011): a match of many is rated as one match
between each two players, and a shared place is half a win for both. Players start at a mean of 25 with a deviation
of 25/3. (Plackett-Luce, openskill's usual model, can rate two players who share the first place below the third.)

Each pair has a weight for each of the two (`weight`), which scales the change of mean and deviation (decision 0031).

Players see numbers like those of chess: 42 points for each unit of the model, so a newcomer has 1500.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from openskill.models import BradleyTerryFull

from data.store.results.scores import OPPONENTS, UNSURE, History, PlayerResult, Rating, RatingStep
from data.words import Words

_MODEL: Final = BradleyTerryFull()
NEWCOMER: Final = Rating(_MODEL.mu, _MODEL.sigma)
MIDDLE: Final = 1500  # points of a newcomer
POINTS: Final = 42  # points per unit of the model
SURE: Final = 5.0  # largest deviation of a reliable rating, in units of the model
NEW: Final = 5.0  # distance from a newcomer that ranks a rating on a new leaderboard, in units of the model
FREE: Final = 1  # matches in 30 days that a player may leave without an extra loss
Certainty = Literal["finding_out", "fairly_sure", "sure"]


def rate(
    before: Mapping[int, Rating], players: Sequence[PlayerResult], history: History | None = None
) -> dict[int, RatingStep]:
    """Return the new ratings by user id; may be empty.

    A user missing from `before` is a newcomer. Without a history every pair has full weight.
    """
    after = {}
    # Sums of floats depend on their order: sorting gives the same result for the same match.
    ordered = sorted(players, key=lambda player: player.user_id)
    for mine in ordered:
        known = before.get(mine.user_id, NEWCOMER)
        middle, shrunk, most, found = known.mu, 0.0, 0.0, False
        for other in ordered:
            if other is mine or not _rates(mine, other, history):
                continue
            found, share = True, weight(mine, other, history)
            most = max(most, share)
            if share > 0:
                step = _rate_pair(known, before.get(other.user_id, NEWCOMER), _place_of(mine), _place_of(other))
                middle += share * (step.mu - known.mu)
                shrunk += share * (1 - (step.sigma / known.sigma) ** 2)
        if found:
            sigma = known.sigma * max(1 - shrunk, _LEAST) ** 0.5
            if history is not None and history.ranked is None:
                middle = max(min(middle, max(known.mu, NEWCOMER.mu + NEW)), min(known.mu, NEWCOMER.mu - NEW))
            after[mine.user_id] = RatingStep(Rating(middle, sigma), most)
    return after


def weight(mine: PlayerResult, other: PlayerResult, history: History | None = None) -> float:
    """Return how much the result against `other` counts for `mine`, from 0 to 1.

    It is `PlayerResult.weight`, less for each match of these two in the last 30 days. It is zero if the other has no
    rank yet, so that extra accounts are useless. On a new leaderboard it is zero until the other has met a third
    player.
    """
    if mine.finished and other.finished:
        played = min(mine.weight, other.weight)
    elif mine.finished:
        # A substitute may have any strength, so no player loses to them.
        played = other.weight if mine.place < other.place else 0.0
    elif other.finished:
        played = 1.0 if _leaves_often(mine, history) else mine.weight
    else:
        played = 0.0
    if history is None:
        return played
    if history.ranked is not None and other.user_id not in history.ranked:
        return 0.0
    pair = (min(mine.user_id, other.user_id), max(mine.user_id, other.user_id))
    others = history.met.get(other.user_id)
    known = 1.0 if others is None else min(1.0, len(others - {mine.user_id}) / OPPONENTS)
    return played * known / (1 + history.again.get(pair, 0))


def points(rating: Rating | None) -> int:
    return round(MIDDLE + POINTS * ((rating or NEWCOMER).mu - NEWCOMER.mu))


def certainty(rating: Rating | None) -> Certainty:
    sigma = (rating or NEWCOMER).sigma
    return "finding_out" if sigma > UNSURE else "fairly_sure" if sigma > SURE else "sure"


def certainty_text(rating: Rating, words: Words) -> str:
    return words(f"leaders.{certainty(rating)}")


def change(before: Rating | None, after: Rating) -> int:
    return points(after) - points(before)


_LEAST: Final = 0.0001  # smallest share of a variance that the model leaves


def _rates(mine: PlayerResult, other: PlayerResult, history: History | None) -> bool:
    """Return whether a match rates `mine` by `other`: both have played enough, or `mine` leaves too often."""
    return (mine.fair and other.fair) or (_leaves_often(mine, history) and other.finished)


def _leaves_often(player: PlayerResult, history: History | None) -> bool:
    """Return whether a player left this match, and too many before it."""
    return not player.finished and history is not None and history.left.get(player.user_id, 0) >= FREE


def _place_of(player: PlayerResult) -> int:
    return player.place if player.finished else 1_000


def _rate_pair(mine: Rating, other: Rating, place: int, others: int) -> Rating:
    """Return the rating after a match of these two alone."""
    teams = [[_MODEL.rating(mu=rating.mu, sigma=rating.sigma)] for rating in (mine, other)]
    ((after,), _) = _MODEL.rate(teams, ranks=[float(place), float(others)])
    return Rating(after.mu, after.sigma)
