"""What the host of a lobby decides, and those whom they invite: kept seats, who gets up, the terms, closing."""

from typing import Final

from engine.table.commands import ChangeTerms, CloseTable, Decline, KeepSeats, OpenKept, Remove
from engine.table.evolve import Draft
from engine.table.refusals import No, Refused
from engine.table.table_events import Closed, Freed, Kept, Removed, Revised, check_terms
from engine.table.table_state import EXPIRES, TableState
from engine.table.terms import DAY

KEPT_FOR: Final = DAY
"""So long a seat is kept for somebody, in ms."""
MOST_NAMED: Final = 12
"""So often a host can name somebody at one table: it is no way to call a whole server."""


def keep_seats(draft: Draft, command: KeepSeats) -> None:
    """Keep seats for people, who are called unless they were called before.

    Raises Refused(HOST_DECIDES, SITS_HERE, NO_ROOM_TO_KEEP, TOO_LATE_TO_KEEP, NAMED_ENOUGH, ...).
    """
    check_host(draft, command.by)
    keep_for(draft, command.users)


def keep_for(draft: Draft, users: tuple[int, ...]) -> None:
    """Keep seats for those who have none yet. Raises Refused as `keep_seats` does."""
    table, guests, now = draft.table, draft.table.guests, draft.given.now
    if table.sitting & set(users):
        raise Refused(No.SITS_HERE)
    wanted = tuple(user for user in dict.fromkeys(users) if user not in guests.kept)
    free = table.terms.seats - len(table.seats) - len(guests.kept)
    if len(wanted) > free:
        raise Refused(No.NO_ROOM_TO_KEEP, n=free)
    if now >= table.opened_at + EXPIRES:
        # A lobby whose host goes on naming people would hold its channel for ever.
        raise Refused(No.TOO_LATE_TO_KEEP)
    if guests.named + len(wanted) > MOST_NAMED:
        raise Refused(No.NAMED_ENOUGH, most=MOST_NAMED)
    known = guests.called | draft.given.uncalled
    for calls in (True, False):
        these = tuple(user for user in wanted if (user not in known) == calls)
        if these:
            draft.happens(Kept(these, now + KEPT_FOR, calls))


def decline(draft: Draft, command: Decline) -> None:
    """Let others have the seat that is kept for oneself. Raises Refused(NOT_KEPT_FOR_YOU, ...)."""
    check_lobby(draft)
    if command.user not in draft.table.guests.kept:
        raise Refused(No.NOT_KEPT_FOR_YOU)
    draft.happens(Freed((command.user,), "declined"))


def open_kept(draft: Draft, command: OpenKept) -> None:
    """Anybody may have the seats that are kept, of one person or of all. Raises Refused(HOST_DECIDES, NOTHING_KEPT)."""
    check_host(draft, command.by)
    kept = draft.table.guests.kept
    users = tuple(user for user in kept if command.user in (None, user))
    if not users:
        raise Refused(No.NOTHING_KEPT)
    draft.happens(Freed(users, "opened"))


def remove(draft: Draft, command: Remove) -> None:
    """Take a person or the last computer (of a level) off the table, or a person off the list of those it waits for.

    Raises Refused(HOST_DECIDES, NOT_AT_TABLE, NO_COMPUTER_HERE, ...).
    """
    check_host(draft, command.by)
    table, user = draft.table, command.user
    if user is None:
        levels = [row.computer for row in table.seats if row.computer is not None]
        wanted = levels if command.level is None else [command.level]
        computers = [row.seat for row in table.seats if row.computer in wanted]
        if not computers:
            raise Refused(No.NO_COMPUTER_HERE)
        draft.happens(Removed(computers[-1]))
    elif user in table.guests.kept:
        draft.happens(Freed((user,), "opened"))
    else:
        seat = table.seat_of(user)
        if seat is None or user == command.by:
            raise Refused(No.NOT_AT_TABLE)
        draft.happens(Removed(seat))


def change_terms(draft: Draft, command: ChangeTerms) -> None:
    """Play something else, or otherwise. No match begins by it, even where everybody sits there now.

    Raises Refused(HOST_DECIDES, TOO_FEW_SEATS, DEAL_FIXED, ...) and whatever `change` does.
    """
    check_host(draft, command.by)
    table = draft.table
    terms, taken = command.change(table.terms), len(table.seats) + len(table.guests.kept)
    if terms.seats < taken:
        raise Refused(No.TOO_FEW_SEATS, taken=taken)
    check_terms(table.terms, terms)
    if terms != table.terms:
        draft.happens(Revised(terms))


def close_lobby(draft: Draft, command: CloseTable) -> None:
    """There is to be no match. Raises Refused(HOST_DECIDES, ...)."""
    check_host(draft, command.by)
    draft.happens(Closed("host"))


def check_host(draft: Draft, user: int) -> None:
    """Raise Refused(HOST_DECIDES) with who the host is, or what `check_lobby` does."""
    check_lobby_of(draft.table, user)
    free_lapsed(draft)


def check_lobby(draft: Draft) -> None:
    """Raise Refused(ALREADY_STARTED, FINISHED, CLOSED) once it is none any more. Seats kept too long are free."""
    check_lobby_of(draft.table)
    free_lapsed(draft)


def check_lobby_of(table: TableState, host: int | None = None) -> None:
    """Raise Refused(ALREADY_STARTED, FINISHED, CLOSED), or HOST_DECIDES where this is not the host."""
    why = {"open": No.ALREADY_STARTED, "done": No.FINISHED, "void": No.CLOSED}.get(table.state)
    if why is not None:
        raise Refused(why)
    if host is not None and table.host != host:
        raise Refused(No.HOST_DECIDES, host=table.host or 0)


def free_lapsed(draft: Draft) -> None:
    """Seats that were kept long enough are anybody's."""
    lapsed = tuple(user for user, until in draft.table.guests.kept.items() if until <= draft.given.now)
    if lapsed:
        draft.happens(Freed(lapsed, "lapsed"))
