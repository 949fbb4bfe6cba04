"""A user's reviews over time: accuracy, luck and most frequent mistakes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

from engine.reviews.findings import Habit, HabitCount, Luck, SeatReview, sort_by_cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Some matches of one user in one game."""

    matches: int
    accuracy: float | None  # mean of all choices, 0 to 100; None without choices
    habits: tuple[HabitCount, ...]  # mistakes by kind, the costliest first
    wins: bool  # whether points are hundredths of the win, as in most matches; fields below are about that kind
    lost: float  # mean cost of the choices of a match
    luck: Luck | None  # mean parts of a result; None if no match has them


@dataclass(frozen=True, slots=True)
class LuckComparison:
    """The luck in the matches between two users."""

    matches: int  # number of reviewed matches
    wins: bool  # whether points are hundredths of the win
    ahead: float  # mean points per match by which luck put the first user ahead
    error: float  # upper bound of its standard error


def compare_luck(matches: Iterable[tuple[SeatReview, SeatReview, int]]) -> LuckComparison | None:
    """Summarise both users' seats in matches of the more frequent unit; None if no luck is known."""
    found = [(one.luck, other.luck, seats, one.wins) for one, other, seats in matches if one.luck and other.luck]
    if not found:
        return None
    wins = 2 * sum(same_unit for *_, same_unit in found) > len(found)
    # A lead over the mean of the others grows by n / (n - 1) of the lead over one of them. The errors are dependent
    # (with two seats they are equal), so they are added.
    parts = [(one, other, (seats - 1) / seats) for one, other, seats, alike in found if alike == wins]
    return LuckComparison(
        matches=len(parts),
        wins=wins,
        ahead=sum(part * (one.luck - other.luck) for one, other, part in parts) / len(parts),
        error=_compute_mean_error(part * (one.error + other.error) for one, other, part in parts),
    )


def summarize(reviews: Iterable[SeatReview]) -> Summary:
    """Summarise reviews in any order. Raises ValueError if there is none."""
    seats = list(reviews)
    if not seats:
        raise ValueError("there is no review to sum up")
    choices = sum(seat.choices for seat in seats)
    wins = 2 * sum(seat.wins for seat in seats) > len(seats)
    same_unit = [seat for seat in seats if seat.wins == wins]
    accuracy = sum((seat.accuracy or 0.0) * seat.choices for seat in seats)
    return Summary(
        matches=len(seats),
        accuracy=accuracy / choices if choices else None,
        habits=_merge_habits(one for seat in seats for one in seat.habits),
        wins=wins,
        lost=sum(seat.lost for seat in same_unit) / len(same_unit),
        luck=_average_luck([seat.luck for seat in same_unit if seat.luck is not None]),
    )


def summarize_by_month(reviews: Iterable[tuple[str, SeatReview]]) -> Mapping[str, Summary]:
    """Summarise reviews by month (`2026-11`), the newest first."""
    months: defaultdict[str, list[SeatReview]] = defaultdict(list)
    for month, seat in reviews:
        months[month].append(seat)
    return {month: summarize(months[month]) for month in sorted(months, reverse=True)}


def _average_luck(parts: list[Luck]) -> Luck | None:
    if not parts:
        return None
    return Luck(
        deal=sum(one.deal for one in parts) / len(parts),
        draws=sum(one.draws for one in parts) / len(parts),
        skill=sum(one.skill for one in parts) / len(parts),
        rest=sum(one.rest for one in parts) / len(parts),
        error=_compute_mean_error(one.error for one in parts),
        skill_error=_compute_mean_error(one.skill_error for one in parts),
    )


def _compute_mean_error(errors: Iterable[float]) -> float:
    """Return the standard error of a mean of values with these errors."""
    found = list(errors)
    return sqrt(sum(error**2 for error in found)) / len(found)


def _merge_habits(habits: Iterable[HabitCount]) -> tuple[HabitCount, ...]:
    found: dict[Habit, HabitCount] = {}
    for one in habits:
        before = found.get(one.habit)
        found[one.habit] = (
            one if before is None else HabitCount(one.habit, before.times + one.times, before.lost + one.lost)
        )
    return sort_by_cost(found.values())
