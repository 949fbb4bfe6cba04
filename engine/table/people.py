"""Whom an event names, and the same event naming them otherwise.

In the store a log says "the third person that this table had to do with", and another place says who that is. Where
that place has lost its person, the log still folds.
"""

from collections.abc import Callable
from dataclasses import replace

from engine.table import events
from engine.table.events import LogEvent
from engine.table.state import TableState

Naming = Callable[[int | None], int | None]
"""From one name of a person to another; None stays nobody."""


def people_in(event: LogEvent) -> list[int]:
    """The people an event names, in the order in which it does."""
    found: list[int | None] = []
    renamed(event, found.append)
    return [person for person in found if person is not None]


def renamed(event: LogEvent, name: Naming) -> LogEvent:
    """The same event with other names for its people."""
    match event:
        case events.Opened(_, host, seats):
            rows = tuple(replace(row, user_id=name(row.user_id)) for row in seats)
            return replace(event, host=name(host), seats=rows)
        case events.Joined(user, computer):
            return events.Joined(name(user), computer)
        case events.Kept() | events.Freed():
            return replace(event, users=tuple(name(user) for user in event.users))
        case events.Replaced(seat, user):
            return events.Replaced(seat, name(user))
        case events.Asked() if event.person is not None:
            return replace(event, person=name(event.person))
        case events.Stopped() | events.Paused() | events.Resumed() | events.Skipped():
            return replace(event, by=name(event.by))
        case _:
            return event


def dismissed(before: TableState, after: TableState) -> set[int]:
    """Those whom nothing ties to a table any more: who got up before the match, and who was asked to sit down and does
    not. Whoever has played stays in the log, and until the match begins those whom the host called or removed: the
    table has to know them.
    """
    asked, still = ({table.question.person} if table.question else set() for table in (before, after))
    left = before.sitting if before.state == "lobby" else frozenset()
    gone = (left | asked | before.guests.known) - after.sitting - still - after.lasting - after.guests.known
    return {person for person in gone if person is not None}
