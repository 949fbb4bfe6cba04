"""Commands of a lobby's host and of invited users: reserved seats, removals, terms, closing."""

from typing import Final

from engine.table.commands import ChangeTerms, CloseTable, Decline, KeepSeats, OpenKept, Remove
from engine.table.evolve import Draft
from engine.table.refusals import No, Refused
from engine.table.table_events import Closed, Freed, Kept, Removed, Revised, check_terms
from engine.table.table_state import EXPIRES, TableState
from engine.table.terms import DAY

KEPT_FOR: Final = DAY  # a seat stays reserved for this span, in ms
MOST_NAMED: Final = 12  # invitations per table, so that a host cannot ping a whole server


def keep_seats(draft: Draft, command: KeepSeats) -> None:
    """Reserve seats for users and invite those who were not invited before. Raises Refused(HOST_DECIDES, SITS_HERE,
    NO_ROOM_TO_KEEP, TOO_LATE_TO_KEEP, NAMED_ENOUGH, ...).
    """
    check_host(draft, command.by)
    keep_for(draft, command.users)


def keep_for(draft: Draft, users: tuple[int, ...]) -> None:
    """Reserve seats for those who have none yet. Raises Refused as `keep_seats` does."""
    table, guests, now = draft.table, draft.table.guests, draft.given.now
    if table.sitting & set(users):
        raise Refused(No.SITS_HERE)
    wanted = tuple(user for user in dict.fromkeys(users) if user not in guests.kept)
    free = table.terms.seats - len(table.seats) - len(guests.kept)
    if len(wanted) > free:
        raise Refused(No.NO_ROOM_TO_KEEP, n=free)
    if now >= table.opened_at + EXPIRES:
        # Repeated invitations would otherwise keep a lobby's channel busy without end.
        raise Refused(No.TOO_LATE_TO_KEEP)
    if guests.named + len(wanted) > MOST_NAMED:
        raise Refused(No.NAMED_ENOUGH, most=MOST_NAMED)
    known = guests.called | draft.given.uncalled
    for calls in (True, False):
        these = tuple(user for user in wanted if (user not in known) == calls)
        if these:
            draft.happens(Kept(these, now + KEPT_FOR, calls))


def decline(draft: Draft, command: Decline) -> None:
    """Decline a reserved seat. Raises Refused(NOT_KEPT_FOR_YOU, ...)."""
    check_lobby(draft)
    if command.user not in draft.table.guests.kept:
        raise Refused(No.NOT_KEPT_FOR_YOU)
    draft.happens(Freed((command.user,), "declined"))


def open_kept(draft: Draft, command: OpenKept) -> None:
    """Open the reserved seat of one user, or all of them, to everyone. Raises Refused(HOST_DECIDES, NOTHING_KEPT)."""
    check_host(draft, command.by)
    kept = draft.table.guests.kept
    users = tuple(user for user in kept if command.user in (None, user))
    if not users:
        raise Refused(No.NOTHING_KEPT)
    draft.happens(Freed(users, "opened"))


def remove(draft: Draft, command: Remove) -> None:
    """Remove a user, a reserved seat, or the last computer (of a level). Raises Refused(HOST_DECIDES, NOT_AT_TABLE,
    NO_COMPUTER_HERE, ...).
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
    """Change the terms. The match does not begin even if all seats are now taken. Raises Refused(HOST_DECIDES,
    TOO_FEW_SEATS, DEAL_FIXED, ...) and everything that `change` raises.
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
    """Close a lobby. Raises Refused(HOST_DECIDES, ...)."""
    check_host(draft, command.by)
    draft.happens(Closed("host"))


def check_host(draft: Draft, user: int) -> None:
    """Raise Refused(HOST_DECIDES) with the host, or as `check_lobby` does."""
    check_lobby_of(draft.table, user)
    free_lapsed(draft)


def check_lobby(draft: Draft) -> None:
    """Raise Refused(ALREADY_STARTED, FINISHED, CLOSED) unless it is a lobby; free expired reserved seats."""
    check_lobby_of(draft.table)
    free_lapsed(draft)


def check_lobby_of(table: TableState, host: int | None = None) -> None:
    """Raise Refused(ALREADY_STARTED, FINISHED, CLOSED), or HOST_DECIDES if `host` is not the host."""
    why = {"open": No.ALREADY_STARTED, "done": No.FINISHED, "void": No.CLOSED}.get(table.state)
    if why is not None:
        raise Refused(why)
    if host is not None and table.host != host:
        raise Refused(No.HOST_DECIDES, host=table.host or 0)


def free_lapsed(draft: Draft) -> None:
    """Free expired reserved seats."""
    lapsed = tuple(user for user, until in draft.table.guests.kept.items() if until <= draft.given.now)
    if lapsed:
        draft.happens(Freed(lapsed, "lapsed"))
