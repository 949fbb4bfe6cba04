"""Users' settings for notifications, reminders and vacations. Times are UTC epoch ms."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from engine.table.terms import DAY, HOUR

VACATION_DAYS: Final = 21  # per year
YEAR: Final = 365 * DAY
MONTH: Final = 30 * DAY
MAX_MONTHLY_VACATIONS: Final = 3  # vacations that may begin within `MONTH`
AUTOMATIC_DAYS: Final = 3  # length of an automatic vacation
MIN_REMINDER_INTERVAL: Final = HOUR  # shortest interval of reminders
Pings = Literal["channel", "dm", "none"]  # where a user is notified of their turn


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Quiet hours in minutes of the local day."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Vacation:
    """A past or running vacation."""

    start: int  # UTC epoch ms
    days: int  # charged days: every started day


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """A user's settings except for where they are notified."""

    remind: bool = True
    every: int = 0  # interval of further reminders within a turn, in ms; 0: none
    quiet: QuietHours | None = None
    zone: str = "UTC"  # IANA time zone of the quiet hours
    away_from: int = 0
    away_until: int = 0  # the running or last vacation; UTC epoch ms
    vacations: tuple[Vacation, ...] = ()  # vacations that count against the days of a year, oldest first
    next_up: bool = False  # notify when the turn before theirs begins
    automatic: bool = False  # start a vacation automatically when their time runs out
    listed: bool = True  # show on leaderboards
    language: str = ""  # language of ephemeral answers, for example `de`; empty: that of their Discord client
    scheme: str = ""  # theme of pictures that only they see, for example `light`; empty: that of the server
    muted: Mapping[str, int] = field(default_factory=dict)  # start of the turn without reminders, by match id


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    user_id: int
    quick: bool = False  # act without a confirmation
    pings: Pings = "channel"
    preferences: Preferences = field(default_factory=Preferences)


def is_away(preferences: Preferences, now: int) -> bool:
    return preferences.away_from <= now < preferences.away_until


def compute_days_left(preferences: Preferences, now: int) -> int:
    """Return the vacation days left: those taken within the last 365 days count."""
    taken = sum(min(one.days, _count_recent_days(one, now)) for one in preferences.vacations)
    return max(0, VACATION_DAYS - taken)


def can_start_vacation(preferences: Preferences, now: int) -> bool:
    """Return whether a vacation may begin: days are left, and not too many vacations began lately."""
    return bool(compute_days_left(preferences, now)) and compute_next_start(preferences, now) <= now


def compute_next_start(preferences: Preferences, now: int) -> int:
    """Return the earliest start that the limit per month allows; `now` if a vacation may begin at once."""
    starts = sorted(one.start for one in preferences.vacations if one.start > now - MONTH)
    return now if len(starts) < MAX_MONTHLY_VACATIONS else starts[-MAX_MONTHLY_VACATIONS] + MONTH


def start_vacation(preferences: Preferences, days: int, now: int) -> Preferences:
    """Start a vacation of so many days, or of as many as are left."""
    days = min(days, compute_days_left(preferences, now))
    kept = tuple(one for one in preferences.vacations if _count_recent_days(one, now))
    vacations = (*kept, Vacation(now, days))
    return replace(preferences, away_from=now, away_until=now + days * DAY, vacations=vacations)


def end_vacation(preferences: Preferences, now: int) -> Preferences:
    """End a vacation early and give back the days that were not begun; at least one day is charged."""
    if not is_away(preferences, now):
        return preferences
    planned, begun = (-(-(end - preferences.away_from) // DAY) for end in (preferences.away_until, now))
    *others, last = preferences.vacations or (Vacation(preferences.away_from, planned),)
    vacations = (*others, replace(last, days=last.days - max(0, planned - max(1, begun))))
    return replace(preferences, away_until=now, vacations=vacations)


def _count_recent_days(vacation: Vacation, now: int) -> int:
    """Return how many of its days are in the 365 days before `now` or in the future, at least in part."""
    return max(0, -(-(vacation.start + vacation.days * DAY - (now - YEAR)) // DAY))


def find_quiet_end(preferences: Preferences, at: int) -> int | None:
    """Return the end of the quiet hours around `at`; None outside quiet hours."""
    if preferences.quiet is None or preferences.quiet.start == preferences.quiet.end:
        return None
    local = _to_local(preferences, at)
    minute = local.hour * 60 + local.minute
    start, end = preferences.quiet.start, preferences.quiet.end
    overnight = start > end
    if not (minute >= start or minute < end if overnight else start <= minute < end):
        return None
    day = local.date() + timedelta(days=1) if overnight and minute >= start else local.date()
    found = _to_utc(preferences, datetime.combine(day, _to_time(end)), at)
    return found if found > at else None


def find_quiet_start(preferences: Preferences, at: int) -> int | None:
    """Return the start of the quiet hours around `at`; None outside quiet hours."""
    if preferences.quiet is None or find_quiet_end(preferences, at) is None:
        return None
    local = _to_local(preferences, at)
    start = preferences.quiet.start
    day = local.date() - timedelta(days=1) if local.hour * 60 + local.minute < start else local.date()
    return min(at, _to_utc(preferences, datetime.combine(day, _to_time(start)), 0))


def _to_time(minute: int) -> time:
    return time(minute // 60, minute % 60)


def _to_local(preferences: Preferences, at: int) -> datetime:
    return datetime.fromtimestamp(at / 1000, ZoneInfo(preferences.zone))


def _to_utc(preferences: Preferences, wall: datetime, after: int) -> int:
    """Convert local time to UTC epoch ms. Of a repeated hour the first counts, unless it is not after `after`. A
    skipped time is shifted by the change of the clocks.
    """
    zoned = wall.replace(tzinfo=ZoneInfo(preferences.zone))
    first = int(zoned.astimezone(UTC).timestamp() * 1000)
    return first if first > after else int(zoned.replace(fold=1).astimezone(UTC).timestamp() * 1000)
