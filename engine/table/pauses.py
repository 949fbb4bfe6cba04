"""A pause that everybody who plays agreed on. Nobody can be held up by it: whoever plays ends it when they like."""

from typing import Final

from engine.errors import RuleBroken, Why
from engine.table.absence import come_back
from engine.table.commands import ComeBack, GoOn
from engine.table.draft import Draft
from engine.table.events import PauseAgreed, PauseEnded
from engine.table.pace import DAY
from engine.table.play import welcome_back
from engine.table.refusals import No, Refused

LONGEST: Final = 30 * DAY
"""A pause that nobody ends goes on for so long, in ms."""


def check_company(draft: Draft) -> None:
    """Raise Refused(PAUSE_ALONE) where one person plays against computers: their table holds a channel for nobody."""
    active = draft.match.active
    if sum(row.user_id is not None for row in draft.table.seats if row.seat in active) < 2:
        raise Refused(No.PAUSE_ALONE)


def begin_pause(draft: Draft, seat: int) -> None:
    """Everybody who had to agree has."""
    draft.happens(PauseAgreed(seat, draft.given.now + LONGEST))


def go_on(draft: Draft, command: GoOn) -> None:
    """The match goes on, and its time from where it was.

    Raises RuleBroken(RESIGNED), Refused(NOT_SEATED, FINISHED, NOT_STARTED, CLOSED, NOT_PAUSED, PAUSED).
    """
    match, table = draft.match, draft.table
    seat = table.seat_of(command.user)
    if seat is None:
        raise Refused(No.NOT_SEATED)
    if match.ended:
        raise Refused(No.FINISHED)
    if seat not in match.active:
        raise RuleBroken(Why.RESIGNED)
    if table.paused_until is None:
        draft.check_running()  # a moderator's pause is a moderator's to end
        raise Refused(No.NOT_PAUSED)
    draft.happens(PauseEnded(seat))
    if seat in table.clock.standins or (seat == match.turn and table.clock.watch.asking is not None):
        come_back(draft, ComeBack(command.user))
    elif table.is_absent(seat):
        welcome_back(draft, seat)
