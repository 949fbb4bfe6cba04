"""Apply events to a table: a log, or in a `Draft` the events of a command."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from engine.match.event_log import EventLog, start_log
from engine.match.events import Dealt, Drew, MatchEnded, Placed, Resigned, RoundEnded, Started, Undone
from engine.match.events import Event as MatchEvent
from engine.match.rules import Rules
from engine.match.state import Match, replace
from engine.table import table_events as events
from engine.table import table_state
from engine.table.clock import apply_to_clock, forget_past_turns, pause_time
from engine.table.people import apply_hosting, clear_seat, remove_reservations, remove_seat, replace_player
from engine.table.preferences import Person
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import QUIET_EVENTS, RULING_EVENTS, Away, DealOpened, LogEvent, SetBack, limit_times
from engine.table.table_state import Premove, SeatOwnership, TableState

MATCH_EVENTS = get_args(MatchEvent)

PERSONAL_EVENTS = (
    events.Opened,
    events.Joined,
    events.Asked,
    events.Answered,
    events.Replaced,
    events.Moved,
    events.Returned,
    events.EndWished,
    events.PauseAgreed,
    *RULING_EVENTS,
)
"""Events that count as an act of a user."""

REVEALING_EVENTS = (Drew, Dealt, RoundEnded, Resigned)  # hidden tiles become known: nothing before can be undone


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of a log; `at` is UTC epoch ms."""

    event: LogEvent
    at: int


def replay(entries: Iterable[LogEntry]) -> tuple[TableState, EventLog | None]:
    """Rebuild a table and its match from a whole log. Raises ValueError if the first entry is not Opened."""
    first, *others = entries
    if not isinstance(first.event, events.Opened):
        raise ValueError(f"a log begins with Opened, not with {type(first.event).__name__}")
    table, event_log = apply_event(TableState(terms=first.event.terms), None, first.event, first.at)
    for entry in others:
        table, event_log = apply_event(table, event_log, entry.event, entry.at)
    return table, event_log


def is_quiet(event: LogEvent) -> bool:
    """Return whether buttons from before an event stay valid. The next turn begins after a move, which is not quiet
    itself, or when the turn before settles: its player may have chosen already.
    """
    return isinstance(event, QUIET_EVENTS) or (isinstance(event, events.TurnBegan) and event.how == "next")


def apply_event(
    table: TableState, event_log: EventLog | None, event: LogEvent, at: int
) -> tuple[TableState, EventLog | None]:
    """Apply one event. The event log changes in place: copy a shared one first."""
    seq = table.seq + 1
    if not isinstance(event, MATCH_EVENTS):
        table = replace(table, seq=seq, changed_seq=table.changed_seq if is_quiet(event) else seq)
        return _apply_table_event(table, event_log, event, at), event_log
    if isinstance(event, Started):
        sitting = table.seated_users
        table = replace(
            table,
            clock=replace(table.clock, acted_at=at),
            state="open",
            permanent_users=sitting,
            match_players=sitting,
            guests=table_state.Guests(),
            previous_terms=None,
        )
        return replace(table, seq=seq, changed_seq=seq), start_log(event)
    assert event_log is not None
    state, clock = table.state, _note_activity(table.clock, event, at)
    if isinstance(event, Placed | Undone | Resigned):
        table = replace(table, ownerships=_update_ownership(table, event_log, event))
    # Any event in the match withdraws the question.
    question = None if event_log.apply(event) else table.question
    if isinstance(event, REVEALING_EVENTS):
        clock = replace(clock, time=forget_past_turns(clock.time))
    if isinstance(event, Resigned):
        clock = clear_seat(clock, event.seat)
    if isinstance(event, MatchEnded):
        state, clock = "done", replace(clock, time=replace(clock.time, since=None))
    undo_count = table.undo_count + isinstance(event, Undone)
    table = replace(table, tentative_turn=None, undo_count=undo_count, question=question, seq=seq, changed_seq=seq)
    return replace(table, state=state, clock=clock), event_log


def _note_activity(clock: table_state.Clock, event: MatchEvent, at: int) -> table_state.Clock:
    """Note an act of the player whose time runs, an undo or a resignation; forced moves and computers do not count."""
    seat = getattr(event, "seat", None)
    acts = isinstance(event, Undone | Resigned) or (seat is not None and seat == clock.time.seat)
    return replace(clock, acted_at=at) if acts else clock


def _apply_table_event(table: TableState, event_log: EventLog | None, event: LogEvent, at: int) -> TableState:
    if isinstance(event, PERSONAL_EVENTS) and not getattr(event, "made_way", False):
        table = replace(table, clock=replace(table.clock, acted_at=at))
    if isinstance(event, RULING_EVENTS) and event.by is not None:
        table = replace(table, permanent_users=table.permanent_users | {event.by})
    match event:
        case events.Opened(_, host, seats, commitment):
            return replace(table, host=host, seats=seats, commitment=commitment, opened_at=at)
        case events.Contributed(seat, text):
            seats = tuple(replace(row, contribution=text) if row.seat == seat else row for row in table.seats)
            return replace(table, seats=seats)
        case events.Joined(user, computer):
            row = table_state.SeatRow(seat=len(table.seats), user_id=user, computer=computer, joined_at=at)
            return replace(table, seats=(*table.seats, row), guests=remove_reservations(table.guests, (user,)))
        case events.Left(seat):
            return remove_seat(table, seat)
        case events.Kept() | events.Freed() | events.Removed() | events.Revised():
            return apply_hosting(table, event)
        case events.Closed(reason):
            return replace(table, state="void", close_reason=reason, question=None, guests=table_state.Guests())
        case events.Stopped():
            return replace(table, state="void", close_reason="stopped", question=None, guests=table_state.Guests())
        case events.Asked():
            question = table_state.Question(
                kind=event.kind,
                by=event.by,
                seat=event.seat,
                number=table.seq,
                until=event.until,
                asked=event.asked,
                waiting=event.asked,
                person=event.person,
                tile=event.tile,
                refusals=() if table.question is None else table.question.refusals,
            )
            return replace(table, question=question)
        case events.Answered(seat, yes):
            asked = table.question
            return table if asked is None else replace(table, question=table_state.apply_answer(asked, seat, yes=yes))
        case events.Lapsed():
            return replace(table, question=None)
        case events.Replaced(seat, user):
            return replace_player(_hand_over_seat(table, event_log, seat, user), seat, user, at)
        case events.ChoiceMade(_, "end", how):
            return replace(
                table, clock=apply_to_clock(table, event, at), early_end="chosen" if how == "chosen" else "default"
            )
        case events.Tentative(seat, until, used):
            return replace(table, tentative_turn=table_state.TentativeTurn(seat, until, used))
        case events.Settled():
            return _settle_turn(table)
        case events.Stumbled(seat, why):
            before = table.get_stumbles(seat)
            after = table_state.StumbleCount(before.moves + 1, before.faults + (why in table_state.FAULTS))
            return replace(table, stumbles={**table.stumbles, seat: after})
        case events.Paused(by, reason):
            clock = replace(table.clock, time=pause_time(table.clock.time, at))
            return replace(table, clock=clock, pause=table_state.Pause(by=by, reason=reason))
        case events.PauseAgreed(_, until):
            clock = replace(table.clock, time=pause_time(table.clock.time, at))
            return replace(table, clock=clock, pause=table_state.Pause(until=until), question=None)
        case SetBack():
            return limit_times(table, at)
        case DealOpened():
            return replace(
                table, is_deal_open=True, has_outlived_deal=event_log is not None and event_log.match.ended is None
            )
        case _:
            table = replace(table, pause=None) if isinstance(event, events.Resumed | events.PauseEnded) else table
            if isinstance(event, events.TurnBegan) and event.how == "next":
                table = replace(table, undo_count=0)
            return replace(table, clock=apply_to_clock(table, event, at))


def _settle_turn(table: TableState) -> TableState:
    """Make a turn final, with the time that it had used when it was played."""
    if table.tentative_turn is None:
        return table
    time = replace(table.clock.time, used=table.tentative_turn.used, since=None)
    return replace(table, tentative_turn=None, clock=replace(table.clock, time=time))


def _update_ownership(
    table: TableState, event_log: EventLog, event: Placed | Undone | Resigned
) -> dict[int, SeatOwnership]:
    """Return the seats' owners after an event that is not yet applied to the event log."""
    seat, parts = event.seat, table.ownerships
    row, part = table.seats[seat], parts.get(seat) or SeatOwnership()
    if row.computer is not None:
        return {**parts}
    if isinstance(event, Resigned):
        return {**parts, seat: replace(part, totals_when_left=part.totals_when_left or _list_totals(event_log))}
    if isinstance(event, Undone):
        return {**parts, seat: replace(part, user_tiles=max(0, part.user_tiles - 1))}
    if seat in table.clock.standins or (part.is_owned and part.owner != row.user_id):
        return {**parts, seat: replace(part, standin_tiles=part.standin_tiles + 1)}
    # The rules may have placed the tile that opens a round.
    if not part.is_owned and event_log.match.board.placed:
        taken = any(other.owner == row.user_id for other in parts.values())
        part = replace(part, is_owned=True, owner=None if taken else row.user_id)
    return {**parts, seat: replace(part, user_tiles=part.user_tiles + 1)}


def _hand_over_seat(table: TableState, event_log: EventLog | None, seat: int, user: int | None) -> TableState:
    """Keep the owner of a seat's result when the seat changes hands; note a player who leaves before owning it."""
    part, before = table.ownerships.get(seat) or SeatOwnership(), table.seats[seat].user_id
    if part.is_owned:
        left = (
            None
            if user is not None and user == part.owner
            else part.totals_when_left or (_list_totals(event_log) if event_log else ())
        )
        return replace(table, ownerships={**table.ownerships, seat: replace(part, totals_when_left=left)})
    return (
        table if before is None or event_log is None else replace(table, early_leavers=(*table.early_leavers, before))
    )


def _list_totals(event_log: EventLog) -> tuple[int, ...]:
    return tuple(seat.total for seat in event_log.match.seats)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionContext:
    """What a decision depends on besides the table and its log."""

    now: int  # UTC epoch ms
    secret: bytes = field(repr=False)  # 32 bytes behind every shuffle
    rules: Rules  # rules of a match that has not begun; the log has those of a running one
    people: Mapping[int, Person] = field(default_factory=dict)  # users' settings by user id; defaults for all others
    interaction_id: int | None = None  # id of the interaction, if there is one: entropy of a user who sits down
    match_id: int = 0
    due: table_state.Due | None = None  # the due moment as stored
    written_at: int = 0  # when the table was last written, as stored
    outages: tuple[table_state.Outage, ...] = ()  # outages to credit to running clocks
    premoves: Mapping[int, Premove] = field(default_factory=dict)  # premoves by user id, with their outcomes
    uninvited: frozenset[int] = frozenset()
    """Users who are not invited to a reserved seat, because they ignored a recent invitation."""

    def get_person(self, user_id: int) -> Person:
        return self.people.get(user_id) or Person(user_id=user_id)


@dataclass(slots=True)
class Draft:
    """A table with the events of a command applied to it. The original stays unchanged."""

    table: TableState
    event_log: EventLog | None  # None in the lobby
    context: DecisionContext
    events: list[LogEvent] = field(default_factory=list)
    premoves: dict[int, Premove | None] = field(default_factory=dict)  # changed premoves; None: deleted
    _owns_log: bool = False  # whether the event log was copied for this draft

    @property
    def match(self) -> Match:
        """The match. Raises RefusalError if it has not begun or the table is closed."""
        if self.event_log is None or self.table.state == "void":
            why = Refusal.CLOSED if self.table.state == "void" else Refusal.NOT_STARTED
            raise RefusalError(why, host=self.table.host or 0)
        return self.event_log.match

    @property
    def turn(self) -> table_state.Turn | None:
        """The running turn; its user is None if a computer plays, for itself or as a stand-in."""
        if self.event_log is None or self.event_log.match.ended or self.table.state != "open":
            return None
        seat, table = self.event_log.match.turn, self.table
        return table_state.Turn(seat=seat, user=None if seat in table.clock.standins else table.seats[seat].user_id)

    def apply(self, *events: LogEvent) -> None:
        for event in events:
            self.events.append(event)
            if not self._owns_log and isinstance(event, MATCH_EVENTS):
                # Others still use the unchanged event log.
                self.event_log, self._owns_log = None if self.event_log is None else self.event_log.copy(), True
            self.table, self.event_log = apply_event(self.table, self.event_log, event, self.context.now)

    def check_running(self) -> None:
        """Raise RefusalError(PAUSED) with moderator and reason, or PAUSED_TOGETHER if the players agreed on a pause."""
        if self.table.clock.time.paused:
            pause = self.table.pause or table_state.Pause()
            if pause.until is not None:
                raise RefusalError(Refusal.PAUSED_TOGETHER, until=pause.until)
            raise RefusalError(Refusal.PAUSED, moderator=pause.by, reason=pause.reason)

    def follow_vacation(self) -> table_state.Turn | None:
        """Update the vacation of the player to move from their settings; return the turn."""
        turn = self.turn
        if turn is None or turn.user is None:
            return turn
        until = self.context.get_person(turn.user).preferences.away_until
        if until <= self.context.now:
            until = 0
        elif self.table.terms.pace.kind == "live":
            until = 0  # players of a live table are present
        if self.table.clock.watch.away.get(turn.seat, 0) != until:
            self.apply(Away(turn.seat, until))
        return turn
