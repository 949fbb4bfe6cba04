"""What reviews say of one person over time: how accurate their choices are, their luck, their favourite mistakes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

from engine.reviews.findings import Habit, HabitCount, Luck, SeatReview, costliest_first


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Some matches of one person, of one game."""

    matches: int
    choices: int
    accuracy: float | None
    """The mean of all choices, from 0 to 100; None where there was none."""
    inaccuracies: int
    mistakes: int
    blunders: int
    missed_hexagons: int
    missed_bridges: int
    habits: tuple[HabitCount, ...]
    """All mistakes by their kind, what cost most first."""
    wins: bool
    """Whether most of the matches were decided by a single deal each, so that points are hundredths of the win; what
    follows is about these matches, or about the others where those are more.
    """
    lost: float
    """What the choices of a match cost, in the mean."""
    error: float
    """The standard error of that, as far as it is the review's."""
    luck: Luck | None
    """The parts of a result, in the mean of the matches where they were found; None where they were in none."""


@dataclass(frozen=True, slots=True)
class LuckBetween:
    """What chance made of the matches of two people, one beside the other."""

    matches: int
    """Those that were looked at."""
    wins: bool
    """Whether points are hundredths of the win, as in a `Summary`."""
    ahead: float
    """The points a match, in the mean, by which chance put the first ahead of the other."""
    error: float
    """The standard error of that, or a little more."""


def luck_between(met: Iterable[tuple[SeatReview, SeatReview, int]]) -> LuckBetween | None:
    """Both seats of two people in each of their matches, and how many seats there were; None where no luck was found
    in any. Where matches are told in points and others in parts of the win, those that are more are looked at.
    """
    found = [(one.luck, other.luck, seats, one.wins) for one, other, seats in met if one.luck and other.luck]
    if not found:
        return None
    wins = 2 * sum(alike for *_, alike in found) > len(found)
    # What a seat has more than the mean of the others grows with what it has more than one of them by n / (n - 1).
    # The two errors are not independent - of two seats they are one and the same - so they are added as they stand.
    parts = [(one, other, (seats - 1) / seats) for one, other, seats, alike in found if alike == wins]
    return LuckBetween(
        matches=len(parts),
        wins=wins,
        ahead=sum(part * (one.luck - other.luck) for one, other, part in parts) / len(parts),
        error=_error(part * (one.error + other.error) for one, other, part in parts),
    )


def summed_up(reviews: Iterable[SeatReview]) -> Summary:
    """What these come to. The order does not matter. Raises ValueError where there is none."""
    seats = list(reviews)
    if not seats:
        raise ValueError("there is no review to sum up")
    choices = sum(seat.choices for seat in seats)
    wins = 2 * sum(seat.wins for seat in seats) > len(seats)
    alike = [seat for seat in seats if seat.wins == wins]
    accuracy = sum((seat.accuracy or 0.0) * seat.choices for seat in seats)
    return Summary(
        matches=len(seats),
        choices=choices,
        accuracy=accuracy / choices if choices else None,
        inaccuracies=sum(seat.inaccuracies for seat in seats),
        mistakes=sum(seat.mistakes for seat in seats),
        blunders=sum(seat.blunders for seat in seats),
        missed_hexagons=sum(seat.missed_hexagons for seat in seats),
        missed_bridges=sum(seat.missed_bridges for seat in seats),
        habits=_together(one for seat in seats for one in seat.habits),
        wins=wins,
        lost=sum(seat.lost for seat in alike) / len(alike),
        error=_error(seat.error for seat in alike),
        luck=_mean_luck([seat.luck for seat in alike if seat.luck is not None]),
    )


def by_month(reviews: Iterable[tuple[str, SeatReview]]) -> Mapping[str, Summary]:
    """The same month by month, the newest first. A month comes as `2026-11`: whoever keeps the reviews knows when a
    match was.
    """
    months: defaultdict[str, list[SeatReview]] = defaultdict(list)
    for month, seat in reviews:
        months[month].append(seat)
    return {month: summed_up(months[month]) for month in sorted(months, reverse=True)}


def _mean_luck(parts: list[Luck]) -> Luck | None:
    if not parts:
        return None
    return Luck(
        deal=sum(one.deal for one in parts) / len(parts),
        draws=sum(one.draws for one in parts) / len(parts),
        skill=sum(one.skill for one in parts) / len(parts),
        rest=sum(one.rest for one in parts) / len(parts),
        error=_error(one.error for one in parts),
        skill_error=_error(one.skill_error for one in parts),
    )


def _error(errors: Iterable[float]) -> float:
    """The standard error of the mean of values with these errors."""
    found = list(errors)
    return sqrt(sum(error**2 for error in found)) / len(found)


def _together(habits: Iterable[HabitCount]) -> tuple[HabitCount, ...]:
    found: dict[Habit, HabitCount] = {}
    for one in habits:
        before = found.get(one.habit)
        found[one.habit] = (
            one if before is None else HabitCount(one.habit, before.times + one.times, before.lost + one.lost)
        )
    return costliest_first(found.values())
