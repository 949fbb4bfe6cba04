"""What a moderator decides: a table is closed, a match paused or resumed, a turn skipped."""

from engine.table.commands import Rule
from engine.table.draft import Draft
from engine.table.events import Paused, Resumed, Skipped, Stopped
from engine.table.play import begin_anew
from engine.table.refusals import No, Refused


def rule(draft: Draft, command: Rule) -> None:
    """Only `stop` may be said of a table without a match.

    Raises Refused(NOT_STARTED, FINISHED, CLOSED, PAUSED_ALREADY, NOT_PAUSED, COMPUTERS_TURN).
    """
    by, reason = command.by, command.reason
    if command.what == "stop":
        if draft.table.state in ("done", "void"):
            raise Refused(No.FINISHED if draft.table.state == "done" else No.CLOSED)
        draft.happens(Stopped(by, reason))
        return
    if draft.match.ended:
        raise Refused(No.FINISHED)
    if draft.table.clock.time.paused != (command.what == "resume"):
        raise Refused(No.NOT_PAUSED if command.what == "resume" else No.PAUSED_ALREADY)
    if command.what == "skip":
        turn = draft.turn
        if turn is None or turn.user is None:
            raise Refused(No.COMPUTERS_TURN)
        draft.happens(Skipped(by, reason, turn.seat))
        begin_anew(draft)
    else:
        draft.happens(Paused(by, reason) if command.what == "pause" else Resumed(by, reason))
