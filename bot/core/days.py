"""UTC days and streaks, for daily puzzles and deals."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

GRACE: Final = timedelta(hours=1)  # time after its day in which an attempt still counts


def ms(day: date) -> int:
    """Return the start of a day, UTC epoch ms."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000


def day_at(at: int) -> date:
    """Return the day of a UTC epoch ms."""
    return datetime.fromtimestamp(at / 1000, UTC).date()


def closes_at(day: date) -> int:
    """Return the end of a day with its grace period, UTC epoch ms."""
    return ms(day + timedelta(days=1)) + _GRACE_MS


def first_open(at: int) -> date:
    return day_at(at - _GRACE_MS)


def streak_of(solved: Sequence[date], day: date) -> int:
    """Return the length of the streak that ends on a day or the day before; `solved` is newest first."""
    known, at, found = {*solved}, day, 0
    if at not in known:
        at -= timedelta(days=1)
    while at in known:
        at, found = at - timedelta(days=1), found + 1
    return found


_GRACE_MS: Final = int(GRACE.total_seconds()) * 1000
