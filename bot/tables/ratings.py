"""Skill ratings of people, from places alone, for any number of players, and how much a match says about them.

The model is openskill's Bradley-Terry with full pairing (Weng and Lin 2011): a match of many is rated as one match
between each two of its people, and a shared place is half a win for both. Everybody starts at a middle of 25 with a
deviation of 25/3. (Plackett-Luce, openskill's usual model, can give two who share the first place less than the third.)

Each of these pairs has a weight, for each of the two (`weight`): by it the step of the middle and that of the deviation
are shortened. Decision 0028 says why.

People see numbers of the size they know from chess: 42 points for each unit of the model, so that a newcomer has
1500. It is the same number everywhere; how sure it is, is said in words.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from openskill.models import BradleyTerryFull

from data.store.results.scores import OPPONENTS, UNSURE, History, PlayerResult, Rating, RatingStep
from data.words import Words

_MODEL: Final = BradleyTerryFull()
NEWCOMER: Final = Rating(_MODEL.mu, _MODEL.sigma)
"""The rating before the first rated match."""

MIDDLE: Final = 1500
"""Points of a newcomer."""
POINTS: Final = 42
"""Points for one unit of the model."""
SURE: Final = 5.0
"""The deviation up to which a rating is sure, on the scale of the model."""
NEW: Final = 5.0
"""So far from a newcomer a rating gets on a leaderboard that is too new to compare with, on the scale of the model."""
FREE: Final = 1
"""So many matches in 30 days somebody may leave who loses by it no more than the score says."""

Certainty = Literal["finding_out", "fairly_sure", "sure"]


def rate(
    before: Mapping[int, Rating], players: Sequence[PlayerResult], history: History | None = None
) -> dict[int, RatingStep]:
    """What becomes of the ratings of those whom a match rates, by user id: it may be nobody.

    Who is missing from `before` is a newcomer. Without a history everything weighs as much as it can.
    """
    after = {}
    # Sums of floats depend on their order: sorted, the same match always gives the same ratings.
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
                step = _step(known, before.get(other.user_id, NEWCOMER), _place(mine), _place(other))
                middle += share * (step.mu - known.mu)
                shrunk += share * (1 - (step.sigma / known.sigma) ** 2)
        if found:
            sigma = known.sigma * max(1 - shrunk, _LEAST) ** 0.5
            if history is not None and history.ranked is None:
                middle = max(min(middle, max(known.mu, NEWCOMER.mu + NEW)), min(known.mu, NEWCOMER.mu - NEW))
            after[mine.user_id] = RatingStep(Rating(middle, sigma), most)
    return after


def weight(mine: PlayerResult, other: PlayerResult, history: History | None = None) -> float:
    """How much it says of the one how they did against the other: from 0 to 1.

    As much as was played (`PlayerResult.weight`); less for each match of these two in the last 30 days; and nothing
    where the other has no rank yet, so that nobody lives on accounts of their own. On a new leaderboard, where hardly
    anybody has one, nothing until the other has met somebody else.
    """
    if mine.finished and other.finished:
        played = min(mine.weight, other.weight)
    elif mine.finished:
        # Whoever goes on with a seat that was left may be anybody: nobody loses to them.
        played = other.weight if mine.place < other.place else 0.0
    elif other.finished:
        played = 1.0 if _often(mine, history) else mine.weight
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
    """A rating as people read it: 1500 for a newcomer."""
    return round(MIDDLE + POINTS * ((rating or NEWCOMER).mu - NEWCOMER.mu))


def certainty(rating: Rating | None) -> Certainty:
    """How sure a rating is."""
    sigma = (rating or NEWCOMER).sigma
    return "finding_out" if sigma > UNSURE else "fairly_sure" if sigma > SURE else "sure"


def certainty_text(rating: Rating, words: Words) -> str:
    """How sure a rating is, in words."""
    return words(f"leaders.{certainty(rating)}")


def change(before: Rating | None, after: Rating) -> int:
    """Points won or lost in a match; None before is a newcomer."""
    return points(after) - points(before)


_LEAST: Final = 0.0001
"""What the model leaves of a variance at least."""


def _rates(mine: PlayerResult, other: PlayerResult, history: History | None) -> bool:
    """Whether a match rates the one by the other: both have played enough, or the one leaves too often."""
    return (mine.fair and other.fair) or (_often(mine, history) and other.finished)


def _often(player: PlayerResult, history: History | None) -> bool:
    """Whether somebody left this match, and too many before it."""
    return not player.finished and history is not None and history.left.get(player.user_id, 0) >= FREE


def _place(player: PlayerResult) -> int:
    """Whoever left comes after all others."""
    return player.place if player.finished else 1_000


def _step(mine: Rating, other: Rating, place: int, others: int) -> Rating:
    """The rating of the one after a match of these two alone."""
    teams = [[_MODEL.rating(mu=rating.mu, sigma=rating.sigma)] for rating in (mine, other)]
    ((after,), _) = _MODEL.rate(teams, ranks=[float(place), float(others)])
    return Rating(after.mu, after.sigma)
