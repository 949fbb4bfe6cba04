"""What people have set about being called, reminded and away. Times come in, times go out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from engine.table.pace import DAY, HOUR

VACATION_DAYS: Final = 21
"""Days a year."""
AUTOMATIC_DAYS: Final = 3
"""How long a vacation is that begins by itself when a clock runs out."""
LEAST_EVERY: Final = HOUR
"""Nobody is reminded more often."""

Pings = Literal["channel", "dm", "none"]
"""Where somebody wants to be called when it is their turn."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """The hours in which somebody is not to be disturbed, in minutes of the day on the clock on their wall."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """Everything somebody has set beside where they want to be called."""

    remind: bool = True
    every: int = 0
    """A further reminder after each such span of a turn, in ms; 0 is none."""
    quiet: Quiet | None = None
    zone: str = "UTC"
    """IANA name of the time zone of the quiet hours, and of the year of a vacation."""
    away_from: int = 0
    away_until: int = 0
    """The vacation, the running one or the last; UTC epoch ms."""
    days: Mapping[str, int] = field(default_factory=dict)
    """Days of vacation taken, by year."""
    automatic: bool = False
    """Whether a vacation may begin by itself when their time runs out."""
    muted: Mapping[str, int] = field(default_factory=dict)
    """By match, the moment at which the turn began that is to pass without reminders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody's own settings."""

    user_id: int
    quick: bool = False
    """Act at once, without the confirming look."""
    pings: Pings = "channel"
    preferences: Preferences = field(default_factory=Preferences)


def is_away(preferences: Preferences, now: int) -> bool:
    """Whether a vacation is running."""
    return preferences.away_from <= now < preferences.away_until


def days_left(preferences: Preferences, now: int) -> int:
    """Days of vacation that this year still has."""
    return max(0, VACATION_DAYS - preferences.days.get(_year(preferences, now), 0))


def gone(preferences: Preferences, days: int, now: int) -> Preferences:
    """A vacation begins, of so many days, or of as many as are left."""
    days = min(days, days_left(preferences, now))
    year = _year(preferences, now)
    taken = {**preferences.days, year: preferences.days.get(year, 0) + days}
    return replace(preferences, away_from=now, away_until=now + days * DAY, days=taken)


def returned(preferences: Preferences, now: int) -> Preferences:
    """It ends before its time: days that were not begun are given back, in the year they were taken from.

    The first hour of a day does not begin it: who changes their mind at once loses nothing.
    """
    if not is_away(preferences, now):
        return preferences
    unused = (preferences.away_until - now + HOUR) // DAY
    year = _year(preferences, preferences.away_from)
    return replace(preferences, away_until=now, days={**preferences.days, year: preferences.days.get(year, 0) - unused})


def quiet_until(preferences: Preferences, at: int) -> int | None:
    """The end of the quiet hours that `at` lies in; None when it lies in none."""
    if preferences.quiet is None or preferences.quiet.start == preferences.quiet.end:
        return None
    here = _local(preferences, at)
    minute = here.hour * 60 + here.minute
    start, end = preferences.quiet.start, preferences.quiet.end
    overnight = start > end
    if not (minute >= start or minute < end if overnight else start <= minute < end):
        return None
    day = here.date() + timedelta(days=1) if overnight and minute >= start else here.date()
    found = _moment(preferences, datetime.combine(day, _clock(end)), at)
    return found if found > at else None


def quiet_since(preferences: Preferences, at: int) -> int | None:
    """The beginning of the quiet hours that `at` lies in; None when it lies in none."""
    if preferences.quiet is None or quiet_until(preferences, at) is None:
        return None
    here = _local(preferences, at)
    start = preferences.quiet.start
    day = here.date() - timedelta(days=1) if here.hour * 60 + here.minute < start else here.date()
    return min(at, _moment(preferences, datetime.combine(day, _clock(start)), 0))


def _clock(minute: int) -> time:
    return time(minute // 60, minute % 60)


def _local(preferences: Preferences, at: int) -> datetime:
    return datetime.fromtimestamp(at / 1000, ZoneInfo(preferences.zone))


def _year(preferences: Preferences, at: int) -> str:
    return str(_local(preferences, at).year)


def _moment(preferences: Preferences, wall: datetime, after: int) -> int:
    """When the wall clock shows that. An hour that is shown twice counts the first time, unless that was before
    `after`; a time that a change of the clocks leaves out comes as much later as they are put forward.
    """
    zoned = wall.replace(tzinfo=ZoneInfo(preferences.zone))
    first = int(zoned.astimezone(UTC).timestamp() * 1000)
    return first if first > after else int(zoned.replace(fold=1).astimezone(UTC).timestamp() * 1000)
