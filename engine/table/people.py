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

UserMapping = Callable[[int | None], int | None]  # maps one name of a user to another; None stays None


def list_event_users(event: LogEvent) -> list[int]:
    """Return the users that an event names, in order."""
    found: list[int | None] = []
    rename_users(event, found.append)
    return [person for person in found if person is not None]


def rename_users(event: LogEvent, to_name: UserMapping) -> LogEvent:
    """Return the same event with other names for its users."""
    match event:
        case table_events.Opened(_, host, seats):
            rows = tuple(replace(row, user_id=to_name(row.user_id)) for row in seats)
            return replace(event, host=to_name(host), seats=rows)
        case table_events.Joined(user, computer):
            return table_events.Joined(to_name(user), computer)
        case table_events.Kept() | table_events.Freed():
            return replace(event, users=tuple(to_name(user) for user in event.users))
        case table_events.Replaced(seat, user):
            return table_events.Replaced(seat, to_name(user))
        case table_events.Asked() if event.person is not None:
            return replace(event, person=to_name(event.person))
        case table_events.Stopped() | table_events.Paused() | table_events.Resumed() | table_events.Skipped():
            return replace(event, by=to_name(event.by))
        case _:
            return event


def list_dismissed_users(before: TableState, after: TableState) -> set[int]:
    """Return the users whom a table need not know any more: no seat, reserved seat, removal or open question."""
    asked, still = ({table.question.person} if table.question else set() for table in (before, after))
    left = before.seated_users if before.state == "lobby" else frozenset()
    known = after.seated_users | still | after.permanent_users | after.guests.known_users
    gone = (left | asked | before.guests.known_users) - known
    return {person for person in gone if person is not None}


T = TypeVar("T")


def remove_seat(table: TableState, seat: int) -> TableState:
    """Remove a seat; the seats behind it move up."""
    left = [row for row in table.seats if row.seat != seat]
    seats = tuple(replace(row, seat=number) for number, row in enumerate(left))
    people = [row.user_id for row in seats if row.user_id is not None]
    host = table.host if table.host in people or not people else people[0]
    return replace(table, seats=seats, host=host)


def apply_hosting(table: TableState, event: table_events.HostingEvent) -> TableState:
    """Apply an event of the host or a guest to a lobby."""
    guests = table.guests
    match event:
        case table_events.Kept(users, until):
            # The seat of a forgotten user is free, and still counts as an invitation.
            people = frozenset(user for user in users if user is not None)
            guests = replace(
                guests,
                reserved_until={**guests.reserved_until, **dict.fromkeys(sorted(people), until)},
                invited=guests.invited | people,
                invitation_count=guests.invitation_count + len(users),
                latest=max(guests.latest, until),
                removed=guests.removed - people,
            )
            return replace(table, guests=guests)
        case table_events.Freed(users):
            return replace(table, guests=remove_reservations(guests, users))
        case table_events.Removed(seat):
            user = table.seats[seat].user_id
            removed = guests.removed | (frozenset() if user is None else {user})
            return replace(remove_seat(table, seat), guests=replace(guests, removed=removed))
        case table_events.Revised(terms):
            return replace(table, terms=terms, previous_terms=table.terms, revised_seq=table.seq)


def remove_reservations(guests: Guests, users: Iterable[int | None]) -> Guests:
    freed = set(users)
    if freed.isdisjoint(guests.reserved_until):
        return guests
    return replace(
        guests, reserved_until={user: until for user, until in guests.reserved_until.items() if user not in freed}
    )


def replace_player(table: TableState, seat: int, user: int | None, at: int) -> TableState:
    """Give a seat to another user."""
    before = table.seats[seat].user_id
    seats = tuple(replace(row, user_id=user, joined_at=at) if row.seat == seat else row for row in table.seats)
    host = user if table.host == before else table.host
    newcomers = frozenset({user} if user is not None else ())
    lasting, played = table.permanent_users | newcomers, table.match_players | newcomers
    clock = clear_seat(table.clock, seat)
    return replace(
        table, seats=seats, host=host, question=None, clock=clock, permanent_users=lasting, match_players=played
    )


def clear_seat(clock: Clock, seat: int) -> Clock:
    """Remove the vacation, timeouts and stand-in of a seat whose player leaves."""
    clock = mark_present(clock, seat)
    return replace(clock, watch=replace(clock.watch, away=drop_seat(clock.watch.away, seat)))


def mark_present(clock: Clock, seat: int) -> Clock:
    watch = replace(clock.watch, timeouts=drop_seat(clock.watch.timeouts, seat))
    return replace(clock, watch=watch, standins=drop_seat(clock.standins, seat))


def drop_seat(by_seat: Mapping[int, T], seat: int) -> Mapping[int, T]:
    return {other: value for other, value in by_seat.items() if other != seat}
