"""A table before its match: opening it, sitting down, getting up, adding computers, starting, closing."""

from engine.actions import Resign
from engine.decide import start
from engine.table.commands import AddComputer, Join, Leave, MoveTable, Open, Start
from engine.table.draft import Draft
from engine.table.events import Closed, Joined, Left, Moved, Opened
from engine.table.play import act, follow, play_out
from engine.table.refusals import No, Refused
from engine.table.state import SeatRow

GREEDY = "greedy"
"""The player that a computer seat has."""


def set_up(draft: Draft, command: Open) -> None:
    """The host sits down, with computers beside them."""
    now = draft.given.now
    computers = [SeatRow(seat=seat, computer=GREEDY, joined_at=now) for seat in range(1, command.computers + 1)]
    host = SeatRow(seat=0, user_id=command.host, joined_at=now)
    _sit(draft, Opened(command.terms, command.host, (host, *computers)))


def take_seat(draft: Draft, command: Join) -> None:
    """Sit down. Raises Refused(ALREADY_SEATED, TABLE_FULL, ...)."""
    if draft.table.state in ("lobby", "open"):
        if draft.table.seat_of(command.user) is not None:
            raise Refused(No.ALREADY_SEATED)
        _check_free(draft)
    check_lobby(draft)
    _sit(draft, Joined(command.user))


def seat_computer(draft: Draft, command: AddComputer) -> None:
    """Put a computer on the first free seat. Raises Refused(JOIN_FIRST, TABLE_FULL, ...)."""
    check_lobby(draft)
    if draft.table.seat_of(command.by) is None:
        raise Refused(No.JOIN_FIRST)
    _check_free(draft)
    _sit(draft, Joined(None, GREEDY))


def give_up_seat(draft: Draft, command: Leave) -> None:
    """Get up again. Raises Refused(LEAVE_MEANS_RESIGN, NOT_SEATED, JOIN_FIRST, ...)."""
    seat, state = draft.table.seat_of(command.user), draft.table.state
    if command.forgotten and (seat is None or state != "lobby"):
        if seat is not None and state == "open" and seat in draft.match.active:
            act(draft, Resign(seat))
        return
    if state == "open":
        raise Refused(No.LEAVE_MEANS_RESIGN if seat is not None else No.NOT_SEATED)
    check_lobby(draft)
    if seat is None:
        raise Refused(No.JOIN_FIRST)
    stay = any(row.user_id is not None for row in draft.table.seats if row.seat != seat)
    draft.happens(Left(seat) if stay else Closed("empty"))


def start_match(draft: Draft, command: Start) -> None:
    """Begin with the seats that are taken. Raises Refused(NOT_HOST, ALONE, ...)."""
    check_lobby(draft)
    if draft.table.host != command.by:
        raise Refused(No.NOT_HOST, host=draft.table.host or 0)
    least = draft.given.rules.min_seats
    if len(draft.table.seats) < least:
        raise Refused(No.ALONE, least=least)
    _begin(draft)


def move(draft: Draft, command: MoveTable) -> None:
    """Go on in another channel. Raises Refused(NOT_SEATED)."""
    if draft.table.seat_of(command.by) is None:
        raise Refused(No.NOT_SEATED)
    draft.happens(Moved(command.channel))


def check_lobby(draft: Draft) -> None:
    """Raise Refused(ALREADY_STARTED, FINISHED, CLOSED) once it is none any more."""
    why = {"open": No.ALREADY_STARTED, "done": No.FINISHED, "void": No.CLOSED}.get(draft.table.state)
    if why is not None:
        raise Refused(why)


def _check_free(draft: Draft) -> None:
    seats = draft.table.terms.seats
    if len(draft.table.seats) >= seats:
        raise Refused(No.TABLE_FULL, seats=seats)


def _sit(draft: Draft, event: Opened | Joined) -> None:
    """Whoever takes the last seat begins the match."""
    draft.happens(event)
    if len(draft.table.seats) == draft.table.terms.seats:
        _begin(draft)


def _begin(draft: Draft) -> None:
    """The deal, and what the rules force after it."""
    seats, given = draft.table.seats, draft.given
    computers, by_hand = [row.seat for row in seats if row.computer is not None], draft.table.terms.by_hand
    began = start(given.rules, seats=len(seats), computers=computers, by_hand=by_hand, secret=given.secret)
    draft.happens(*began)
    follow(draft, [*began, *play_out(draft)])
