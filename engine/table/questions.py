"""Agreements of the players: end without a result, pause, undo a placement, or hand over a seat.

The other players are asked; if there is none to ask, it happens at once.
"""

from typing import Final

from engine.match.actions import Undo
from engine.match.errors import RuleError, Violation
from engine.match.state import find_last_placement
from engine.table import table_events
from engine.table.absence import require_player, return_to_seat
from engine.table.commands import AnswerQuestion, AskPlayers, EndPause, ExpireQuestion, ReturnToSeat
from engine.table.evolve import Draft
from engine.table.play import apply_action, begin_anew, welcome_back
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_state import QuestionKind, apply_answer
from engine.table.terms import DAY

QUESTION_SPAN: Final = DAY  # a question times out after this span, in ms


def ask_players(draft: Draft, command: AskPlayers) -> None:
    """Ask the other players, or do it at once if there is none to ask. Raises RuleError(RESIGNED,
    NOTHING_TO_TAKE_BACK), RefusalError(NOT_SEATED, FINISHED, PAUSED, PAUSE_ALONE, NOBODY_TO_AGREE, NO_SEAT_OF_THEIRS,
    SITS_ALREADY, PROPOSAL_OPEN, ASKED_BEFORE, DEAL_NO_UNDO).
    """
    by, kind, table = require_player(draft, command.user), command.kind, draft.table
    draft.check_running()
    seat, tile, others = by, None, table.list_present_seats(draft.match, draft.context.now)
    if kind == "pause":
        check_company(draft)
    elif kind == "undo":
        if table_events.is_sealed(table):
            raise RefusalError(Refusal.DEAL_NO_UNDO)
        moment = find_last_placement(draft.match.undo_stack, by)
        if moment is None:
            raise RuleError(Violation.NOTHING_TO_TAKE_BACK)
        tile = moment.tile
        if all(other == by for other in others):
            # Undoing without agreement after others have played would reveal their hands.
            raise RefusalError(Refusal.NOBODY_TO_AGREE)
    elif kind == "substitute":
        seat = _require_handover_seat(draft, by, command)
        # If a seat's owner is absent, all others must agree.
        others = others if table.is_absent(seat, draft.context.now) and seat != by else [seat]
    before = table.question
    if before is not None and not before.is_unanswerable:
        if not before.refused and draft.context.now < before.until:
            raise RefusalError(Refusal.PROPOSAL_OPEN)
        if (kind, by) in before.refusals:
            # Alternating questions would otherwise allow unlimited pings.
            raise RefusalError(Refusal.ASKED_BEFORE)
    asked = tuple(other for other in others if other != by)
    if asked or command.person is not None:
        draft.apply(table_events.Asked(kind, by, seat, draft.context.now + QUESTION_SPAN, asked, command.person, tile))
    else:
        _apply_agreement(draft, kind, seat, by=by)


def answer_question(draft: Draft, command: AnswerQuestion) -> None:
    """Answer a question; a no counts until the last yes, even after an earlier yes. Raises RefusalError(FINISHED,
    PROPOSAL_OVER, PAUSED, NOT_SEATED, NOT_ASKED, AGREED_ALREADY).
    """
    table = draft.table
    if table.state == "done":
        raise RefusalError(Refusal.FINISHED)
    asked = table.open_question
    if asked is None or asked.number != command.number or draft.context.now >= asked.until:
        raise RefusalError(Refusal.PROPOSAL_OVER)
    draft.check_running()
    seat = table.find_seat(command.user)
    is_new_player = command.user == asked.person
    if not is_new_player and seat not in (asked.by, *asked.asked):
        raise RefusalError(Refusal.NOT_SEATED if seat is None else Refusal.NOT_ASKED)
    if command.yes and not (is_new_player and not asked.accepted) and seat not in asked.waiting:
        raise RefusalError(Refusal.AGREED_ALREADY)
    answering_seat = None if is_new_player else seat
    updated = apply_answer(asked, answering_seat, yes=command.yes)
    if updated.refused or updated.waiting or (updated.person is not None and not updated.accepted):
        draft.apply(table_events.Answered(answering_seat, command.yes))
    else:
        _apply_agreement(draft, updated.kind, updated.seat, by=seat, person=updated.person)


def expire_question(draft: Draft, command: ExpireQuestion) -> None:
    """Let a question time out; idempotent."""
    asked = draft.table.question
    if asked and not asked.refused and asked.number == command.number and draft.context.now >= asked.until:
        draft.apply(table_events.Lapsed())


def _require_handover_seat(draft: Draft, by: int, command: AskPlayers) -> int:
    seat = by if command.owner is None else draft.table.find_seat(command.owner)
    if seat is None or seat not in draft.match.active:
        raise RefusalError(Refusal.NO_SEAT_OF_THEIRS)
    if command.person is not None and draft.table.find_seat(command.person) is not None:
        raise RefusalError(Refusal.SITS_ALREADY)
    return seat


def _apply_agreement(draft: Draft, kind: QuestionKind, seat: int, *, by: int | None, person: int | None = None) -> None:
    """Do what all agreed to; `by` is the seat of the last yes."""
    match kind:
        case "abort":
            draft.apply(table_events.Closed("aborted", seat, agreed=True))
        case "pause":
            draft.apply(table_events.PauseAgreed(seat, draft.context.now + PAUSE_SPAN))
        case "undo":
            apply_action(draft, Undo(seat, agreed=True), by=by)
        case "substitute":
            table = draft.table
            is_for_other = table.question is not None and table.question.by != seat
            restarts_turn = seat in table.clock.standins or (is_for_other and table.is_absent(seat, draft.context.now))
            draft.apply(table_events.Replaced(seat, person))
            if seat == draft.match.turn:
                _take_over(draft, seat, restarts_turn=restarts_turn)


def _take_over(draft: Draft, seat: int, *, restarts_turn: bool) -> None:
    """Start a new player's turn; after a voluntary handover only with the rest of the time, to prevent delays."""
    clock, now = draft.table.clock, draft.context.now
    if restarts_turn:
        begin_anew(draft)
    elif clock.watch.absence_question is not None:
        draft.apply(table_events.Granted(seat, max(0, (clock.watch.until or now) - now)))
    elif clock.time.since is not None and clock.time.since > now:
        draft.apply(table_events.Away(seat, 0))


PAUSE_SPAN: Final = 30 * DAY  # an agreed pause ends after this span, in ms


def check_company(draft: Draft) -> None:
    """Raise RefusalError(PAUSE_ALONE) if a single player plays against computers: it would only block a channel."""
    active = draft.match.active
    if sum(row.user_id is not None for row in draft.table.seats if row.seat in active) < 2:
        raise RefusalError(Refusal.PAUSE_ALONE)


def end_pause(draft: Draft, command: EndPause) -> None:
    """End an agreed pause; the clock continues. Raises RuleError(RESIGNED), RefusalError(NOT_SEATED, FINISHED,
    NOT_STARTED, CLOSED, NOT_PAUSED, PAUSED).
    """
    match, table, seat = draft.match, draft.table, require_player(draft, command.user)
    if table.paused_until is None:
        draft.check_running()  # only a moderator ends a moderator's pause
        raise RefusalError(Refusal.NOT_PAUSED)
    draft.apply(table_events.PauseEnded(seat))
    if seat in table.clock.standins or (seat == match.turn and table.clock.watch.absence_question is not None):
        return_to_seat(draft, ReturnToSeat(command.user))
    elif table.is_absent(seat):
        welcome_back(draft, seat)
