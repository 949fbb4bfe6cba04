"""Moderation: close a table, pause or resume a match, skip a turn."""

from engine.table.commands import Moderate
from engine.table.evolve import Draft
from engine.table.play import begin_anew
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Paused, Resumed, Skipped, Stopped


def moderate(draft: Draft, command: Moderate) -> None:
    """Apply a moderator's decision. Moderators cannot decide on their own matches; only `stop` works without a match.
    Raises RefusalError(NOT_STARTED, FINISHED, CLOSED, PAUSED_ALREADY, NOT_PAUSED, PLAYS_THERE, COMPUTERS_TURN).
    """
    by, reason = command.by, command.reason
    if command.ruling == "stop":
        if draft.table.state in ("done", "void"):
            raise RefusalError(Refusal.FINISHED if draft.table.state == "done" else Refusal.CLOSED)
        _check_impartial(draft, command.by)
        draft.apply(Stopped(by, reason))
        return
    if draft.match.ended:
        raise RefusalError(Refusal.FINISHED)
    # A moderator can pause a match that the players have paused.
    is_agreed = command.ruling == "pause" and draft.table.paused_until is not None
    is_paused = draft.table.clock.time.paused and not is_agreed
    if is_paused != (command.ruling == "resume"):
        raise RefusalError(Refusal.NOT_PAUSED if command.ruling == "resume" else Refusal.PAUSED_ALREADY)
    _check_impartial(draft, command.by)
    if command.ruling == "skip":
        turn = draft.turn
        if turn is None or turn.user is None:
            raise RefusalError(Refusal.COMPUTERS_TURN)
        draft.apply(Skipped(by, reason, turn.seat))
        begin_anew(draft)
    else:
        draft.apply(Paused(by, reason) if command.ruling == "pause" else Resumed(by, reason))


def _check_impartial(draft: Draft, by: int) -> None:
    """Raise RefusalError(PLAYS_THERE) for a user who has played in this match while another user plays in it."""
    table = draft.table
    if draft.event_log is None or by not in table.match_players:
        return
    active = draft.event_log.match.active
    if any(row.user_id not in (None, by) for row in table.seats if row.seat in active):
        raise RefusalError(Refusal.PLAYS_THERE, match=draft.context.match_id)
