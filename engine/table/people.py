"""Whom an event names, and the same event naming them otherwise.

In the store a log says "the third person that this table had to do with", and another place says who that is. Where
that place has lost its person, the log still folds.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from engine.table import table_events
from engine.table.table_events import LogEvent
from engine.table.table_state import Clock, Guests, TableState

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
    """Those whom nothing ties to a table any more: who got up before the match, and who was asked to sit down and does
    not. Whoever has played stays in the log, and until the match begins those whom the host called or removed: the
    table has to know them.
    """
    asked, still = ({table.question.person} if table.question else set() for table in (before, after))
    left = before.sitting if before.state == "lobby" else frozenset()
    gone = (left | asked | before.guests.known) - after.sitting - still - after.lasting - after.guests.known
    return {person for person in gone if person is not None}


T = TypeVar("T")


def risen(table: TableState, seat: int) -> TableState:
    """Somebody got up; the seats behind them move up."""
    left = [row for row in table.seats if row.seat != seat]
    seats = tuple(replace(row, seat=number) for number, row in enumerate(left))
    people = [row.user_id for row in seats if row.user_id is not None]
    host = table.host if table.host in people or not people else people[0]
    return replace(table, seats=seats, host=host)


def hosted(table: TableState, event: table_events.Hosting) -> TableState:
    """A lobby after something that its host did, or that a guest answered."""
    guests = table.guests
    match event:
        case table_events.Kept(users, until):
            # Whoever was forgotten meanwhile is nobody: the seat is free, and still counts as one that was kept.
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
    """Those seats are kept no longer."""
    gone = set(users)
    if gone.isdisjoint(guests.kept):
        return guests
    return replace(guests, kept={user: until for user, until in guests.kept.items() if user not in gone})


def replaced(table: TableState, seat: int, user: int | None, at: int) -> TableState:
    """Somebody else sits there now."""
    before = table.seats[seat].user_id
    seats = tuple(replace(row, user_id=user, joined_at=at) if row.seat == seat else row for row in table.seats)
    host = user if table.host == before else table.host
    came = frozenset({user} if user is not None else ())
    lasting, played = table.lasting | came, table.played | came
    clock = vacated(table.clock, seat)
    return replace(table, seats=seats, host=host, question=None, clock=clock, lasting=lasting, played=played)


def vacated(clock: Clock, seat: int) -> Clock:
    """Whoever sat on this seat plays there no longer: their vacation, silences and stand-in go with them."""
    clock = there(clock, seat)
    return replace(clock, watch=replace(clock.watch, away=but_for(clock.watch.away, seat)))


def there(clock: Clock, seat: int) -> Clock:
    """Nobody is silent on this seat, and the computer does not play it."""
    watch = replace(clock.watch, silences=but_for(clock.watch.silences, seat))
    return replace(clock, watch=watch, standins=but_for(clock.standins, seat))


def but_for(by_seat: Mapping[int, T], seat: int) -> Mapping[int, T]:
    """What is kept by seat, but for this one."""
    return {other: value for other, value in by_seat.items() if other != seat}
