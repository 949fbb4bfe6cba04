"""The time used by a turn and the time left. Pure arithmetic.

The clock stores *used* time, never the time left: a pause, a vacation or an outage freezes a number and uses nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.match.state import replace
from engine.table.terms import CALLS, SILENCE, Pace

REMIND_AT: Final = 80  # percent of a turn's time after which its player is reminded


@dataclass(frozen=True, slots=True)
class Spell:
    """A turn at its end, or at the moment when a move before it was undone."""

    seat: int | None  # None for a computer
    used: int
    allowance: int | None
    bank: int  # of the seat at the start of the turn, in ms
    height: int  # number of placements and passes that could be undone at the start of the turn
    over: bool = False  # whether the grace period after the time was used


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
    over: bool = False  # whether the grace period of this turn was used: only the other players can add time
    height: int = 0  # number of placements and passes that could be undone at the start of this turn
    spells: tuple[Spell, ...] = ()  # turns that an undo can bring back, oldest first
    broken: tuple[Spell, ...] = ()  # at most one undone turn per seat, which continues when it comes again


def spent(time: Time, now: int) -> int:
    """Return the time used by this turn, in ms."""
    return time.used + (0 if time.since is None else max(0, now - time.since))


def left(time: Time, now: int) -> int | None:
    """Return the time left, at least 0; None means unlimited."""
    return None if time.allowance is None else max(0, time.allowance - spent(time, now))


def mark(time: Time, pace: Pace, now: int) -> int | None:
    """Return the used time of the reminder, in ms: at 80 % of the time left, or the next fixed call if relaxed."""
    if pace.kind == "relaxed":
        return next((call for call in CALLS if call > spent(time, now)), None)
    rest = left(time, now)
    return None if rest is None else spent(time, now) + rest * REMIND_AT // 100


def deadline(time: Time) -> int | None:
    """Return when the allowance ends; None if it never does or the clock stands still."""
    if time.since is None or time.allowance is None:
        return None
    return time.since + max(0, time.allowance - time.used)


def turned(time: Time, pace: Pace, seats: int, seat: int | None, now: int, height: int = 0) -> Time:
    """Begin the next turn, of `seat` or of a computer, and charge the last turn to its bank. `height` is the number of
    placements and passes that can be undone now.
    """
    if time.banks:
        time = replace(time, spells=(*time.spells, _spell(time, now)))
    banks = list(time.banks or [pace.bank] * seats)
    if time.seat is not None:
        rest = max(0, banks[time.seat] - spent(time, now))
        banks[time.seat] = min(pace.bank, rest + pace.increment)
    return _begun(replace(time, banks=tuple(banks), height=height), pace, seat, now)


def _begun(time: Time, pace: Pace, seat: int | None, now: int) -> Time:
    mine = next((spell for spell in time.broken if seat is not None and spell.seat == seat), None)
    used, allowance = (mine.used, mine.allowance) if mine else (0, None)
    if seat is not None:
        # Granted time stays granted.
        allowance = max(allowance or 0, time.banks[seat] if pace.kind == "bank" else pace.turn or SILENCE)
    over = mine is not None and mine.over
    if mine is not None and allowance is not None and used >= allowance and not over:
        # The time had run out while the others chose; the rest of the grace period continues too.
        allowance, over = allowance + pace.grace, True
    return replace(
        time,
        seat=seat,
        since=None if seat is None or time.paused else now,
        used=used,
        allowance=allowance,
        over=over,
        broken=tuple(spell for spell in time.broken if spell is not mine),
    )


def _spell(time: Time, now: int) -> Spell:
    bank = 0 if time.seat is None or not time.banks else time.banks[time.seat]
    return Spell(time.seat, spent(time, now), time.allowance, bank, time.height, time.over)


def settled(time: Time) -> Time:
    """Forget the turns that can be undone, because a hidden tile became known."""
    return replace(time, height=0, spells=())


def rewound(time: Time, pace: Pace, seats: int, seat: int | None, now: int, height: int) -> Time:
    """Return to the turn of `seat` after an undo that leaves `height` undoable placements and passes. The turn
    continues as if it had not ended: used time stays used and the bank gets no increment. Later turns that were undone
    continue in the same way.
    """
    if time.height <= height:
        return time  # it had not ended
    ended = [spell for spell in time.spells if spell.height <= height]
    if not ended or ended[-1].seat != seat:
        # The clock is older than the stored turns, or another player has the seat.
        return turned(time, pace, seats, seat, now, height)
    gone = [*time.spells[len(ended) - 1 :], _spell(time, now)]
    banks, broken = list(time.banks), list(time.broken)
    for player in {spell.seat for spell in gone if spell.seat is not None}:
        turns = [spell for spell in [*broken, *gone] if spell.seat == player]
        banks[player] = next(spell.bank for spell in gone if spell.seat == player)
        broken = [spell for spell in broken if spell.seat != player]
        broken.append(_one(turns, pace))
    before = replace(time, banks=tuple(banks), broken=tuple(broken), spells=tuple(ended[:-1]), height=ended[-1].height)
    return _begun(before, pace, seat, now)


def _one(turns: Sequence[Spell], pace: Pace) -> Spell:
    # A bank pays for all the turns; an allowance per turn pays for the longest.
    used = [spell.used for spell in turns]
    allowance = max((spell.allowance for spell in turns if spell.allowance is not None), default=None)
    over = any(spell.over for spell in turns)
    return replace(turns[0], used=sum(used) if pace.kind == "bank" else max(used), allowance=allowance, over=over)


def paused(time: Time, now: int) -> Time:
    """Stop the clock; idempotent."""
    return replace(time, used=spent(time, now), since=None, paused=True)


def resumed(time: Time, now: int) -> Time:
    """Let a paused clock run again."""
    return replace(time, since=None if time.seat is None else now, paused=False) if time.paused else time


def held(time: Time, until: int, now: int) -> Time:
    """Stop the running turn until then: its player is away."""
    if time.since is None or until <= max(now, time.since):
        return time
    return replace(time, used=spent(time, now), since=until)


def released(time: Time, now: int) -> Time:
    """Let the turn run again: its player has returned early."""
    return time if time.since is None or time.since <= now else replace(time, since=now)


def credited(time: Time, start: int, end: int) -> Time:
    """Credit an outage from `start` to `end` to the running turn; idempotent."""
    start = max(start, time.credited)
    if end <= start:
        return time
    since = None if time.since is None else time.since + max(0, end - max(start, time.since))
    return replace(time, since=since, credited=end)


def granted(time: Time, span: int, now: int, *, over: bool = False) -> Time:
    """Give this turn `span` ms from now; `over` marks it as the grace period."""
    return time if time.allowance is None else replace(time, allowance=spent(time, now) + span, over=over)
