"""Folding the log of a table. `decide` says what happens; this only writes it down."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import get_args

from engine.events import Dealt, Drew, MatchEnded, Placed, Resigned, RoundEnded, Started, Undone
from engine.events import Event as MatchEvent
from engine.moments import last_placement
from engine.story import Story, begun
from engine.table import clock as time_of
from engine.table import events
from engine.table.events import CALM, MODERATED, LogEvent
from engine.table.pace import Pace, parse_pace
from engine.table.seating import but_for, hosted, replaced, risen, there, unkept, vacated
from engine.table.set_back import ReadAgain, SetBack, set_back
from engine.table.state import (
    Clock,
    Guests,
    Outage,
    Pause,
    Question,
    SeatPlay,
    SeatRow,
    StandIn,
    TableState,
    Unsettled,
    Watch,
    answered,
)

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
"""Somebody did that."""
TOLD_BY_THEM = ("away", "home")
"""What a table is told of a vacation that somebody began or ended themselves."""

HIDDEN = (Drew, Dealt, RoundEnded, Resigned)
"""After these nothing from before can be taken back (`engine.moments`)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a log. `at` is when it happened, UTC epoch ms."""

    event: LogEvent
    at: int


def replay(entries: Iterable[Entry]) -> tuple[TableState, Story | None]:
    """The table and its match as a whole log tells them. Raises ValueError where the first entry opens no table."""
    first, *others = entries
    if not isinstance(first.event, events.Opened):
        raise ValueError(f"a log begins with Opened, not with {type(first.event).__name__}")
    table, story = evolve(TableState(terms=first.event.terms), None, first.event, first.at)
    for entry in others:
        table, story = evolve(table, story, entry.event, entry.at)
    return table, story


def evolve(table: TableState, story: Story | None, event: LogEvent, at: int) -> tuple[TableState, Story | None]:
    """Both after one more event. The story is carried on in place: copy one that is shared first."""
    seq = table.seq + 1
    if not isinstance(event, MATCH):
        table = replace(table, seq=seq, moved=table.moved if isinstance(event, CALM) else seq)
        return _around(table, story, event, at), story
    if isinstance(event, Started):
        sitting = table.sitting
        table = replace(
            table,
            clock=replace(table.clock, acted=at),
            state="open",
            lasting=sitting,
            played=sitting,
            guests=Guests(),
            agreed=None,
        )
        return replace(table, seq=seq, moved=seq), begun(event)
    assert story is not None
    state, clock = table.state, _stirred(table.clock, event, at)
    if isinstance(event, Placed | Undone | Resigned):
        table = replace(table, parts=_taken_part(table, story, event))
    # Whatever happens in the match withdraws the question.
    question = None if story.tell(event) else table.question
    if isinstance(event, HIDDEN):
        clock = replace(clock, time=time_of.settled(clock.time))
    if isinstance(event, Resigned):
        clock = vacated(clock, event.seat)
    if isinstance(event, MatchEnded):
        state, clock = "done", replace(clock, time=replace(clock.time, since=None))
    back = table.taken_back + isinstance(event, Undone)
    table = replace(table, unsettled=None, taken_back=back, question=question, seq=seq, moved=seq)
    return replace(table, state=state, clock=clock), story


def _stirred(clock: Clock, event: MatchEvent, at: int) -> Clock:
    """Somebody acted whose time was running, or took something back, or resigned: rules and computers do not."""
    seat = getattr(event, "seat", None)
    acts = isinstance(event, Undone | Resigned) or (seat is not None and seat == clock.time.seat)
    return replace(clock, acted=at) if acts else clock


def _around(table: TableState, story: Story | None, event: LogEvent, at: int) -> TableState:
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
            row = SeatRow(seat=len(table.seats), user_id=user, computer=computer, joined_at=at)
            return replace(table, seats=(*table.seats, row), guests=unkept(table.guests, (user,)))
        case events.Left(seat):
            return risen(table, seat)
        case events.Kept() | events.Freed() | events.Removed() | events.Revised():
            return hosted(table, event)
        case events.Closed(reason):
            return replace(table, state="void", closed=reason, question=None, guests=Guests())
        case events.Stopped():
            return replace(table, state="void", closed="stopped", question=None, guests=Guests())
        case events.Asked():
            question = Question(
                kind=event.kind,
                by=event.by,
                seat=event.seat,
                number=table.seq,
                until=event.until,
                asked=event.asked,
                waiting=event.asked,
                person=event.person,
                tile=event.tile,
            )
            return replace(table, question=question)
        case events.Answered(seat, yes):
            asked = table.question
            return table if asked is None else replace(table, question=answered(asked, seat, yes=yes))
        case events.Lapsed():
            return replace(table, question=None)
        case events.Replaced(seat, user):
            return replaced(_handed_over(table, story, seat, user), seat, user, at)
        case events.ChoiceMade(_, "end", how):
            return replace(table, clock=_clock(table, event, at), ended="chosen" if how == "chosen" else "default")
        case events.Tentative(seat, until, used):
            return replace(table, unsettled=Unsettled(seat, until, used))
        case events.Settled():
            return _stands(table)
        case events.Paused(by, reason):
            clock = replace(table.clock, time=time_of.paused(table.clock.time, at))
            return replace(table, clock=clock, pause=Pause(by=by, reason=reason))
        case events.PauseAgreed(_, until):
            clock = replace(table.clock, time=time_of.paused(table.clock.time, at))
            return replace(table, clock=clock, pause=Pause(until=until), question=None)
        case SetBack():
            return set_back(table, at)
        case events.Carried(clock, question, pause, moved):
            clock = _carried(clock, parse_pace(table.terms.clock), at)
            return replace(table, clock=clock, question=_told(question, story), pause=pause, moved=moved)
        case _:
            table = replace(table, pause=None) if isinstance(event, events.Resumed | events.PauseEnded) else table
            if isinstance(event, events.TurnBegan) and event.how == "next":
                table = replace(table, taken_back=0)
            return replace(table, clock=_clock(table, event, at))


def _clock(table: TableState, event: LogEvent, at: int) -> Clock:
    """What the clock says after an event that may be about it."""
    clock, pace = table.clock, parse_pace(table.terms.clock)
    time, watch = clock.time, clock.watch
    match event:
        case events.TurnBegan():
            return _begun(table, event, pace, at)
        case events.Reminded(_, main):
            following = time_of.mark(time, pace, at) if pace.kind == "relaxed" else None
            return replace(clock, watch=replace(watch, told=at, mark=following if main else watch.mark))
        case events.RanOut(seat):
            again = {**watch.silences, seat: watch.silences.get(seat, 0) + 1}
            return replace(clock, watch=replace(watch, silences=again))
        case events.ChoiceAsked(_, until):
            return replace(clock, watch=replace(watch, asking=table.seq, until=until, ending=()))
        case events.EndWished(seat):
            return replace(clock, watch=replace(watch, ending=(*watch.ending, seat)))
        case events.ChoiceMade(seat, choice, how, span):
            clock = replace(clock, watch=replace(watch, asking=None, until=None, ending=()))
            if how != "default":
                clock = replace(clock, acted=at)
            match choice:
                case "wait":
                    waits = replace(clock, watch=replace(clock.watch, told=at))
                    return _granted(waits, pace, span, at)
                case "turn" | "seat":
                    return replace(clock, standins={**clock.standins, seat: choice})
                case "end":
                    return clock
        case events.Granted(_, span):
            watch = replace(watch, asking=None, until=None, ending=())
            return _granted(replace(clock, watch=watch), pace, span, at)
        case events.Returned(seat):
            return there(clock, seat)
        case events.Away(seat, until):
            return _away(replace(clock, acted=at) if event.told in TOLD_BY_THEM else clock, seat, until, at)
        case events.Credited(outages):
            return repaid(clock, outages)
        case ReadAgain(since):
            return repaid(clock, [Outage(start=since, end=at)])
        case events.Woken():
            return _woken(clock, pace, at)
        case events.Resumed() | events.PauseEnded():
            end = None if watch.asking is None else at + pace.grace
            watch = replace(watch, until=end, told=at)
            return _held(replace(clock, time=time_of.resumed(time, at), watch=watch), at)
        case events.Skipped():
            watch = replace(watch, asking=None, until=None, ending=())
            stood: dict[int, StandIn] = {} if event.seat is None else {event.seat: "turn"}
            return replace(clock, watch=watch, standins={**clock.standins, **stood})
        case _:
            return clock


def _stands(table: TableState) -> TableState:
    """A turn has ended for good. Its time ended when it was played, not when that could not be taken back any more."""
    if table.unsettled is None:
        return table
    time = replace(table.clock.time, used=table.unsettled.used, since=None)
    return replace(table, unsettled=None, clock=replace(table.clock, time=time))


def _begun(table: TableState, event: events.TurnBegan, pace: Pace, at: int) -> Clock:
    clock, seat, before = table.clock, event.seat, table.clock.time
    if event.how != "anew":
        # Whoever was stood in for during one turn plays the next one themselves.
        clock = replace(clock, standins={seat: how for seat, how in clock.standins.items() if how == "seat"})
    person = seat if table.seats[seat].user_id is not None and seat not in clock.standins else None
    begin = time_of.rewound if event.how == "back" else time_of.turned
    time = begin(before, pace, len(table.seats), person, at, event.height)
    if event.how == "anew":
        # It is the same turn for whoever takes a placement back.
        time = replace(time, height=before.height, spells=before.spells)
    kept = clock.watch
    away = {other: until for other, until in kept.away.items() if until > at}
    watch = Watch(seat=seat, began=at, told=at, silences=kept.silences, away=away)
    clock = replace(clock, time=time, watch=replace(watch, mark=time_of.mark(time, pace, at)))
    return _held(clock, at) if seat in away else clock


def _granted(clock: Clock, pace: Pace, span: int | None, at: int) -> Clock:
    time = time_of.granted(clock.time, pace.another if span is None else span, at, over=span is not None)
    return replace(clock, time=time, watch=replace(clock.watch, mark=time_of.mark(time, pace, at)))


def _woken(clock: Clock, pace: Pace, at: int) -> Clock:
    time = clock.time
    if pace.kind == "relaxed":
        time = replace(time, used=0, since=None if time.since is None else max(at, time.since))
    watch = replace(clock.watch, told=at, mark=time_of.mark(time, pace, at))
    return replace(clock, time=time, watch=watch, acted=at)


def _carried(clock: Clock, pace: Pace, at: int) -> Clock:
    """The clock of an earlier version, which knew neither who did something when nor when a relaxed turn is silent."""
    time = clock.time
    if pace.kind == "relaxed" and time.seat is not None:
        time = replace(time, allowance=pace.longest)
        clock = replace(clock, time=time, watch=replace(clock.watch, mark=time_of.mark(time, pace, at)))
    return replace(clock, acted=at)


def _away(clock: Clock, seat: int, until: int, at: int) -> Clock:
    away = but_for(clock.watch.away, seat)
    return _held(replace(clock, watch=replace(clock.watch, away={**away, seat: until} if until > at else away)), at)


def _held(clock: Clock, at: int) -> Clock:
    """While the player of the running turn is on vacation, its time stands still."""
    time, seat = clock.time, clock.time.seat
    until = 0 if seat is None else clock.watch.away.get(seat, 0)
    # A vacation may have become shorter.
    time = time_of.released(time, at)
    return replace(clock, time=time_of.held(time, until, at) if until > at else time)


def repaid(clock: Clock, outages: Iterable[Outage]) -> Clock:
    """The clock after these outages, oldest first. What it was given before is not given again."""
    for outage in outages:
        time, watch = time_of.credited(clock.time, outage.start, outage.end), clock.watch
        # A question of a later turn was asked after the outage.
        if time != clock.time and watch.until is not None and watch.began < outage.end:
            until = watch.until + outage.end - max(outage.start, clock.time.credited)
            watch = replace(watch, until=until)
        start, acted = max(outage.start, clock.time.credited), clock.acted
        if outage.end > start:
            acted += max(0, outage.end - max(start, acted))
        clock = replace(clock, time=time, watch=watch, acted=acted)
    return clock


def _told(question: Question | None, story: Story | None) -> Question | None:
    """A question of an earlier version, which kept no tile."""
    if question is None or story is None or question.kind != "undo" or question.tile is not None:
        return question
    moment = last_placement(story.match.behind, question.seat)
    return replace(question, tile=None if moment is None else moment.tile)


def _taken_part(table: TableState, story: Story, event: Placed | Undone | Resigned) -> dict[int, SeatPlay]:
    """Whose results the seats make, after an event of the match that has yet to happen to the story."""
    seat, parts = event.seat, table.parts
    row, part = table.seats[seat], parts.get(seat) or SeatPlay()
    if row.computer is not None:
        return {**parts}
    if isinstance(event, Resigned):
        return {**parts, seat: replace(part, left=part.left or _totals(story))}
    if isinstance(event, Undone):
        return {**parts, seat: replace(part, placed=max(0, part.placed - 1))}
    if seat in table.clock.standins or (part.owned and part.owner != row.user_id):
        return {**parts, seat: replace(part, stood_in=part.stood_in + 1)}
    # The tile that opens a round may have been placed by the rules.
    if not part.owned and story.match.board.placed:
        taken = any(other.owner == row.user_id for other in parts.values())
        part = replace(part, owned=True, owner=None if taken else row.user_id)
    return {**parts, seat: replace(part, placed=part.placed + 1)}


def _handed_over(table: TableState, story: Story | None, seat: int, user: int | None) -> TableState:
    """Whoever owns the result of a seat keeps it; the first who did not is noted. An owner may come back."""
    part, before = table.parts.get(seat) or SeatPlay(), table.seats[seat].user_id
    if part.owned:
        left = None if user is not None and user == part.owner else part.left or (_totals(story) if story else ())
        return replace(table, parts={**table.parts, seat: replace(part, left=left)})
    return table if before is None or story is None else replace(table, gone=(*table.gone, before))


def _totals(story: Story) -> tuple[int, ...]:
    return tuple(seat.total for seat in story.match.seats)
