"""What a moderator decides: a table is closed, a match paused or resumed, a turn skipped."""

from engine.table.commands import PauseMatch, ResumeMatch, SkipTurn, Stop
from engine.table.draft import Draft
from engine.table.events import Paused, Resumed, Skipped, Stopped
from engine.table.play import begin_anew
from engine.table.refusals import No, Refused


def stop(draft: Draft, command: Stop) -> None:
    """Close a lobby, or end a match without a result. Raises Refused(FINISHED, CLOSED)."""
    if draft.table.state in ("done", "void"):
        raise Refused(No.FINISHED if draft.table.state == "done" else No.CLOSED)
    draft.happens(Stopped(command.by, command.reason))


def pause(draft: Draft, command: PauseMatch) -> None:
    """No time runs, and nobody can act. Raises Refused(NOT_STARTED, FINISHED, PAUSED_ALREADY)."""
    if _is_paused(draft):
        raise Refused(No.PAUSED_ALREADY)
    draft.happens(Paused(command.by, command.reason))


def resume(draft: Draft, command: ResumeMatch) -> None:
    """Let it go on. Raises Refused(NOT_STARTED, FINISHED, NOT_PAUSED)."""
    if not _is_paused(draft):
        raise Refused(No.NOT_PAUSED)
    draft.happens(Resumed(command.by, command.reason))


def skip(draft: Draft, command: SkipTurn) -> None:
    """The computer takes the running turn. Raises Refused(NOT_STARTED, FINISHED, PAUSED_ALREADY, COMPUTERS_TURN)."""
    if _is_paused(draft):
        raise Refused(No.PAUSED_ALREADY)
    turn = draft.turn
    if turn is None or turn.user is None:
        raise Refused(No.COMPUTERS_TURN)
    draft.happens(Skipped(command.by, command.reason, turn.seat))
    begin_anew(draft)


def _is_paused(draft: Draft) -> bool:
    if draft.match.ended:
        raise Refused(No.FINISHED)
    return draft.table.clock.time.paused
