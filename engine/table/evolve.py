"""Apply events to a table: a log, or in a `Draft` the events of a command."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from engine.match.event_log import EventLog, begun
from engine.match.events import Dealt, Drew, MatchEnded, Placed, Resigned, RoundEnded, Started, Undone
from engine.match.events import Event as MatchEvent
from engine.match.rules import Rules
from engine.match.state import Match, replace
from engine.table import clock as time_of
from engine.table import table_events as events
from engine.table import table_state
from engine.table.clockwork import clock_after
from engine.table.people import hosted, replaced, risen, unkept, vacated
from engine.table.preferences import Person
from engine.table.refusals import No, Refused
from engine.table.table_events import CALM, MODERATED, Away, DealOpened, LogEvent, SetBack, set_back
from engine.table.table_state import Premove, SeatPlay, TableState

MATCH = get_args(MatchEvent)

PERSONAL = (
    events.Opened,
    events.Joined,
    events.Asked,
    events.Answered,
    events.Replaced,
    events.Moved,
    events.Returned,
    events.EndWished,
    events.PauseAgreed,
    *MODERATED,
)
"""Events that count as an act of a user."""

HIDDEN = (Drew, Dealt, RoundEnded, Resigned)  # hidden tiles become known: nothing before can be undone


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a log; `at` is UTC epoch ms."""

    event: LogEvent
    at: int


def replay(entries: Iterable[Entry]) -> tuple[TableState, EventLog | None]:
    """Rebuild a table and its match from a whole log. Raises ValueError if the first entry is not Opened."""
    first, *others = entries
    if not isinstance(first.event, events.Opened):
        raise ValueError(f"a log begins with Opened, not with {type(first.event).__name__}")
    table, event_log = evolve(TableState(terms=first.event.terms), None, first.event, first.at)
    for entry in others:
        table, event_log = evolve(table, event_log, entry.event, entry.at)
    return table, event_log


def evolve(
    table: TableState, event_log: EventLog | None, event: LogEvent, at: int
) -> tuple[TableState, EventLog | None]:
    """Apply one event. The event log changes in place: copy a shared one first."""
    seq = table.seq + 1
    if not isinstance(event, MATCH):
        table = replace(table, seq=seq, moved=table.moved if isinstance(event, CALM) else seq)
        return _around(table, event_log, event, at), event_log
    if isinstance(event, Started):
        sitting = table.sitting
        table = replace(
            table,
            clock=replace(table.clock, acted=at),
            state="open",
            lasting=sitting,
            played=sitting,
            guests=table_state.Guests(),
            agreed=None,
        )
        return replace(table, seq=seq, moved=seq), begun(event)
    assert event_log is not None
    state, clock = table.state, _stirred(table.clock, event, at)
    if isinstance(event, Placed | Undone | Resigned):
        table = replace(table, parts=_taken_part(table, event_log, event))
    # Any event in the match withdraws the question.
    question = None if event_log.tell(event) else table.question
    if isinstance(event, HIDDEN):
        clock = replace(clock, time=time_of.settled(clock.time))
    if isinstance(event, Resigned):
        clock = vacated(clock, event.seat)
    if isinstance(event, MatchEnded):
        state, clock = "done", replace(clock, time=replace(clock.time, since=None))
    back = table.taken_back + isinstance(event, Undone)
    table = replace(table, unsettled=None, taken_back=back, question=question, seq=seq, moved=seq)
    return replace(table, state=state, clock=clock), event_log


def _stirred(clock: table_state.Clock, event: MatchEvent, at: int) -> table_state.Clock:
    """Note an act of the player whose time runs, an undo or a resignation; forced moves and computers do not count."""
    seat = getattr(event, "seat", None)
    acts = isinstance(event, Undone | Resigned) or (seat is not None and seat == clock.time.seat)
    return replace(clock, acted=at) if acts else clock


def _around(table: TableState, event_log: EventLog | None, event: LogEvent, at: int) -> TableState:
    if isinstance(event, PERSONAL) and not getattr(event, "made_way", False):
        table = replace(table, clock=replace(table.clock, acted=at))
    if isinstance(event, MODERATED) and event.by is not None:
        table = replace(table, lasting=table.lasting | {event.by})
    match event:
        case events.Opened(_, host, seats, commitment):
            return replace(table, host=host, seats=seats, commitment=commitment, opened_at=at)
        case events.Contributed(seat, text):
            seats = tuple(replace(row, contribution=text) if row.seat == seat else row for row in table.seats)
            return replace(table, seats=seats)
        case events.Joined(user, computer):
            row = table_state.SeatRow(seat=len(table.seats), user_id=user, computer=computer, joined_at=at)
            return replace(table, seats=(*table.seats, row), guests=unkept(table.guests, (user,)))
        case events.Left(seat):
            return risen(table, seat)
        case events.Kept() | events.Freed() | events.Removed() | events.Revised():
            return hosted(table, event)
        case events.Closed(reason):
            return replace(table, state="void", closed=reason, question=None, guests=table_state.Guests())
        case events.Stopped():
            return replace(table, state="void", closed="stopped", question=None, guests=table_state.Guests())
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
            return table if asked is None else replace(table, question=table_state.answered(asked, seat, yes=yes))
        case events.Lapsed():
            return replace(table, question=None)
        case events.Replaced(seat, user):
            return replaced(_handed_over(table, event_log, seat, user), seat, user, at)
        case events.ChoiceMade(_, "end", how):
            return replace(table, clock=clock_after(table, event, at), ended="chosen" if how == "chosen" else "default")
        case events.Tentative(seat, until, used):
            return replace(table, unsettled=table_state.Unsettled(seat, until, used))
        case events.Settled():
            return _stands(table)
        case events.Stumbled(seat, why):
            before = table.stumbled(seat)
            after = table_state.Stumbles(before.moves + 1, before.faults + (why in table_state.FAULTS))
            return replace(table, stumbles={**table.stumbles, seat: after})
        case events.Paused(by, reason):
            clock = replace(table.clock, time=time_of.paused(table.clock.time, at))
            return replace(table, clock=clock, pause=table_state.Pause(by=by, reason=reason))
        case events.PauseAgreed(_, until):
            clock = replace(table.clock, time=time_of.paused(table.clock.time, at))
            return replace(table, clock=clock, pause=table_state.Pause(until=until), question=None)
        case SetBack():
            return set_back(table, at)
        case DealOpened():
            return replace(table, deal_opened=True, deal_outrun=event_log is not None and event_log.match.ended is None)
        case _:
            table = replace(table, pause=None) if isinstance(event, events.Resumed | events.PauseEnded) else table
            if isinstance(event, events.TurnBegan) and event.how == "next":
                table = replace(table, taken_back=0)
            return replace(table, clock=clock_after(table, event, at))


def _stands(table: TableState) -> TableState:
    """Make a turn final, with the time that it had used when it was played."""
    if table.unsettled is None:
        return table
    time = replace(table.clock.time, used=table.unsettled.used, since=None)
    return replace(table, unsettled=None, clock=replace(table.clock, time=time))


def _taken_part(table: TableState, event_log: EventLog, event: Placed | Undone | Resigned) -> dict[int, SeatPlay]:
    """Return the seats' owners after an event that is not yet applied to the event log."""
    seat, parts = event.seat, table.parts
    row, part = table.seats[seat], parts.get(seat) or SeatPlay()
    if row.computer is not None:
        return {**parts}
    if isinstance(event, Resigned):
        return {**parts, seat: replace(part, left=part.left or _totals(event_log))}
    if isinstance(event, Undone):
        return {**parts, seat: replace(part, placed=max(0, part.placed - 1))}
    if seat in table.clock.standins or (part.owned and part.owner != row.user_id):
        return {**parts, seat: replace(part, stood_in=part.stood_in + 1)}
    # The rules may have placed the tile that opens a round.
    if not part.owned and event_log.match.board.placed:
        taken = any(other.owner == row.user_id for other in parts.values())
        part = replace(part, owned=True, owner=None if taken else row.user_id)
    return {**parts, seat: replace(part, placed=part.placed + 1)}


def _handed_over(table: TableState, event_log: EventLog | None, seat: int, user: int | None) -> TableState:
    """Keep the owner of a seat's result when the seat changes hands; note a player who leaves before owning it."""
    part, before = table.parts.get(seat) or SeatPlay(), table.seats[seat].user_id
    if part.owned:
        left = (
            None if user is not None and user == part.owner else part.left or (_totals(event_log) if event_log else ())
        )
        return replace(table, parts={**table.parts, seat: replace(part, left=left)})
    return table if before is None or event_log is None else replace(table, gone=(*table.gone, before))


def _totals(event_log: EventLog) -> tuple[int, ...]:
    return tuple(seat.total for seat in event_log.match.seats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a decision depends on besides the table and its log."""

    now: int  # UTC epoch ms
    secret: bytes = field(repr=False)  # 32 bytes behind every shuffle
    rules: Rules  # rules of a match that has not begun; the log has those of a running one
    people: Mapping[int, Person] = field(default_factory=dict)  # users' settings by user id; defaults for all others
    press: int | None = None  # id of the interaction, if there is one: entropy of a user who sits down
    match_id: int = 0
    due: table_state.Due | None = None  # the due moment as stored
    written: int = 0  # when the table was last written, as stored
    outages: tuple[table_state.Outage, ...] = ()  # outages to credit to running clocks
    premoves: Mapping[int, Premove] = field(default_factory=dict)  # premoves by user id, with their outcomes
    uncalled: frozenset[int] = frozenset()
    """Users who are not invited to a reserved seat, because they ignored a recent invitation."""

    def person(self, user_id: int) -> Person:
        return self.people.get(user_id) or Person(user_id=user_id)


@dataclass(slots=True)
class Draft:
    """A table with the events of a command applied to it. The original stays unchanged."""

    table: TableState
    event_log: EventLog | None  # None in the lobby
    given: Given
    events: list[LogEvent] = field(default_factory=list)
    premoves: dict[int, Premove | None] = field(default_factory=dict)  # changed premoves; None: deleted
    _own: bool = False  # whether the event log was copied for this draft

    @property
    def match(self) -> Match:
        """The match. Raises Refused if it has not begun or the table is closed."""
        if self.event_log is None or self.table.state == "void":
            why = No.CLOSED if self.table.state == "void" else No.NOT_STARTED
            raise Refused(why, host=self.table.host or 0)
        return self.event_log.match

    @property
    def turn(self) -> table_state.Turn | None:
        """The running turn; its user is None if a computer plays, for itself or as a stand-in."""
        if self.event_log is None or self.event_log.match.ended or self.table.state != "open":
            return None
        seat, table = self.event_log.match.turn, self.table
        return table_state.Turn(seat=seat, user=None if seat in table.clock.standins else table.seats[seat].user_id)

    def happens(self, *events: LogEvent) -> None:
        """Apply these events in order."""
        for event in events:
            self.events.append(event)
            if not self._own and isinstance(event, MATCH):
                # Others still use the unchanged event log.
                self.event_log, self._own = None if self.event_log is None else self.event_log.copy(), True
            self.table, self.event_log = evolve(self.table, self.event_log, event, self.given.now)

    def check_running(self) -> None:
        """Raise Refused(PAUSED) with moderator and reason, or PAUSED_TOGETHER if the players agreed on a pause."""
        if self.table.clock.time.paused:
            pause = self.table.pause or table_state.Pause()
            if pause.until is not None:
                raise Refused(No.PAUSED_TOGETHER, until=pause.until)
            raise Refused(No.PAUSED, moderator=pause.by, reason=pause.reason)

    def follow_vacation(self) -> table_state.Turn | None:
        """Update the vacation of the player to move from their settings; return the turn."""
        turn = self.turn
        if turn is None or turn.user is None:
            return turn
        until = self.given.person(turn.user).preferences.away_until
        if until <= self.given.now:
            until = 0
        elif self.table.terms.pace.kind == "live":
            until = 0  # players of a live table are present
        if self.table.clock.watch.away.get(turn.seat, 0) != until:
            self.happens(Away(turn.seat, until))
        return turn
