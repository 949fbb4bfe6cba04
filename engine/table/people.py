"""The users that an event names, and their renaming.

The store writes small numbers into a log and maps them to users elsewhere. Without the mapping of a deleted user, the
log still replays.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from engine.table import table_events
from engine.table.table_events import LogEvent
from engine.table.table_state import Clock, Guests, TableState

Naming = Callable[[int | None], int | None]  # maps one name of a user to another; None stays None


def people_in(event: LogEvent) -> list[int]:
    """Return the users that an event names, in order."""
    found: list[int | None] = []
    renamed(event, found.append)
    return [person for person in found if person is not None]


def renamed(event: LogEvent, name: Naming) -> LogEvent:
    """Return the same event with other names for its users."""
    match event:
        case table_events.Opened(_, host, seats):
            rows = tuple(replace(row, user_id=name(row.user_id)) for row in seats)
            return replace(event, host=name(host), seats=rows)
        case table_events.Joined(user, computer):
            return table_events.Joined(name(user), computer)
        case table_events.Kept() | table_events.Freed():
            return replace(event, users=tuple(name(user) for user in event.users))
        case table_events.Replaced(seat, user):
            return table_events.Replaced(seat, name(user))
        case table_events.Asked() if event.person is not None:
            return replace(event, person=name(event.person))
        case table_events.Stopped() | table_events.Paused() | table_events.Resumed() | table_events.Skipped():
            return replace(event, by=name(event.by))
        case _:
            return event


def dismissed(before: TableState, after: TableState) -> set[int]:
    """Return the users whom a table need not know any more: no seat, reserved seat, removal or open question."""
    asked, still = ({table.question.person} if table.question else set() for table in (before, after))
    left = before.sitting if before.state == "lobby" else frozenset()
    gone = (left | asked | before.guests.known) - after.sitting - still - after.lasting - after.guests.known
    return {person for person in gone if person is not None}


T = TypeVar("T")


def risen(table: TableState, seat: int) -> TableState:
    """Remove a seat; the seats behind it move up."""
    left = [row for row in table.seats if row.seat != seat]
    seats = tuple(replace(row, seat=number) for number, row in enumerate(left))
    people = [row.user_id for row in seats if row.user_id is not None]
    host = table.host if table.host in people or not people else people[0]
    return replace(table, seats=seats, host=host)


def hosted(table: TableState, event: table_events.Hosting) -> TableState:
    """Apply an event of the host or a guest to a lobby."""
    guests = table.guests
    match event:
        case table_events.Kept(users, until):
            # The seat of a forgotten user is free, and still counts as an invitation.
            people = frozenset(user for user in users if user is not None)
            guests = replace(
                guests,
                kept={**guests.kept, **dict.fromkeys(sorted(people), until)},
                called=guests.called | people,
                named=guests.named + len(users),
                latest=max(guests.latest, until),
                removed=guests.removed - people,
            )
            return replace(table, guests=guests)
        case table_events.Freed(users):
            return replace(table, guests=unkept(guests, users))
        case table_events.Removed(seat):
            user = table.seats[seat].user_id
            removed = guests.removed | (frozenset() if user is None else {user})
            return replace(risen(table, seat), guests=replace(guests, removed=removed))
        case table_events.Revised(terms):
            return replace(table, terms=terms, agreed=table.terms, revised=table.seq)


def unkept(guests: Guests, users: Iterable[int | None]) -> Guests:
    """Remove reserved seats."""
    gone = set(users)
    if gone.isdisjoint(guests.kept):
        return guests
    return replace(guests, kept={user: until for user, until in guests.kept.items() if user not in gone})


def replaced(table: TableState, seat: int, user: int | None, at: int) -> TableState:
    """Give a seat to another user."""
    before = table.seats[seat].user_id
    seats = tuple(replace(row, user_id=user, joined_at=at) if row.seat == seat else row for row in table.seats)
    host = user if table.host == before else table.host
    came = frozenset({user} if user is not None else ())
    lasting, played = table.lasting | came, table.played | came
    clock = vacated(table.clock, seat)
    return replace(table, seats=seats, host=host, question=None, clock=clock, lasting=lasting, played=played)


def vacated(clock: Clock, seat: int) -> Clock:
    """Remove the vacation, timeouts and stand-in of a seat whose player leaves."""
    clock = there(clock, seat)
    return replace(clock, watch=replace(clock.watch, away=but_for(clock.watch.away, seat)))


def there(clock: Clock, seat: int) -> Clock:
    """Mark a seat's player as present."""
    watch = replace(clock.watch, silences=but_for(clock.watch.silences, seat))
    return replace(clock, watch=watch, standins=but_for(clock.standins, seat))


def but_for(by_seat: Mapping[int, T], seat: int) -> Mapping[int, T]:
    return {other: value for other, value in by_seat.items() if other != seat}
