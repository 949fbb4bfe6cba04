"""What a command makes of a table: events, or a refusal with its reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from engine.match.event_log import EventLog, Told
from engine.table import absence, commands, hosting, play, premoves, questions, reminders, rulings, seats, table_posts
from engine.table.commands import Command
from engine.table.evolve import Draft, Given
from engine.table.premove import Premove
from engine.table.table_events import SKEW, LogEvent, SetBack
from engine.table.table_posts import Post
from engine.table.table_state import Due, TableState, Turn, due


@dataclass(frozen=True, slots=True)
class Decided:
    """What happens, and what follows from it. All but the events are functions of them and of the table before."""

    events: tuple[LogEvent, ...]
    table: TableState
    event_log: EventLog | None
    turn: Turn | None
    due: Due | None
    posts: tuple[Post, ...] = ()
    withdraws: tuple[str, ...] = ()
    """Kinds of posts that wait to be sent and lost their sense by this."""
    told: tuple[Told, ...] = ()
    """What there is to tell of the match."""
    premoves: Mapping[int, Premove | None] = field(default_factory=dict)
    """What becomes of what people had decided beforehand; None: nothing is kept of it."""
    ahead: Mapping[int, Premove] = field(default_factory=dict)
    """All that is left of it, by user id."""
    again: bool = False
    """Whether this only settles the turn before, and what was asked for is to be asked again once it is written: a
    refusal, too, may depend on what settling brings to light.
    """


def decide(table: TableState | None, event_log: EventLog | None, command: Command, given: Given) -> Decided:
    """What a command makes of a table; None is the one that `Open` opens. The story stays as it is.

    Without events nothing happens: what was asked for has been done, or lost its sense. Raises Refused, RuleBroken.
    """
    if isinstance(command, commands.Open):
        table = TableState(terms=command.terms)
    if table is None:
        raise ValueError("a table is opened before anything else")
    draft = Draft(table, event_log, given)
    if given.outages:
        absence.credit(draft)
    if given.written > given.now + SKEW:
        draft.happens(SetBack())
    owed = len(draft.events)
    first = play.settles_first(draft, command)
    if first:
        play.settle(draft, command)
    else:
        _HANDLERS[type(command)](draft, command)
    if len(draft.events) == owed and not isinstance(command, commands.Rearm):
        # What a clock is to be put right by is written with whatever happens next.
        draft = Draft(table, event_log, given)
    if given.premoves:
        premoves.play_premoves(draft, command)
    turn = draft.follow_vacation() if draft.events else draft.turn
    after = draft.table
    left = {**given.premoves, **draft.premoves} if after.state == "open" else {}
    match = None if draft.event_log is None else draft.event_log.match
    person = None if turn is None or turn.user is None else given.person(turn.user)
    posts = table_posts.posts_of(table, draft.events, after, match, turn)
    withdraws = table_posts.withdrawn_by(table, draft.events, after)
    if match is not None and any(one.preferences.next_up for one in given.people.values()):
        posts = [*posts, *reminders.told_next(draft.events, after, match, turn, given)]
        withdraws = (*withdraws, *reminders.withdrawn_next(table, after))
    return Decided(
        events=tuple(draft.events),
        table=after,
        event_log=draft.event_log,
        turn=turn,
        due=due(after, turn, person, given.match_id),
        posts=tuple(posts),
        withdraws=withdraws,
        told=tuple(draft.event_log.told[len(event_log.told) if event_log else 0 :]) if draft.event_log else (),
        premoves=draft.premoves,
        ahead={user: one for user, one in left.items() if one is not None},
        again=first,
    )


_HANDLERS: Final[dict[type[Command], Callable[[Draft, Any], None]]] = {
    commands.Open: seats.set_up,
    commands.Join: seats.take_seat,
    commands.AddWord: seats.add_word,
    commands.AddComputer: seats.seat_computer,
    commands.Leave: seats.give_up_seat,
    commands.Start: seats.start_match,
    commands.MoveTable: seats.move,
    commands.GiveWay: seats.give_way,
    commands.KeepSeats: hosting.keep_seats,
    commands.Decline: hosting.decline,
    commands.OpenKept: hosting.open_kept,
    commands.Remove: hosting.remove,
    commands.ChangeTerms: hosting.change_terms,
    commands.CloseTable: hosting.close_lobby,
    commands.Act: play.play_turn,
    commands.ActFor: play.play_for,
    commands.Look: play.look_at_hand,
    commands.RunDue: absence.run_due,
    commands.Rearm: absence.rearm,
    commands.ChooseAbsence: absence.settle_absence,
    commands.ComeBack: absence.come_back,
    commands.GoAway: absence.go_away,
    commands.Ask: questions.ask,
    commands.Answer: questions.answer,
    commands.GoOn: questions.go_on,
    commands.Lapse: questions.lapse,
    commands.RestoreQuarantined: absence.restore_quarantined,
    commands.Rule: rulings.rule,
}
"""Who decides on what. A test sees to it that nothing is missing."""
