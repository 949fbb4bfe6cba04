"""What a moderator decides: a table is closed, a match paused or resumed, a turn skipped."""

from engine.table.commands import Rule
from engine.table.evolve import Draft
from engine.table.play import begin_anew
from engine.table.refusals import No, Refused
from engine.table.table_events import Paused, Resumed, Skipped, Stopped


def rule(draft: Draft, command: Rule) -> None:
    """Only `stop` may be said of a table without a match. Whoever plays there with others has no say in it.

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
    # What the players agreed on is no reason why a moderator should not stop them.
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
    """Raise Refused(PLAYS_THERE) for somebody who has played in this match while another person plays in it.

    In a lobby nothing is at stake yet.
    """
    table = draft.table
    if draft.event_log is None or by not in table.played:
        return
    active = draft.event_log.match.active
    if any(row.user_id not in (None, by) for row in table.seats if row.seat in active):
        raise Refused(No.PLAYS_THERE, match=draft.given.match_id)
