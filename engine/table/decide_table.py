"""Decide a command at a table: return events, or refuse with a reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from engine.match.event_log import EventLog, Told
from engine.table import absence, hosting, play, premoves, questions, reminders, rulings, seats, table_posts
from engine.table import commands as table_commands
from engine.table.commands import Command
from engine.table.evolve import Draft, Given
from engine.table.table_events import SKEW, LogEvent, SetBack
from engine.table.table_posts import Post
from engine.table.table_state import Due, Premove, TableState, Turn, due


@dataclass(frozen=True, slots=True)
class Decided:
    """The events of a command and what follows from them: functions of the events and of the table before."""

    events: tuple[LogEvent, ...]
    table: TableState
    event_log: EventLog | None
    turn: Turn | None
    due: Due | None
    posts: tuple[Post, ...] = ()
    withdraws: tuple[str, ...] = ()  # kinds of waiting posts that are obsolete now
    told: tuple[Told, ...] = ()  # new highlights of the match
    premoves: Mapping[int, Premove | None] = field(default_factory=dict)  # changed premoves by user id; None: deleted
    ahead: Mapping[int, Premove] = field(default_factory=dict)  # remaining premoves by user id
    again: bool = False
    """Only the turn before settles: store these events, and repeat the command with what they reveal."""


def decide(table: TableState | None, event_log: EventLog | None, command: Command, given: Given) -> Decided:
    """Decide a command; `table` is None for `Open`. The event log is copied, not changed. Without events nothing
    happens: the request is already done or obsolete. Raises Refused, RuleBroken.
    """
    if isinstance(command, table_commands.Open):
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
    if len(draft.events) == owed and not isinstance(command, table_commands.Rearm):
        # A credit or a clock correction alone is not stored; it is stored with the next event.
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
    table_commands.Open: seats.set_up,
    table_commands.Join: seats.take_seat,
    table_commands.AddWord: seats.add_word,
    table_commands.AddComputer: seats.seat_computer,
    table_commands.Leave: seats.give_up_seat,
    table_commands.Start: seats.start_match,
    table_commands.MoveTable: seats.move,
    table_commands.GiveWay: seats.give_way,
    table_commands.KeepSeats: hosting.keep_seats,
    table_commands.Decline: hosting.decline,
    table_commands.OpenKept: hosting.open_kept,
    table_commands.Remove: hosting.remove,
    table_commands.ChangeTerms: hosting.change_terms,
    table_commands.CloseTable: hosting.close_lobby,
    table_commands.Act: play.play_turn,
    table_commands.ActFor: play.play_for,
    table_commands.Look: play.look_at_hand,
    table_commands.RunDue: absence.run_due,
    table_commands.Rearm: absence.rearm,
    table_commands.ChooseAbsence: absence.settle_absence,
    table_commands.ComeBack: absence.come_back,
    table_commands.GoAway: absence.go_away,
    table_commands.Ask: questions.ask,
    table_commands.Answer: questions.answer,
    table_commands.GoOn: questions.go_on,
    table_commands.Lapse: questions.lapse,
    table_commands.RestoreQuarantined: absence.restore_quarantined,
    table_commands.Rule: rulings.rule,
}
