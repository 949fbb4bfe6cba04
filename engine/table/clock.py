"""The clock of a table: the time used by a turn and the time left, and what each event does to them.

The clock stores *used* time, never the time left: a pause, a vacation or an outage freezes a number and uses nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from engine.match.state import replace
from engine.table import table_events
from engine.table.people import drop_seat, mark_present
from engine.table.table_events import LogEvent, ReadAgain
from engine.table.table_state import Clock, Outage, PastTurn, StandIn, TableState, Time, Watch, compute_used_time
from engine.table.terms import REMINDER_SPANS, SILENCE_SPAN, Pace, parse_pace

REMINDER_PERCENT: Final = 80  # percent of a turn's time after which its player is reminded
PLAYER_NOTICES = ("away", "home")  # announcements of a vacation that the player started or ended


def compute_time_left(time: Time, now: int) -> int | None:
    """Return the time left, at least 0; None means unlimited."""
    return None if time.allowance is None else max(0, time.allowance - compute_used_time(time, now))


def compute_reminder_mark(time: Time, pace: Pace, now: int) -> int | None:
    """Return the used time of the reminder, in ms: at 80 % of the time left, or the next fixed call if relaxed."""
    if pace.kind == "relaxed":
        return next((call for call in REMINDER_SPANS if call > compute_used_time(time, now)), None)
    rest = compute_time_left(time, now)
    return None if rest is None else compute_used_time(time, now) + rest * REMINDER_PERCENT // 100


def begin_turn(time: Time, pace: Pace, seats: int, seat: int | None, now: int, height: int = 0) -> Time:
    """Begin the next turn, of `seat` or of a computer, and charge the last turn to its bank. `height` is the number of
    placements and passes that can be undone now.
    """
    if time.banks:
        time = replace(time, past_turns=(*time.past_turns, _record_turn(time, now)))
    banks = list(time.banks or [pace.bank] * seats)
    if time.seat is not None:
        rest = max(0, banks[time.seat] - compute_used_time(time, now))
        banks[time.seat] = min(pace.bank, rest + pace.increment)
    return _start_turn(replace(time, banks=tuple(banks), height=height), pace, seat, now)


def _start_turn(time: Time, pace: Pace, seat: int | None, now: int) -> Time:
    undone = next((spell for spell in time.undone_turns if seat is not None and spell.seat == seat), None)
    used, allowance = (undone.used, undone.allowance) if undone else (0, None)
    if seat is not None:
        # Granted time stays granted.
        allowance = max(allowance or 0, time.banks[seat] if pace.kind == "bank" else pace.turn or SILENCE_SPAN)
    over = undone is not None and undone.has_used_grace
    if undone is not None and allowance is not None and used >= allowance and not over:
        # The time had run out while the others chose; the rest of the grace period continues too.
        allowance, over = allowance + pace.grace, True
    return replace(
        time,
        seat=seat,
        since=None if seat is None or time.paused else now,
        used=used,
        allowance=allowance,
        has_used_grace=over,
        undone_turns=tuple(spell for spell in time.undone_turns if spell is not undone),
    )


def _record_turn(time: Time, now: int) -> PastTurn:
    bank = 0 if time.seat is None or not time.banks else time.banks[time.seat]
    return PastTurn(time.seat, compute_used_time(time, now), time.allowance, bank, time.height, time.has_used_grace)


def forget_past_turns(time: Time) -> Time:
    """Forget the turns that can be undone, because a hidden tile became known."""
    return replace(time, height=0, past_turns=())


def rewind_turn(time: Time, pace: Pace, seats: int, seat: int | None, now: int, height: int) -> Time:
    """Return to the turn of `seat` after an undo that leaves `height` undoable placements and passes. The turn
    continues as if it had not ended: used time stays used and the bank gets no increment. Later turns that were undone
    continue in the same way.
    """
    if time.height <= height:
        return time  # it had not ended
    ended = [spell for spell in time.past_turns if spell.height <= height]
    if not ended or ended[-1].seat != seat:
        # The clock is older than the stored turns, or another player has the seat.
        return begin_turn(time, pace, seats, seat, now, height)
    undone = [*time.past_turns[len(ended) - 1 :], _record_turn(time, now)]
    banks, broken = list(time.banks), list(time.undone_turns)
    for player in {spell.seat for spell in undone if spell.seat is not None}:
        turns = [spell for spell in [*broken, *undone] if spell.seat == player]
        banks[player] = next(spell.bank for spell in undone if spell.seat == player)
        broken = [spell for spell in broken if spell.seat != player]
        broken.append(_merge_turns(turns, pace))
    before = replace(
        time, banks=tuple(banks), undone_turns=tuple(broken), past_turns=tuple(ended[:-1]), height=ended[-1].height
    )
    return _start_turn(before, pace, seat, now)


def _merge_turns(turns: Sequence[PastTurn], pace: Pace) -> PastTurn:
    # A bank pays for all the turns; an allowance per turn pays for the longest.
    used = [spell.used for spell in turns]
    allowance = max((spell.allowance for spell in turns if spell.allowance is not None), default=None)
    over = any(spell.has_used_grace for spell in turns)
    return replace(
        turns[0], used=sum(used) if pace.kind == "bank" else max(used), allowance=allowance, has_used_grace=over
    )


def pause_time(time: Time, now: int) -> Time:
    """Stop the clock; idempotent."""
    return replace(time, used=compute_used_time(time, now), since=None, paused=True)


def resume_time(time: Time, now: int) -> Time:
    """Let a paused clock run again."""
    return replace(time, since=None if time.seat is None else now, paused=False) if time.paused else time


def hold_time(time: Time, until: int, now: int) -> Time:
    """Stop the running turn until then: its player is away."""
    if time.since is None or until <= max(now, time.since):
        return time
    return replace(time, used=compute_used_time(time, now), since=until)


def release_time(time: Time, now: int) -> Time:
    """Let the turn run again: its player has returned early."""
    return time if time.since is None or time.since <= now else replace(time, since=now)


def credit_outage(time: Time, start: int, end: int) -> Time:
    """Credit an outage from `start` to `end` to the running turn; idempotent."""
    start = max(start, time.credited)
    if end <= start:
        return time
    since = None if time.since is None else time.since + max(0, end - max(start, time.since))
    return replace(time, since=since, credited=end)


def grant_time(time: Time, span: int, now: int, *, is_grace: bool = False) -> Time:
    """Give this turn `span` ms from now; `over` marks it as the grace period."""
    if time.allowance is None:
        return time
    return replace(time, allowance=compute_used_time(time, now) + span, has_used_grace=is_grace)


def apply_to_clock(table: TableState, event: LogEvent, at: int) -> Clock:
    clock, pace = table.clock, parse_pace(table.terms.clock)
    time, watch = clock.time, clock.watch
    match event:
        case table_events.TurnBegan():
            return _begin_clock_turn(table, event, pace, at)
        case table_events.Reminded(_, main):
            following = compute_reminder_mark(time, pace, at) if pace.kind == "relaxed" else None
            return replace(clock, watch=replace(watch, notified_at=at, mark=following if main else watch.mark))
        case table_events.RanOut(seat):
            timeouts = {**watch.timeouts, seat: watch.timeouts.get(seat, 0) + 1}
            return replace(clock, watch=replace(watch, timeouts=timeouts))
        case table_events.ChoiceAsked(_, until, left):
            asked = replace(watch, absence_question=table.seq, asked="left" if left else "late", until=until)
            return replace(clock, watch=replace(asked, end_votes=()))
        case table_events.EndWished(seat):
            return replace(clock, watch=replace(watch, end_votes=(*watch.end_votes, seat)))
        case table_events.ChoiceMade(seat, choice, how, span):
            clock = replace(clock, watch=replace(watch, absence_question=None, until=None, end_votes=()))
            if how != "default":
                clock = replace(clock, acted_at=at)
            match choice:
                case "wait":
                    waits = replace(clock, watch=replace(clock.watch, notified_at=at))
                    return _grant_clock_time(waits, pace, span, at)
                case "turn" | "seat":
                    return replace(clock, standins={**clock.standins, seat: choice})
                case "end":
                    return clock
        case table_events.Granted(_, span):
            watch = replace(watch, absence_question=None, until=None, end_votes=())
            return _grant_clock_time(replace(clock, watch=watch), pace, span, at)
        case table_events.Returned(seat):
            return mark_present(clock, seat)
        case table_events.Away(seat, until):
            away = {**drop_seat(watch.away, seat), **({seat: until} if until > at else {})}
            acted = at if event.told in PLAYER_NOTICES else clock.acted_at
            return _hold_clock_time(replace(clock, watch=replace(watch, away=away), acted_at=acted), at)
        case table_events.Credited(outages):
            return credit_outages(clock, outages)
        case ReadAgain(since):
            return credit_outages(clock, [Outage(start=since, end=at)])
        case table_events.Resumed() | table_events.PauseEnded():
            end = None if watch.absence_question is None else at + pace.grace
            watch = replace(watch, until=end, notified_at=at)
            return _hold_clock_time(replace(clock, time=resume_time(time, at), watch=watch), at)
        case table_events.Skipped():
            watch = replace(watch, absence_question=None, until=None, end_votes=())
            standins: dict[int, StandIn] = {} if event.seat is None else {event.seat: "turn"}
            return replace(clock, watch=watch, standins={**clock.standins, **standins})
        case _:
            return clock


def _begin_clock_turn(table: TableState, event: table_events.TurnBegan, pace: Pace, at: int) -> Clock:
    clock, seat, before = table.clock, event.seat, table.clock.time
    if event.how != "anew":
        # A stand-in for one turn ends with that turn.
        clock = replace(clock, standins={seat: how for seat, how in clock.standins.items() if how == "seat"})
    person = seat if table.seats[seat].user_id is not None and seat not in clock.standins else None
    begin = rewind_turn if event.how == "back" else begin_turn
    time = begin(before, pace, len(table.seats), person, at, event.height)
    if event.how == "anew":
        # An undo continues the same turn.
        time = replace(time, height=before.height, past_turns=before.past_turns)
    kept = clock.watch
    away = {other: until for other, until in kept.away.items() if until > at}
    watch = Watch(seat=seat, began=at, notified_at=at, timeouts=kept.timeouts, away=away)
    clock = replace(clock, time=time, watch=replace(watch, mark=compute_reminder_mark(time, pace, at)))
    return _hold_clock_time(clock, at) if seat in away else clock


def _grant_clock_time(clock: Clock, pace: Pace, span: int | None, at: int) -> Clock:
    time = grant_time(clock.time, pace.extra_time if span is None else span, at, is_grace=span is not None)
    return replace(clock, time=time, watch=replace(clock.watch, mark=compute_reminder_mark(time, pace, at)))


def _hold_clock_time(clock: Clock, at: int) -> Clock:
    """Stop the running time while its player is on vacation."""
    time, seat = clock.time, clock.time.seat
    until = 0 if seat is None else clock.watch.away.get(seat, 0)
    # The vacation may have become shorter.
    time = release_time(time, at)
    return replace(clock, time=hold_time(time, until, at) if until > at else time)


def credit_outages(clock: Clock, outages: Iterable[Outage]) -> Clock:
    """Credit outages, oldest first; time that was credited before is not credited again."""
    for outage in outages:
        time, watch = credit_outage(clock.time, outage.start, outage.end), clock.watch
        # A question of a later turn was asked after the outage.
        if time != clock.time and watch.until is not None and watch.began < outage.end:
            until = watch.until + outage.end - max(outage.start, clock.time.credited)
            watch = replace(watch, until=until)
        start, acted = max(outage.start, clock.time.credited), clock.acted_at
        if outage.end > start:
            acted += max(0, outage.end - max(start, acted))
        clock = replace(clock, time=time, watch=watch, acted_at=acted)
    return clock
