"""What people have set about being called, reminded and away. Pure: times come in, times go out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from bot.service.paces import DAY, HOUR
from data.store import Person

VACATION_DAYS: Final = 21
"""Days a year."""
AUTOMATIC_DAYS: Final = 3
"""How long a vacation is that begins by itself when a clock runs out."""
LEAST_EVERY: Final = HOUR
"""Nobody is reminded more often."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """The hours in which somebody is not to be disturbed, in minutes of the day on the clock on their wall."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
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

    def stored(self) -> Mapping[str, Any]:
        """As the store keeps it."""
        return asdict(self)


def wishes_of(person: Person) -> Wishes:
    """What a person has set."""
    return msgspec.convert(person.wishes, Wishes)


def is_away(wishes: Wishes, now: int) -> bool:
    """Whether a vacation is running."""
    return wishes.away_from <= now < wishes.away_until


def days_left(wishes: Wishes, now: int) -> int:
    """Days of vacation that this year still has."""
    return max(0, VACATION_DAYS - wishes.days.get(_year(wishes, now), 0))


def gone(wishes: Wishes, days: int, now: int) -> Wishes:
    """A vacation begins, of so many days, or of as many as are left."""
    days = min(days, days_left(wishes, now))
    year = _year(wishes, now)
    taken = {**wishes.days, year: wishes.days.get(year, 0) + days}
    return replace(wishes, away_from=now, away_until=now + days * DAY, days=taken)


def returned(wishes: Wishes, now: int) -> Wishes:
    """It ends before its time: days that were not begun are given back, in the year they were taken from.

    The first hour of a day does not begin it: who changes their mind at once loses nothing.
    """
    if not is_away(wishes, now):
        return wishes
    unused = (wishes.away_until - now + HOUR) // DAY
    year = _year(wishes, wishes.away_from)
    return replace(wishes, away_until=now, days={**wishes.days, year: wishes.days.get(year, 0) - unused})


def quiet_until(wishes: Wishes, at: int) -> int | None:
    """The end of the quiet hours that `at` lies in; None when it lies in none."""
    if wishes.quiet is None or wishes.quiet.start == wishes.quiet.end:
        return None
    here = _local(wishes, at)
    minute = here.hour * 60 + here.minute
    start, end = wishes.quiet.start, wishes.quiet.end
    overnight = start > end
    if not (minute >= start or minute < end if overnight else start <= minute < end):
        return None
    day = here.date() + timedelta(days=1) if overnight and minute >= start else here.date()
    found = _moment(wishes, datetime.combine(day, _clock(end)), at)
    return found if found > at else None


def quiet_since(wishes: Wishes, at: int) -> int | None:
    """The beginning of the quiet hours that `at` lies in; None when it lies in none."""
    if wishes.quiet is None or quiet_until(wishes, at) is None:
        return None
    here = _local(wishes, at)
    start = wishes.quiet.start
    day = here.date() - timedelta(days=1) if here.hour * 60 + here.minute < start else here.date()
    return min(at, _moment(wishes, datetime.combine(day, _clock(start)), 0))


def _clock(minute: int) -> time:
    return time(minute // 60, minute % 60)


def _local(wishes: Wishes, at: int) -> datetime:
    return datetime.fromtimestamp(at / 1000, ZoneInfo(wishes.zone))


def _year(wishes: Wishes, at: int) -> str:
    return str(_local(wishes, at).year)


def _moment(wishes: Wishes, wall: datetime, after: int) -> int:
    """When the wall clock shows that. An hour that is shown twice counts the first time, unless that was before
    `after`; a time that a change of the clocks leaves out comes as much later as they are put forward.
    """
    zoned = wall.replace(tzinfo=ZoneInfo(wishes.zone))
    first = int(zoned.astimezone(UTC).timestamp() * 1000)
    return first if first > after else int(zoned.replace(fold=1).astimezone(UTC).timestamp() * 1000)
