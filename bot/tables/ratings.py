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

from data.store.results.scores import MAX_DEVIATION, MIN_OPPONENTS, History, PlayerResult, Rating, RatingStep
from data.words import Words

_MODEL: Final = BradleyTerryFull()
NEWCOMER: Final = Rating(_MODEL.mu, _MODEL.sigma)
NEWCOMER_POINTS: Final = 1500  # points of a newcomer
POINTS_PER_UNIT: Final = 42  # points per unit of the model
RELIABLE_DEVIATION: Final = 5.0  # largest deviation of a reliable rating, in units of the model
NEW_BOARD_DISTANCE: Final = 5.0  # distance from a newcomer that ranks a rating on a new leaderboard, in such units
FREE_DEPARTURES: Final = 1  # matches in 30 days that a player may leave without an extra loss
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
        mean, variance_loss, max_weight, found = known.mu, 0.0, 0.0, False
        for other in ordered:
            if other is mine or not _is_rated_by(mine, other, history):
                continue
            found, share = True, compute_weight(mine, other, history)
            max_weight = max(max_weight, share)
            if share > 0:
                opponent = before.get(other.user_id, NEWCOMER)
                step = _rate_pair(known, opponent, _compute_place(mine), _compute_place(other))
                mean += share * (step.mu - known.mu)
                variance_loss += share * (1 - (step.sigma / known.sigma) ** 2)
        if found:
            sigma = known.sigma * max(1 - variance_loss, _MIN_VARIANCE_SHARE) ** 0.5
            if history is not None and history.ranked is None:
                highest = max(known.mu, NEWCOMER.mu + NEW_BOARD_DISTANCE)
                mean = max(min(mean, highest), min(known.mu, NEWCOMER.mu - NEW_BOARD_DISTANCE))
            after[mine.user_id] = RatingStep(Rating(mean, sigma), max_weight)
    return after


def compute_weight(mine: PlayerResult, other: PlayerResult, history: History | None = None) -> float:
    """Return how much the result against `other` counts for `mine`, from 0 to 1.

    It is `PlayerResult.weight`, less for each match of these two in the last 30 days. It is zero if the other has no
    rank yet, so that extra accounts are useless. On a new leaderboard it is zero until the other has met a third
    player.
    """
    if mine.finished and other.finished:
        base_weight = min(mine.weight, other.weight)
    elif mine.finished:
        # A substitute may have any strength, so no player loses to them.
        base_weight = other.weight if mine.place < other.place else 0.0
    elif other.finished:
        base_weight = 1.0 if _is_frequent_leaver(mine, history) else mine.weight
    else:
        base_weight = 0.0
    if history is None:
        return base_weight
    if history.ranked is not None and other.user_id not in history.ranked:
        return 0.0
    pair = (min(mine.user_id, other.user_id), max(mine.user_id, other.user_id))
    others = history.opponents.get(other.user_id)
    known = 1.0 if others is None else min(1.0, len(others - {mine.user_id}) / MIN_OPPONENTS)
    return base_weight * known / (1 + history.repeat_counts.get(pair, 0))


def compute_points(rating: Rating | None) -> int:
    return round(NEWCOMER_POINTS + POINTS_PER_UNIT * ((rating or NEWCOMER).mu - NEWCOMER.mu))


def classify_certainty(rating: Rating | None) -> Certainty:
    sigma = (rating or NEWCOMER).sigma
    return "finding_out" if sigma > MAX_DEVIATION else "fairly_sure" if sigma > RELIABLE_DEVIATION else "sure"


def format_certainty(rating: Rating, words: Words) -> str:
    return words(f"leaders.{classify_certainty(rating)}")


def compute_change(before: Rating | None, after: Rating) -> int:
    return compute_points(after) - compute_points(before)


_MIN_VARIANCE_SHARE: Final = 0.0001  # smallest share of a variance that the model leaves


def _is_rated_by(mine: PlayerResult, other: PlayerResult, history: History | None) -> bool:
    """Return whether a match rates `mine` by `other`: both have played enough, or `mine` leaves too often."""
    return (mine.fair and other.fair) or (_is_frequent_leaver(mine, history) and other.finished)


def _is_frequent_leaver(player: PlayerResult, history: History | None) -> bool:
    """Return whether a player left this match, and too many before it."""
    if player.finished or history is None:
        return False
    return history.unfinished_counts.get(player.user_id, 0) >= FREE_DEPARTURES


def _compute_place(player: PlayerResult) -> int:
    return player.place if player.finished else 1_000


def _rate_pair(mine: Rating, other: Rating, place: int, others: int) -> Rating:
    """Return the rating after a match of these two alone."""
    teams = [[_MODEL.rating(mu=rating.mu, sigma=rating.sigma)] for rating in (mine, other)]
    ((after,), _) = _MODEL.rate(teams, ranks=[float(place), float(others)])
    return Rating(after.mu, after.sigma)
