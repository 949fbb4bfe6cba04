"""Commands of a lobby's host and of invited users: reserved seats, removals, terms, closing."""

from typing import Final

from engine.table.commands import ChangeTerms, CloseTable, DeclineSeat, OpenReservedSeats, RemovePlayer, ReserveSeats
from engine.table.evolve import Draft
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Closed, Freed, Kept, Removed, Revised, check_terms
from engine.table.table_state import LOBBY_SPAN, TableState
from engine.table.terms import DAY

RESERVATION_SPAN: Final = DAY  # a seat stays reserved for this span, in ms
MAX_INVITATIONS: Final = 12  # invitations per table, so that a host cannot ping a whole server


def reserve_seats(draft: Draft, command: ReserveSeats) -> None:
    """Reserve seats for users and invite those who were not invited before. Raises RefusalError(HOST_DECIDES,
    SITS_HERE, NAMED_YOURSELF, NO_ROOM_TO_KEEP, TOO_LATE_TO_KEEP, NAMED_ENOUGH, ...).
    """
    check_lobby(draft, command.by)
    reserve_for(draft, command.by, command.users)


def reserve_for(draft: Draft, by: int, users: tuple[int, ...]) -> None:
    """Reserve seats for those who have none yet. Raises RefusalError as `reserve_seats` does."""
    table, guests, now = draft.table, draft.table.guests, draft.context.now
    if table.seated_users & set(users):
        raise RefusalError(Refusal.NAMED_YOURSELF if by in users else Refusal.SITS_HERE)
    wanted = tuple(user for user in dict.fromkeys(users) if user not in guests.reserved_until)
    free = table.terms.seats - len(table.seats) - len(guests.reserved_until)
    if len(wanted) > free:
        raise RefusalError(Refusal.NO_ROOM_TO_KEEP, n=free)
    if now >= table.opened_at + LOBBY_SPAN:
        # Repeated invitations would otherwise keep a lobby's channel busy without end.
        raise RefusalError(Refusal.TOO_LATE_TO_KEEP)
    if guests.invitation_count + len(wanted) > MAX_INVITATIONS:
        raise RefusalError(Refusal.NAMED_ENOUGH, most=MAX_INVITATIONS)
    known = guests.invited | draft.context.uninvited
    for is_invited in (True, False):
        invited = tuple(user for user in wanted if (user not in known) == is_invited)
        if invited:
            draft.apply(Kept(invited, now + RESERVATION_SPAN, is_invited))


def decline_seat(draft: Draft, command: DeclineSeat) -> None:
    """Decline a reserved seat. Raises RefusalError(NOT_KEPT_FOR_YOU, ...)."""
    check_lobby(draft)
    if command.user not in draft.table.guests.reserved_until:
        raise RefusalError(Refusal.NOT_KEPT_FOR_YOU)
    draft.apply(Freed((command.user,), "declined"))


def open_reserved_seats(draft: Draft, command: OpenReservedSeats) -> None:
    """Open a reserved seat, or all of them, to everyone. Raises RefusalError(HOST_DECIDES, NOTHING_KEPT)."""
    check_lobby(draft, command.by)
    kept = draft.table.guests.reserved_until
    users = tuple(user for user in kept if command.user in (None, user))
    if not users:
        raise RefusalError(Refusal.NOTHING_KEPT)
    draft.apply(Freed(users, "opened"))


def remove(draft: Draft, command: RemovePlayer) -> None:
    """Remove a user, a reserved seat, or the last computer (of a level). Raises RefusalError(HOST_DECIDES,
    NOT_AT_TABLE, NO_COMPUTER_HERE, ...).
    """
    check_lobby(draft, command.by)
    table, user = draft.table, command.user
    if user is None:
        levels = [row.computer for row in table.seats if row.computer is not None]
        wanted = levels if command.level is None else [command.level]
        computers = [row.seat for row in table.seats if row.computer in wanted]
        if not computers:
            raise RefusalError(Refusal.NO_COMPUTER_HERE)
        draft.apply(Removed(computers[-1]))
    elif user in table.guests.reserved_until:
        draft.apply(Freed((user,), "opened"))
    else:
        seat = table.find_seat(user)
        if seat is None or user == command.by:
            raise RefusalError(Refusal.NOT_AT_TABLE)
        draft.apply(Removed(seat))


def change_terms(draft: Draft, command: ChangeTerms) -> None:
    """Change the terms. The match does not begin even if all seats are now taken. Raises RefusalError(HOST_DECIDES,
    TOO_FEW_SEATS, DEAL_FIXED, ...) and everything that `change` raises.
    """
    check_lobby(draft, command.by)
    table = draft.table
    terms, taken = command.change(table.terms), len(table.seats) + len(table.guests.reserved_until)
    if terms.seats < taken:
        raise RefusalError(Refusal.TOO_FEW_SEATS, taken=taken)
    check_terms(table.terms, terms)
    if terms != table.terms:
        draft.apply(Revised(terms))


def close_lobby(draft: Draft, command: CloseTable) -> None:
    """Close a lobby. Raises RefusalError(HOST_DECIDES, ...)."""
    check_lobby(draft, command.by)
    draft.apply(Closed("host"))


def check_lobby(draft: Draft, host: int | None = None) -> None:
    """Raise RefusalError as `check_lobby_of` does; free expired reserved seats."""
    check_lobby_of(draft.table, host)
    expired = tuple(user for user, until in draft.table.guests.reserved_until.items() if until <= draft.context.now)
    if expired:
        draft.apply(Freed(expired, "lapsed"))


def check_lobby_of(table: TableState, host: int | None = None) -> None:
    """Raise RefusalError(ALREADY_STARTED, FINISHED, CLOSED), or HOST_DECIDES if `host` is not the host."""
    why = {"open": Refusal.ALREADY_STARTED, "done": Refusal.FINISHED, "void": Refusal.CLOSED}.get(table.state)
    if why is not None:
        raise RefusalError(why)
    if host is not None and table.host != host:
        raise RefusalError(Refusal.HOST_DECIDES, host=table.host or 0)
