"""The time used by a turn and the time left. Pure arithmetic.

The clock stores *used* time, never the time left: a pause, a vacation or an outage freezes a number and uses nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.match.state import replace
from engine.table.terms import REMINDER_SPANS, SILENCE_SPAN, Pace

REMINDER_PERCENT: Final = 80  # percent of a turn's time after which its player is reminded


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn at its end, or at the moment when a move before it was undone."""

    seat: int | None  # None for a computer
    used: int
    allowance: int | None
    bank: int  # of the seat at the start of the turn, in ms
    height: int  # number of placements and passes that could be undone at the start of the turn
    has_used_grace: bool = False  # whether the grace period after the time was used


@dataclass(frozen=True, slots=True)
class Time:
    """The clock of a table at one moment. Times are UTC epoch ms, spans are ms."""

    seat: int | None = None  # None while a computer plays
    since: int | None = None  # None while the clock stands still; a moment in the future starts the clock then
    used: int = 0  # time used in this turn before `since`
    allowance: int | None = None  # for this turn; None means unlimited
    banks: tuple[int, ...] = ()  # time left by seat for later turns, at tables with time banks
    paused: bool = False  # turns still change while paused, but no time runs
    credited: int = 0  # the end of the last outage that was credited
    has_used_grace: bool = False  # whether the grace period of this turn was used: only the other players can add time
    height: int = 0  # number of placements and passes that could be undone at the start of this turn
    past_turns: tuple[PastTurn, ...] = ()  # turns that an undo can bring back, oldest first
    undone_turns: tuple[PastTurn, ...] = ()  # at most one undone turn per seat, which continues when it comes again


def compute_used_time(time: Time, now: int) -> int:
    """Return the time used by this turn, in ms."""
    return time.used + (0 if time.since is None else max(0, now - time.since))


def compute_time_left(time: Time, now: int) -> int | None:
    """Return the time left, at least 0; None means unlimited."""
    return None if time.allowance is None else max(0, time.allowance - compute_used_time(time, now))


def compute_reminder_mark(time: Time, pace: Pace, now: int) -> int | None:
    """Return the used time of the reminder, in ms: at 80 % of the time left, or the next fixed call if relaxed."""
    if pace.kind == "relaxed":
        return next((call for call in REMINDER_SPANS if call > compute_used_time(time, now)), None)
    rest = compute_time_left(time, now)
    return None if rest is None else compute_used_time(time, now) + rest * REMINDER_PERCENT // 100


def compute_deadline(time: Time) -> int | None:
    """Return when the allowance ends; None if it never does or the clock stands still."""
    if time.since is None or time.allowance is None:
        return None
    return time.since + max(0, time.allowance - time.used)


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
    return (
        time
        if time.allowance is None
        else replace(time, allowance=compute_used_time(time, now) + span, has_used_grace=is_grace)
    )
