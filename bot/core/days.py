"""Days of UTC, and rows of them: what puzzles and deals of the day count by."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

GRACE: Final = timedelta(hours=1)
"""What somebody began on its day counts when they end it up to so long after that day."""


def ms(day: date) -> int:
    """Return the first moment of a day, UTC epoch ms."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000


def day_at(at: int) -> date:
    """Return the day of a moment, which is UTC epoch ms."""
    return datetime.fromtimestamp(at / 1000, UTC).date()


def closes_at(day: date) -> int:
    """Return when a day and its time of grace are over, UTC epoch ms."""
    return ms(day + timedelta(days=1)) + _GRACE_MS


def first_open(at: int) -> date:
    """Return the first day that is not over at a moment, its time of grace included."""
    return day_at(at - _GRACE_MS)


def streak_of(solved: Sequence[date], day: date) -> int:
    """Days in a row among these, newest first, up to a day or, where that is not among them, the one before."""
    known, at, found = {*solved}, day, 0
    if at not in known:
        at -= timedelta(days=1)
    while at in known:
        at, found = at - timedelta(days=1), found + 1
    return found


_GRACE_MS: Final = int(GRACE.total_seconds()) * 1000
