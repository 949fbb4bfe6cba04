"""When the clock of a turn acts next: the reminder before its end, the end itself, what follows a silence."""

from typing import Final

from engine.table.clock import deadline
from engine.table.pace import DAY, MINUTE
from engine.table.preferences import Person, Preferences, quiet_since, quiet_until
from engine.table.state import Clock, Due, TableState, Turn

EXPIRES: Final = DAY
"""A lobby nobody starts closes after that, in ms; one that keeps seats, so long after the last of them was free."""
IDLE: Final = 60 * DAY
"""A match at which nobody does anything for so long, at whatever clock or none, ends without a result."""
PRACTICE: Final = DAY
"""The same for a match against computers alone."""


def due(table: TableState, turn: Turn | None, person: Person | None, match_id: int) -> Due | None:
    """When the clock of a table acts next; `person` is whoever is to move. None: never, as things stand."""
    if table.state == "lobby":
        if table.guests.kept:
            return Due(at=min(table.guests.kept.values()), kind="unkeep")
        return Due(at=max(table.opened_at, table.guests.latest) + EXPIRES, kind="expire")
    if turn is None or table.state != "open":
        return None
    idle = Due(at=idle_at(table), kind="idle")
    found = _of_turn(table, turn, person, match_id)
    return found if found is not None and found.at < idle.at else idle


def idle_at(table: TableState) -> int:
    """When a match ends at which nobody does anything."""
    alone = any(row.computer is not None for row in table.seats) and table.practice
    return table.clock.acted + (PRACTICE if alone else IDLE)


def _of_turn(table: TableState, turn: Turn, person: Person | None, match_id: int) -> Due | None:
    clock = table.clock
    if clock.time.paused and table.paused_until is not None:
        return Due(at=table.paused_until, kind="resume")
    if table.unsettled is not None:
        return Due(at=table.unsettled.until, kind="settle")
    if turn.user is None or person is None:
        return None if clock.time.paused else Due(at=clock.watch.began, kind="computer")
    muted = person.preferences.muted.get(str(match_id)) == clock.watch.began
    return next_due(clock, person.preferences, muted=muted, calls=person.pings != "none")


def next_due(clock: Clock, preferences: Preferences, *, muted: bool, calls: bool = True) -> Due | None:
    """When the clock of a person's turn acts next; None where it stands still, or has nothing to say.

    `calls` is whether the person wants to hear of turns at all.
    """
    time, watch = clock.time, clock.watch
    if watch.asking is not None and watch.until is not None:
        return None if time.paused else Due(at=watch.until, kind="default")
    if time.since is None:
        return None
    moment = None if muted or not calls else reminder(clock, preferences)
    end = deadline(time)
    if moment is not None and (end is None or moment < end):
        return Due(at=moment, kind="remind")
    return None if end is None else Due(at=end, kind="deadline")


def moments(clock: Clock, preferences: Preferences) -> tuple[int | None, int | None]:
    """When the main reminder of the running turn is, and when a further one, whatever the hour."""
    time, watch = clock.time, clock.watch
    if time.since is None:
        return None, None
    main = None if watch.mark is None or not preferences.remind else time.since + max(0, watch.mark - time.used)
    return main, max(watch.told, time.since) + preferences.every if preferences.every else None


def reminder(clock: Clock, preferences: Preferences) -> int | None:
    """When the player of the running turn is reminded next. None: never, in this turn.

    Quiet hours put it off to their end. Where that would be too late they put it forward, before they begin.
    """
    found = [moment for moment in moments(clock, preferences) if moment is not None]
    if not found:
        return None
    moment = min(found)
    quiet_end = None if preferences.quiet is None else quiet_until(preferences, moment)
    if quiet_end is None:
        return moment
    end = deadline(clock.time)
    if end is None or quiet_end < end:
        return quiet_end
    start = quiet_since(preferences, moment)
    # A minute before: at that very moment they would be asleep already.
    return None if start is None or start - MINUTE <= clock.watch.told else start - MINUTE
