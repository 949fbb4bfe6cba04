"""What the people at a table agree on: to end the match without a result, to take a placement back, or to let somebody
else go on with a seat. The others are asked; what nobody else has a say in is done at once.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.actions import TakeBack
from engine.errors import RuleBroken, Why
from engine.moments import last_placement
from engine.table.commands import Answer, AskAbort, AskSubstitute, AskUndo, Lapse
from engine.table.draft import Draft
from engine.table.events import Answered, Asked, Closed, Lapsed, Replaced
from engine.table.evolve import answered
from engine.table.pace import DAY
from engine.table.play import act, begin_anew
from engine.table.refusals import No, Refused
from engine.table.state import Question, QuestionKind

LASTS: Final = DAY
"""A question nobody answers lapses after that, in ms."""


def ask_abort(draft: Draft, command: AskAbort) -> None:
    """End the match without a result: alone while somebody has yet to have a turn, later if all agree."""
    by = _asker(draft, command.user)
    assert draft.story is not None
    others = draft.table.people(draft.match) if draft.story.everybody_played else []
    _ask(draft, command.user, _question(draft, "abort", by, by, others))


def ask_undo(draft: Draft, command: AskUndo) -> None:
    """Raises RuleBroken(NOTHING_TO_TAKE_BACK) where a draw or the like came after it."""
    by = _asker(draft, command.user)
    moment = last_placement(draft.match.behind, by)
    if moment is None:
        raise RuleBroken(Why.NOTHING_TO_TAKE_BACK)
    question = _question(draft, "undo", by, by, draft.table.people(draft.match))
    _ask(draft, command.user, replace(question, tile=moment.tile))


def ask_substitute(draft: Draft, command: AskSubstitute) -> None:
    """Where a seat's owner is absent everybody else must agree. Raises Refused(NO_SEAT_OF_THEIRS, SITS_ALREADY)."""
    by, table = _asker(draft, command.user), draft.table
    seat = by if command.owner is None else table.seat_of(command.owner)
    if seat is None or seat not in draft.match.active:
        raise Refused(No.NO_SEAT_OF_THEIRS)
    if table.seat_of(command.person) is not None:
        raise Refused(No.SITS_ALREADY)
    others = table.people(draft.match) if table.is_absent(seat) and seat != by else [seat]
    _ask(draft, command.user, replace(_question(draft, "substitute", by, seat, others), person=command.person))


def answer(draft: Draft, command: Answer) -> None:
    """A no counts until the last yes, also from somebody who had agreed.

    Raises Refused(FINISHED, PROPOSAL_OVER, PAUSED, NOT_SEATED, NOT_ASKED, AGREED_ALREADY).
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
    assert now is not None
    if now.refused or not _is_agreed(now):
        draft.happens(Answered(who, command.yes))
    else:
        _do(draft, command.user, now)


def lapse(draft: Draft, command: Lapse) -> None:
    """Nobody has settled it in its time. Nothing happens where somebody has."""
    asked = draft.table.question
    if (
        draft.table.state == "open"
        and asked is not None
        and not asked.refused
        and asked.number == command.number
        and draft.given.now >= asked.until
    ):
        draft.happens(Lapsed())


def _asker(draft: Draft, user: int) -> int:
    """The seat of somebody who may ask."""
    match, by = draft.match, draft.table.seat_of(user)
    if by is None:
        raise Refused(No.NOT_SEATED)
    if match.ended:
        raise Refused(No.FINISHED)
    if by not in match.active:
        raise RuleBroken(Why.RESIGNED)
    draft.check_running()
    return by


def _question(draft: Draft, kind: QuestionKind, by: int, seat: int, others: Sequence[int]) -> Question:
    asked = tuple(other for other in others if other != by)
    until = draft.given.now + LASTS
    return Question(kind=kind, by=by, seat=seat, number=0, until=until, asked=asked, waiting=asked)


def _ask(draft: Draft, user: int, new: Question) -> None:
    """Ask the others, or do it where nobody is to be asked. Raises Refused(PROPOSAL_OPEN, ASKED_BEFORE)."""
    before = draft.table.question
    if before is not None and not before.lost:
        if not before.refused and draft.given.now < before.until:
            raise Refused(No.PROPOSAL_OPEN)
        if before.refused and (before.kind, before.by) == (new.kind, new.by):
            raise Refused(No.ASKED_BEFORE)
    if _is_agreed(new):
        _do(draft, user, new)
    else:
        draft.happens(Asked(new.kind, new.by, new.seat, new.until, new.asked, new.person, new.tile))


def _is_agreed(question: Question) -> bool:
    return not question.waiting and (question.person is None or question.accepted)


def _do(draft: Draft, user: int, agreed: Question) -> None:
    """What everybody has agreed to."""
    match agreed.kind:
        case "abort":
            draft.happens(Closed("aborted", agreed.by, agreed=True))
        case "undo":
            act(draft, TakeBack(agreed.seat, agreed=True), by=draft.table.seat_of(user))
        case "substitute":
            draft.happens(Replaced(agreed.seat, agreed.person))
            if agreed.seat == draft.match.turn:
                begin_anew(draft)
