"""What a command makes of a table: events, or a refusal with its reason."""

from dataclasses import dataclass, replace
from typing import assert_never

from engine.actions import Resign
from engine.table import absence, questions, reminders, rulings, seats
from engine.table import play as plays
from engine.table import posts as public
from engine.table.commands import (
    Act,
    ActFor,
    AddComputer,
    Answer,
    AskAbort,
    AskSubstitute,
    AskUndo,
    ChooseAbsence,
    ComeBack,
    Command,
    Credit,
    Depart,
    Expire,
    GoAway,
    Join,
    Lapse,
    Leave,
    Move,
    Open,
    PauseMatch,
    Rearm,
    ResumeMatch,
    RunDue,
    SkipTurn,
    Start,
    Stop,
)
from engine.table.draft import Draft, Given
from engine.table.events import LogEvent
from engine.table.posts import Post
from engine.table.state import Due, TableState, Turn
from engine.table.story import Story, Told


@dataclass(frozen=True, slots=True)
class Decided:
    """What happens, and what follows from it. All but the events are functions of them and of the table before."""

    events: tuple[LogEvent, ...]
    table: TableState
    story: Story | None
    turn: Turn | None
    due: Due | None
    posts: tuple[Post, ...] = ()
    withdraws: tuple[str, ...] = ()
    """Kinds of posts that wait to be sent and lost their sense by this."""
    told: tuple[Told, ...] = ()
    """What there is to tell of the match."""


def decide(table: TableState | None, story: Story | None, command: Command, given: Given) -> Decided:
    """What a command makes of a table; None is the one that `Open` opens. The story stays as it is.

    Without events nothing happens: what was asked for has been done, or lost its sense. Raises Refused, RuleBroken.
    """
    draft = Draft(table, story, given)
    _handle(draft, command)
    if draft.events:
        draft.follow_vacation()
    after, turn = draft.table, draft.turn
    match = None if draft.story is None else draft.story.match
    person = None if turn is None or turn.user is None else given.person(turn.user)
    return Decided(
        events=tuple(draft.events),
        table=after,
        story=draft.story,
        turn=turn,
        due=reminders.due(after, turn, person, given.match_id),
        posts=tuple(public.posts_of(table, draft.events, after, match)),
        withdraws=tuple(public.withdrawn_by(table, draft.events, after)),
        told=tuple(draft.story.told[len(story.told) if story else 0 :]) if draft.story else (),
    )


def owed(before: Decided, after: Decided) -> Decided:
    """Two decisions as one act: what was owed to the table before, and what was asked for."""
    return replace(
        after,
        events=(*before.events, *after.events),
        posts=(*before.posts, *after.posts),
        withdraws=(*before.withdraws, *after.withdraws),
    )


def _handle(draft: Draft, command: Command) -> None:
    match command:
        case Open():
            seats.open_table(draft, command)
        case Join():
            seats.join(draft, command)
        case AddComputer():
            seats.add_computer(draft, command)
        case Leave():
            seats.leave(draft, command)
        case Depart():
            depart(draft, command)
        case Start():
            seats.start_match(draft, command)
        case Expire():
            seats.expire(draft)
        case Move():
            seats.move(draft, command)
        case Act():
            plays.play(draft, command)
        case ActFor():
            plays.play_for(draft, command)
        case RunDue():
            absence.run_due(draft, command)
        case ChooseAbsence():
            absence.choose(draft, command)
        case ComeBack():
            absence.come_back(draft, command)
        case GoAway():
            absence.go_away(draft, command)
        case Rearm():
            absence.rearm(draft)
        case Credit():
            absence.credit(draft, command)
        case AskAbort():
            questions.ask_abort(draft, command)
        case AskUndo():
            questions.ask_undo(draft, command)
        case AskSubstitute():
            questions.ask_substitute(draft, command)
        case Answer():
            questions.answer(draft, command)
        case Lapse():
            questions.lapse(draft, command)
        case Stop():
            rulings.stop(draft, command)
        case PauseMatch():
            rulings.pause(draft, command)
        case ResumeMatch():
            rulings.resume(draft, command)
        case SkipTurn():
            rulings.skip(draft, command)
        case _:
            assert_never(command)


def depart(draft: Draft, command: Depart) -> None:
    """Leave the lobby, or resign; nothing where that was done."""
    seat = draft.table.seat_of(command.user)
    if seat is None:
        return
    if draft.table.state == "lobby":
        seats.leave(draft, Leave(command.user))
    elif draft.table.state == "open" and seat in draft.match.active:
        plays.act(draft, Resign(seat))
