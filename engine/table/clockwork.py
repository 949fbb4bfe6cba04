"""The clock of a table, event by event: running time, stand-ins and pending choices. `engine.table.evolve` uses it."""

from collections.abc import Iterable

from engine.match.state import replace
from engine.table import clock as time_of
from engine.table import table_events
from engine.table.people import but_for, there
from engine.table.table_events import LogEvent, ReadAgain
from engine.table.table_state import Clock, Outage, StandIn, TableState, Watch
from engine.table.terms import Pace, parse_pace

TOLD_BY_THEM = ("away", "home")  # announcements of a vacation that the player started or ended


def clock_after(table: TableState, event: LogEvent, at: int) -> Clock:
    """Apply an event to the clock."""
    clock, pace = table.clock, parse_pace(table.terms.clock)
    time, watch = clock.time, clock.watch
    match event:
        case table_events.TurnBegan():
            return _begun(table, event, pace, at)
        case table_events.Reminded(_, main):
            following = time_of.mark(time, pace, at) if pace.kind == "relaxed" else None
            return replace(clock, watch=replace(watch, told=at, mark=following if main else watch.mark))
        case table_events.RanOut(seat):
            again = {**watch.silences, seat: watch.silences.get(seat, 0) + 1}
            return replace(clock, watch=replace(watch, silences=again))
        case table_events.ChoiceAsked(_, until):
            return replace(clock, watch=replace(watch, asking=table.seq, until=until, ending=()))
        case table_events.EndWished(seat):
            return replace(clock, watch=replace(watch, ending=(*watch.ending, seat)))
        case table_events.ChoiceMade(seat, choice, how, span):
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
        case table_events.Granted(_, span):
            watch = replace(watch, asking=None, until=None, ending=())
            return _granted(replace(clock, watch=watch), pace, span, at)
        case table_events.Returned(seat):
            return there(clock, seat)
        case table_events.Away(seat, until):
            away = {**but_for(watch.away, seat), **({seat: until} if until > at else {})}
            acted = at if event.told in TOLD_BY_THEM else clock.acted
            return _held(replace(clock, watch=replace(watch, away=away), acted=acted), at)
        case table_events.Credited(outages):
            return repaid(clock, outages)
        case ReadAgain(since):
            return repaid(clock, [Outage(start=since, end=at)])
        case table_events.Resumed() | table_events.PauseEnded():
            end = None if watch.asking is None else at + pace.grace
            watch = replace(watch, until=end, told=at)
            return _held(replace(clock, time=time_of.resumed(time, at), watch=watch), at)
        case table_events.Skipped():
            watch = replace(watch, asking=None, until=None, ending=())
            stood: dict[int, StandIn] = {} if event.seat is None else {event.seat: "turn"}
            return replace(clock, watch=watch, standins={**clock.standins, **stood})
        case _:
            return clock


def _begun(table: TableState, event: table_events.TurnBegan, pace: Pace, at: int) -> Clock:
    clock, seat, before = table.clock, event.seat, table.clock.time
    if event.how != "anew":
        # A stand-in for one turn ends with that turn.
        clock = replace(clock, standins={seat: how for seat, how in clock.standins.items() if how == "seat"})
    person = seat if table.seats[seat].user_id is not None and seat not in clock.standins else None
    begin = time_of.rewound if event.how == "back" else time_of.turned
    time = begin(before, pace, len(table.seats), person, at, event.height)
    if event.how == "anew":
        # An undo continues the same turn.
        time = replace(time, height=before.height, spells=before.spells)
    kept = clock.watch
    away = {other: until for other, until in kept.away.items() if until > at}
    watch = Watch(seat=seat, began=at, told=at, silences=kept.silences, away=away)
    clock = replace(clock, time=time, watch=replace(watch, mark=time_of.mark(time, pace, at)))
    return _held(clock, at) if seat in away else clock


def _granted(clock: Clock, pace: Pace, span: int | None, at: int) -> Clock:
    time = time_of.granted(clock.time, pace.another if span is None else span, at, over=span is not None)
    return replace(clock, time=time, watch=replace(clock.watch, mark=time_of.mark(time, pace, at)))


def _held(clock: Clock, at: int) -> Clock:
    """Stop the running time while its player is on vacation."""
    time, seat = clock.time, clock.time.seat
    until = 0 if seat is None else clock.watch.away.get(seat, 0)
    # The vacation may have become shorter.
    time = time_of.released(time, at)
    return replace(clock, time=time_of.held(time, until, at) if until > at else time)


def repaid(clock: Clock, outages: Iterable[Outage]) -> Clock:
    """Credit outages, oldest first; time that was credited before is not credited again."""
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
