"""A table that was in trouble is put right: none of its times is later than it can be, whoever's clock was ahead, and
the time in which its log could not be read is nobody's.
"""

from dataclasses import replace
from typing import Final

from engine.events import fact
from engine.table.clock import Time
from engine.table.pace import DAY, SETTLES, Pace, parse_pace
from engine.table.state import Clock, Guests, TableState, Watch

SKEW: Final = 30_000
"""By so many ms the clocks of two machines may differ, and nothing is made of it."""
WAITS: Final = DAY
"""No question waits longer for its answer, and no kept seat for its guest, in ms."""
PAUSES: Final = 30 * DAY
"""No pause that people agreed on is longer, in ms."""


@fact
class SetBack:
    """Whoever wrote before this had a clock that was ahead. Whatever the table says of later than now is of now."""


@fact
class ReadAgain:
    """The log can be read again: since then it could not, the table was set aside, and nobody could play."""

    since: int


PutRight = SetBack | ReadAgain


def set_back(table: TableState, at: int) -> TableState:
    """The table as it would be had nobody written anything that is later than `at`. Waiting begins anew then."""
    pace = parse_pace(table.terms.clock)
    unsettled, question, pause = table.unsettled, table.question, table.pause
    if unsettled is not None:
        unsettled = replace(unsettled, until=min(unsettled.until, at + SETTLES[pace.kind]))
    if question is not None:
        question = replace(question, until=min(question.until, at + WAITS))
    if pause is not None and pause.until is not None:
        pause = replace(pause, until=min(pause.until, at + PAUSES))
    return replace(
        table,
        clock=_clock(table.clock, pace, at),
        unsettled=unsettled,
        question=question,
        pause=pause,
        guests=_guests(table.guests, at),
        opened_at=min(table.opened_at, at),
    )


def _clock(clock: Clock, pace: Pace, at: int) -> Clock:
    watch = clock.watch
    return replace(clock, time=_time(clock.time, watch, at), watch=_watch(watch, pace, at), acted=min(clock.acted, at))


def _time(time: Time, watch: Watch, at: int) -> Time:
    since = time.since
    # The time of somebody who is away begins to run when they are back, and that may well be later.
    if since is not None and (time.seat is None or watch.away.get(time.seat, 0) < since):
        since = min(since, at)
    return replace(time, since=since, credited=min(time.credited, at))


def _watch(watch: Watch, pace: Pace, at: int) -> Watch:
    until = None if watch.until is None else min(watch.until, at + pace.grace)
    return replace(watch, began=min(watch.began, at), told=min(watch.told, at), until=until)


def _guests(guests: Guests, at: int) -> Guests:
    kept = {user: min(until, at + WAITS) for user, until in guests.kept.items()}
    return replace(guests, kept=kept, latest=min(guests.latest, at + WAITS))
