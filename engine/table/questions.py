"""Agreements of the players: end without a result, pause, undo a placement, or hand over a seat.

The other players are asked; if there is none to ask, it happens at once.
"""

from typing import Final

from engine.match.actions import TakeBack
from engine.match.errors import RuleBroken, Why
from engine.match.state import last_placement
from engine.table import table_events
from engine.table.absence import come_back
from engine.table.commands import Answer, Ask, ComeBack, GoOn, Lapse
from engine.table.evolve import Draft
from engine.table.play import act, begin_anew, welcome_back
from engine.table.refusals import No, Refused
from engine.table.table_state import QuestionKind, answered
from engine.table.terms import DAY

LASTS: Final = DAY  # a question times out after this span, in ms


def ask(draft: Draft, command: Ask) -> None:
    """Ask the other players, or do it at once if there is none to ask. Raises RuleBroken(RESIGNED,
    NOTHING_TO_TAKE_BACK), Refused(NOT_SEATED, FINISHED, PAUSED, PAUSE_ALONE, NOBODY_TO_AGREE, NO_SEAT_OF_THEIRS,
    SITS_ALREADY, PROPOSAL_OPEN, ASKED_BEFORE, DEAL_NO_UNDO).
    """
    by, kind, table = _asker(draft, command.user), command.kind, draft.table
    seat, tile, others = by, None, table.people(draft.match, draft.given.now)
    if kind == "pause":
        check_company(draft)
    elif kind == "undo":
        if table_events.is_sealed(table):
            raise Refused(No.DEAL_NO_UNDO)
        moment = last_placement(draft.match.behind, by)
        if moment is None:
            raise RuleBroken(Why.NOTHING_TO_TAKE_BACK)
        tile = moment.tile
        if all(other == by for other in others):
            # Undoing without agreement after others have played would reveal their hands.
            raise Refused(No.NOBODY_TO_AGREE)
    elif kind == "substitute":
        seat = _handed_over(draft, by, command)
        # If a seat's owner is absent, all others must agree.
        others = others if table.is_absent(seat, draft.given.now) and seat != by else [seat]
    before = table.question
    if before is not None and not before.lost:
        if not before.refused and draft.given.now < before.until:
            raise Refused(No.PROPOSAL_OPEN)
        if (kind, by) in before.refusals:
            # Alternating questions would otherwise allow unlimited pings.
            raise Refused(No.ASKED_BEFORE)
    asked = tuple(other for other in others if other != by)
    if asked or command.person is not None:
        draft.happens(table_events.Asked(kind, by, seat, draft.given.now + LASTS, asked, command.person, tile))
    else:
        _do(draft, kind, seat, by=by)


def answer(draft: Draft, command: Answer) -> None:
    """Answer a question; a no counts until the last yes, even after an earlier yes. Raises Refused(FINISHED,
    PROPOSAL_OVER, PAUSED, NOT_SEATED, NOT_ASKED, AGREED_ALREADY).
    """
    table = draft.table
    if table.state == "done":
        raise Refused(No.FINISHED)
    asked = table.open_question
    if asked is None or asked.number != command.number or draft.given.now >= asked.until:
        raise Refused(No.PROPOSAL_OVER)
    draft.check_running()
    seat = table.seat_of(command.user)
    sits_down = command.user == asked.person
    if not sits_down and seat not in (asked.by, *asked.asked):
        raise Refused(No.NOT_SEATED if seat is None else No.NOT_ASKED)
    if command.yes and not (sits_down and not asked.accepted) and seat not in asked.waiting:
        raise Refused(No.AGREED_ALREADY)
    who = None if sits_down else seat
    now = answered(asked, who, yes=command.yes)
    if now.refused or now.waiting or (now.person is not None and not now.accepted):
        draft.happens(table_events.Answered(who, command.yes))
    else:
        _do(draft, now.kind, now.seat, by=seat, person=now.person)


def lapse(draft: Draft, command: Lapse) -> None:
    """Let a question time out; idempotent."""
    asked = draft.table.question
    if asked and not asked.refused and asked.number == command.number and draft.given.now >= asked.until:
        draft.happens(table_events.Lapsed())


def _asker(draft: Draft, user: int) -> int:
    match, by = draft.match, draft.table.seat_of(user)
    if by is None:
        raise Refused(No.NOT_SEATED)
    if match.ended:
        raise Refused(No.FINISHED)
    if by not in match.active:
        raise RuleBroken(Why.RESIGNED)
    draft.check_running()
    return by


def _handed_over(draft: Draft, by: int, command: Ask) -> int:
    seat = by if command.owner is None else draft.table.seat_of(command.owner)
    if seat is None or seat not in draft.match.active:
        raise Refused(No.NO_SEAT_OF_THEIRS)
    if command.person is not None and draft.table.seat_of(command.person) is not None:
        raise Refused(No.SITS_ALREADY)
    return seat


def _do(draft: Draft, kind: QuestionKind, seat: int, *, by: int | None, person: int | None = None) -> None:
    """Do what all agreed to; `by` is the seat of the last yes."""
    match kind:
        case "abort":
            draft.happens(table_events.Closed("aborted", seat, agreed=True))
        case "pause":
            draft.happens(table_events.PauseAgreed(seat, draft.given.now + LONGEST))
        case "undo":
            act(draft, TakeBack(seat, agreed=True), by=by)
        case "substitute":
            table = draft.table
            others_do = table.question is not None and table.question.by != seat
            anew = seat in table.clock.standins or (others_do and table.is_absent(seat, draft.given.now))
            draft.happens(table_events.Replaced(seat, person))
            if seat == draft.match.turn:
                _take_over(draft, seat, anew=anew)


def _take_over(draft: Draft, seat: int, *, anew: bool) -> None:
    """Start a new player's turn; after a voluntary handover only with the rest of the time, to prevent delays."""
    clock, now = draft.table.clock, draft.given.now
    if anew:
        begin_anew(draft)
    elif clock.watch.asking is not None:
        draft.happens(table_events.Granted(seat, max(0, (clock.watch.until or now) - now)))
    elif clock.time.since is not None and clock.time.since > now:
        draft.happens(table_events.Away(seat, 0))


LONGEST: Final = 30 * DAY  # an agreed pause ends after this span, in ms


def check_company(draft: Draft) -> None:
    """Raise Refused(PAUSE_ALONE) if a single player plays against computers: it would only block a channel."""
    active = draft.match.active
    if sum(row.user_id is not None for row in draft.table.seats if row.seat in active) < 2:
        raise Refused(No.PAUSE_ALONE)


def go_on(draft: Draft, command: GoOn) -> None:
    """End an agreed pause; the clock continues. Raises RuleBroken(RESIGNED), Refused(NOT_SEATED, FINISHED, NOT_STARTED,
    CLOSED, NOT_PAUSED, PAUSED).
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
    draft.happens(table_events.PauseEnded(seat))
    if seat in table.clock.standins or (seat == match.turn and table.clock.watch.asking is not None):
        come_back(draft, ComeBack(command.user))
    elif table.is_absent(seat):
        welcome_back(draft, seat)
