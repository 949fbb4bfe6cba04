"""Moderation: close a table, pause or resume a match, skip a turn."""

from engine.table.commands import Rule
from engine.table.evolve import Draft
from engine.table.play import begin_anew
from engine.table.refusals import No, Refused
from engine.table.table_events import Paused, Resumed, Skipped, Stopped


def rule(draft: Draft, command: Rule) -> None:
    """Apply a moderator's decision. Moderators cannot decide on their own matches; only `stop` works without a match.
    Raises Refused(NOT_STARTED, FINISHED, CLOSED, PAUSED_ALREADY, NOT_PAUSED, PLAYS_THERE, COMPUTERS_TURN).
    """
    by, reason = command.by, command.reason
    if command.what == "stop":
        if draft.table.state in ("done", "void"):
            raise Refused(No.FINISHED if draft.table.state == "done" else No.CLOSED)
        _check_impartial(draft, command.by)
        draft.happens(Stopped(by, reason))
        return
    if draft.match.ended:
        raise Refused(No.FINISHED)
    # A moderator can pause a match that the players have paused.
    stands = draft.table.clock.time.paused and not (command.what == "pause" and draft.table.paused_until is not None)
    if stands != (command.what == "resume"):
        raise Refused(No.NOT_PAUSED if command.what == "resume" else No.PAUSED_ALREADY)
    _check_impartial(draft, command.by)
    if command.what == "skip":
        turn = draft.turn
        if turn is None or turn.user is None:
            raise Refused(No.COMPUTERS_TURN)
        draft.happens(Skipped(by, reason, turn.seat))
        begin_anew(draft)
    else:
        draft.happens(Paused(by, reason) if command.what == "pause" else Resumed(by, reason))


def _check_impartial(draft: Draft, by: int) -> None:
    """Raise Refused(PLAYS_THERE) for a user who has played in this match while another user plays in it."""
    table = draft.table
    if draft.event_log is None or by not in table.played:
        return
    active = draft.event_log.match.active
    if any(row.user_id not in (None, by) for row in table.seats if row.seat in active):
        raise Refused(No.PLAYS_THERE, match=draft.given.match_id)
