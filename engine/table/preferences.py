"""What people have set about being called, reminded and away. Times come in, times go out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from engine.table.terms import DAY, HOUR

VACATION_DAYS: Final = 21
"""Days in any year."""
YEAR: Final = 365 * DAY
MONTH: Final = 30 * DAY
VACATIONS_A_MONTH: Final = 3
"""How many may begin within `MONTH`."""
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


@dataclass(frozen=True, slots=True)
class Vacation:
    """Days on which somebody was away, or still is."""

    start: int
    """UTC epoch ms."""
    days: int
    """Those it costs: every day that was begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """Everything somebody has set beside where they want to be called."""

    remind: bool = True
    every: int = 0
    """A further reminder after each such span of a turn, in ms; 0 is none."""
    quiet: Quiet | None = None
    zone: str = "UTC"
    """IANA name of the time zone of the quiet hours."""
    away_from: int = 0
    away_until: int = 0
    """The vacation, the running one or the last; UTC epoch ms."""
    vacations: tuple[Vacation, ...] = ()
    """Those that still count against the days of a year, oldest first."""
    next_up: bool = False
    """Whether they are told when the turn before theirs begins."""
    automatic: bool = False
    """Whether a vacation may begin by itself when their time runs out."""
    listed: bool = True
    """Whether they stand on leaderboards."""
    language: str = ""
    """What they are answered in where nobody else reads it, such as `de`; empty is what Discord says they speak."""
    scheme: str = ""
    """The colours of pictures that nobody else sees, such as `light`; empty is those of the server."""
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
    """Days of vacation that there still are: what was taken within the last 365 days counts, in whatever zone."""
    taken = sum(min(one.days, _within(one, now)) for one in preferences.vacations)
    return max(0, VACATION_DAYS - taken)


def may_leave(preferences: Preferences, now: int) -> bool:
    """Whether a vacation may begin: there are days left, and not too many have begun of late."""
    return bool(days_left(preferences, now)) and next_start(preferences, now) <= now


def next_start(preferences: Preferences, now: int) -> int:
    """From when on a vacation may begin again, as far as their number goes; `now` or before: at once."""
    starts = sorted(one.start for one in preferences.vacations if one.start > now - MONTH)
    return now if len(starts) < VACATIONS_A_MONTH else starts[-VACATIONS_A_MONTH] + MONTH


def gone(preferences: Preferences, days: int, now: int) -> Preferences:
    """A vacation begins, of so many days, or of as many as are left."""
    days = min(days, days_left(preferences, now))
    kept = tuple(one for one in preferences.vacations if _within(one, now))
    vacations = (*kept, Vacation(now, days))
    return replace(preferences, away_from=now, away_until=now + days * DAY, vacations=vacations)


def returned(preferences: Preferences, now: int) -> Preferences:
    """It ends before its time: days that were not begun are given back. The first is, from its first moment on."""
    if not is_away(preferences, now):
        return preferences
    planned, begun = (-(-(end - preferences.away_from) // DAY) for end in (preferences.away_until, now))
    *others, last = preferences.vacations or (Vacation(preferences.away_from, planned),)
    vacations = (*others, replace(last, days=last.days - max(0, planned - max(1, begun))))
    return replace(preferences, away_until=now, vacations=vacations)


def _within(vacation: Vacation, now: int) -> int:
    """How many of its days lie, at least in part, in the 365 days before `now`, or ahead."""
    return max(0, -(-(vacation.start + vacation.days * DAY - (now - YEAR)) // DAY))


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


def _moment(preferences: Preferences, wall: datetime, after: int) -> int:
    """When the wall clock shows that. An hour that is shown twice counts the first time, unless that was before
    `after`; a time that a change of the clocks leaves out comes as much later as they are put forward.
    """
    zoned = wall.replace(tzinfo=ZoneInfo(preferences.zone))
    first = int(zoned.astimezone(UTC).timestamp() * 1000)
    return first if first > after else int(zoned.replace(fold=1).astimezone(UTC).timestamp() * 1000)
