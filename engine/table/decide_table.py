"""Decide a command at a table: return events, or refuse with a reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from engine.match.event_log import EventLog, PublicEvent
from engine.table import absence, hosting, play, premoves, questions, reminders, rulings, seats, table_posts
from engine.table import commands as table_commands
from engine.table.commands import Command
from engine.table.evolve import DecisionContext, Draft
from engine.table.table_events import CLOCK_SKEW, LogEvent, SetBack
from engine.table.table_posts import Post
from engine.table.table_state import Due, Premove, TableState, Turn, find_due


@dataclass(frozen=True, slots=True)
class TableDecision:
    """The events of a command and what follows from them: functions of the events and of the table before."""

    events: tuple[LogEvent, ...]
    table: TableState
    event_log: EventLog | None
    turn: Turn | None
    due: Due | None
    posts: tuple[Post, ...] = ()
    obsolete_kinds: tuple[str, ...] = ()  # kinds of waiting posts that are obsolete now
    public_events: tuple[PublicEvent, ...] = ()  # new highlights of the match
    premoves: Mapping[int, Premove | None] = field(default_factory=dict)  # changed premoves by user id; None: deleted
    remaining_premoves: Mapping[int, Premove] = field(default_factory=dict)  # remaining premoves by user id
    must_repeat: bool = False
    """Only the turn before settles: store these events, and repeat the command with what they reveal."""


def decide(
    table: TableState | None, event_log: EventLog | None, command: Command, context: DecisionContext
) -> TableDecision:
    """Decide a command; `table` is None for `OpenTable`. The event log is copied, not changed. Without events nothing
    happens: the request is already done or obsolete. Raises RefusalError, RuleError.
    """
    if isinstance(command, table_commands.OpenTable):
        table = TableState(terms=command.terms)
    if table is None:
        raise ValueError("a table is opened before anything else")
    draft = Draft(table, event_log, context)
    if context.outages:
        absence.credit_downtime(draft)
    if context.written_at > context.now + CLOCK_SKEW:
        draft.apply(SetBack())
    correction_count = len(draft.events)
    settles_first = play.must_settle_first(draft, command)
    if settles_first:
        play.settle(draft, command)
    else:
        _HANDLERS[type(command)](draft, command)
    if len(draft.events) == correction_count and not isinstance(command, table_commands.Rearm):
        # A credit or a clock correction alone is not stored; it is stored with the next event.
        draft = Draft(table, event_log, context)
    if context.premoves:
        premoves.play_premoves(draft, command)
    turn = draft.follow_vacation() if draft.events else draft.turn
    after = draft.table
    left = {**context.premoves, **draft.premoves} if after.state == "open" else {}
    match = None if draft.event_log is None else draft.event_log.match
    person = None if turn is None or turn.user is None else context.get_person(turn.user)
    posts = table_posts.build_posts(table, draft.events, after, match, turn)
    withdraws = table_posts.list_obsolete_kinds(table, draft.events, after)
    if match is not None and any(one.preferences.next_up for one in context.people.values()):
        posts = [*posts, *reminders.build_next_up_posts(draft.events, after, match, turn, context)]
        withdraws = (*withdraws, *reminders.list_obsolete_next_up(table, after))
    return TableDecision(
        events=tuple(draft.events),
        table=after,
        event_log=draft.event_log,
        turn=turn,
        due=find_due(after, turn, person, context.match_id),
        posts=tuple(posts),
        obsolete_kinds=withdraws,
        public_events=tuple(draft.event_log.events[len(event_log.events) if event_log else 0 :])
        if draft.event_log
        else (),
        premoves=draft.premoves,
        remaining_premoves={user: one for user, one in left.items() if one is not None},
        must_repeat=settles_first,
    )


_HANDLERS: Final[dict[type[Command], Callable[[Draft, Any], None]]] = {
    table_commands.OpenTable: seats.open_table,
    table_commands.Join: seats.take_seat,
    table_commands.AddWord: seats.add_word,
    table_commands.AddComputer: seats.seat_computer,
    table_commands.LeaveTable: seats.give_up_seat,
    table_commands.StartMatch: seats.start_match,
    table_commands.MoveTable: seats.move_table,
    table_commands.VacateChannel: seats.vacate_channel,
    table_commands.ReserveSeats: hosting.reserve_seats,
    table_commands.DeclineSeat: hosting.decline_seat,
    table_commands.OpenReservedSeats: hosting.open_reserved_seats,
    table_commands.RemovePlayer: hosting.remove,
    table_commands.ChangeTerms: hosting.change_terms,
    table_commands.CloseTable: hosting.close_lobby,
    table_commands.TakeAction: play.play_turn,
    table_commands.TakeComputerAction: play.play_for,
    table_commands.ViewHand: play.view_hand,
    table_commands.RunDue: absence.run_due,
    table_commands.Rearm: absence.rearm,
    table_commands.ChooseAbsence: absence.settle_absence,
    table_commands.NoteDeparture: absence.note_departure,
    table_commands.ReturnToSeat: absence.return_to_seat,
    table_commands.SetVacation: absence.set_vacation,
    table_commands.AskPlayers: questions.ask_players,
    table_commands.AnswerQuestion: questions.answer_question,
    table_commands.EndPause: questions.end_pause,
    table_commands.ExpireQuestion: questions.expire_question,
    table_commands.RestoreQuarantined: absence.restore_quarantined,
    table_commands.Moderate: rulings.moderate,
}
