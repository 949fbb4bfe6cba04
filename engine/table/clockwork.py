"""The clock of a table, event by event: running time, stand-ins and pending choices. `engine.table.evolve` uses it."""

from collections.abc import Iterable

from engine.match.state import replace
from engine.table import clock as time_of
from engine.table import table_events
from engine.table.people import drop_seat, mark_present
from engine.table.table_events import LogEvent, ReadAgain
from engine.table.table_state import Clock, Outage, StandIn, TableState, Watch
from engine.table.terms import Pace, parse_pace

PLAYER_NOTICES = ("away", "home")  # announcements of a vacation that the player started or ended


def apply_to_clock(table: TableState, event: LogEvent, at: int) -> Clock:
    """Apply an event to the clock."""
    clock, pace = table.clock, parse_pace(table.terms.clock)
    time, watch = clock.time, clock.watch
    match event:
        case table_events.TurnBegan():
            return _begin_turn(table, event, pace, at)
        case table_events.Reminded(_, main):
            following = time_of.compute_reminder_mark(time, pace, at) if pace.kind == "relaxed" else None
            return replace(clock, watch=replace(watch, notified_at=at, mark=following if main else watch.mark))
        case table_events.RanOut(seat):
            timeouts = {**watch.timeouts, seat: watch.timeouts.get(seat, 0) + 1}
            return replace(clock, watch=replace(watch, timeouts=timeouts))
        case table_events.ChoiceAsked(_, until):
            return replace(clock, watch=replace(watch, absence_question=table.seq, until=until, end_votes=()))
        case table_events.EndWished(seat):
            return replace(clock, watch=replace(watch, end_votes=(*watch.end_votes, seat)))
        case table_events.ChoiceMade(seat, choice, how, span):
            clock = replace(clock, watch=replace(watch, absence_question=None, until=None, end_votes=()))
            if how != "default":
                clock = replace(clock, acted_at=at)
            match choice:
                case "wait":
                    waits = replace(clock, watch=replace(clock.watch, notified_at=at))
                    return _grant_time(waits, pace, span, at)
                case "turn" | "seat":
                    return replace(clock, standins={**clock.standins, seat: choice})
                case "end":
                    return clock
        case table_events.Granted(_, span):
            watch = replace(watch, absence_question=None, until=None, end_votes=())
            return _grant_time(replace(clock, watch=watch), pace, span, at)
        case table_events.Returned(seat):
            return mark_present(clock, seat)
        case table_events.Away(seat, until):
            away = {**drop_seat(watch.away, seat), **({seat: until} if until > at else {})}
            acted = at if event.told in PLAYER_NOTICES else clock.acted_at
            return _hold_time(replace(clock, watch=replace(watch, away=away), acted_at=acted), at)
        case table_events.Credited(outages):
            return credit_outages(clock, outages)
        case ReadAgain(since):
            return credit_outages(clock, [Outage(start=since, end=at)])
        case table_events.Resumed() | table_events.PauseEnded():
            end = None if watch.absence_question is None else at + pace.grace
            watch = replace(watch, until=end, notified_at=at)
            return _hold_time(replace(clock, time=time_of.resume_time(time, at), watch=watch), at)
        case table_events.Skipped():
            watch = replace(watch, absence_question=None, until=None, end_votes=())
            standins: dict[int, StandIn] = {} if event.seat is None else {event.seat: "turn"}
            return replace(clock, watch=watch, standins={**clock.standins, **standins})
        case _:
            return clock


def _begin_turn(table: TableState, event: table_events.TurnBegan, pace: Pace, at: int) -> Clock:
    clock, seat, before = table.clock, event.seat, table.clock.time
    if event.how != "anew":
        # A stand-in for one turn ends with that turn.
        clock = replace(clock, standins={seat: how for seat, how in clock.standins.items() if how == "seat"})
    person = seat if table.seats[seat].user_id is not None and seat not in clock.standins else None
    begin = time_of.rewind_turn if event.how == "back" else time_of.begin_turn
    time = begin(before, pace, len(table.seats), person, at, event.height)
    if event.how == "anew":
        # An undo continues the same turn.
        time = replace(time, height=before.height, past_turns=before.past_turns)
    kept = clock.watch
    away = {other: until for other, until in kept.away.items() if until > at}
    watch = Watch(seat=seat, began=at, notified_at=at, timeouts=kept.timeouts, away=away)
    clock = replace(clock, time=time, watch=replace(watch, mark=time_of.compute_reminder_mark(time, pace, at)))
    return _hold_time(clock, at) if seat in away else clock


def _grant_time(clock: Clock, pace: Pace, span: int | None, at: int) -> Clock:
    time = time_of.grant_time(clock.time, pace.extra_time if span is None else span, at, is_grace=span is not None)
    return replace(clock, time=time, watch=replace(clock.watch, mark=time_of.compute_reminder_mark(time, pace, at)))


def _hold_time(clock: Clock, at: int) -> Clock:
    """Stop the running time while its player is on vacation."""
    time, seat = clock.time, clock.time.seat
    until = 0 if seat is None else clock.watch.away.get(seat, 0)
    # The vacation may have become shorter.
    time = time_of.release_time(time, at)
    return replace(clock, time=time_of.hold_time(time, until, at) if until > at else time)


def credit_outages(clock: Clock, outages: Iterable[Outage]) -> Clock:
    """Credit outages, oldest first; time that was credited before is not credited again."""
    for outage in outages:
        time, watch = time_of.credit_outage(clock.time, outage.start, outage.end), clock.watch
        # A question of a later turn was asked after the outage.
        if time != clock.time and watch.until is not None and watch.began < outage.end:
            until = watch.until + outage.end - max(outage.start, clock.time.credited)
            watch = replace(watch, until=until)
        start, acted = max(outage.start, clock.time.credited), clock.acted_at
        if outage.end > start:
            acted += max(0, outage.end - max(start, acted))
        clock = replace(clock, time=time, watch=watch, acted_at=acted)
    return clock
