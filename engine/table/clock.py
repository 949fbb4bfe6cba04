"""How much time a turn has used of what it has. Pure arithmetic.

What is kept is *consumed* time, never what is left: stopping a clock freezes a number, and nothing that happens while
it stands still (a pause, a vacation, an outage of the bot) can use any of it up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.match.state import replace
from engine.table.terms import CALLS, SILENCE, Pace

REMIND_AT: Final = 80
"""Percent of a turn's time after which its player is reminded."""


@dataclass(frozen=True, slots=True)
class Spell:
    """A turn as it was when it ended, or when somebody took back what came before it."""

    seat: int | None
    """Whose time it was; None for a computer's."""
    used: int
    allowance: int | None
    bank: int
    """What its seat had when it began."""
    height: int
    """How many placements and passes could be taken back when it began."""
    over: bool = False
    """Whether its player had what there is after the end of its time."""


@dataclass(frozen=True, slots=True)
class Time:
    """The clock of a table at one moment."""

    seat: int | None = None
    """Whose time it is; None while a computer plays."""
    since: int | None = None
    """Running since then; None while it stands still. It may lie ahead: then it begins to run at that moment."""
    used: int = 0
    """Consumed in this turn before that."""
    allowance: int | None = None
    """For this turn; None is without end."""
    banks: tuple[int, ...] = ()
    """What each seat has left for the turns to come, at a table with banks."""
    paused: bool = False
    """Whether the table is stopped: turns change, and no time runs."""
    credited: int = 0
    """The end of the last outage that was given back."""
    over: bool = False
    """Whether the player of this turn has had what there is after the end of its time: only others can add to it."""
    height: int = 0
    """How many placements and passes could be taken back when this turn began."""
    spells: tuple[Spell, ...] = ()
    """The turns that can come back because a placement is taken back, oldest first."""
    broken: tuple[Spell, ...] = ()
    """At most one for each seat: its turn was taken back, and goes on where it was when it comes again."""


def spent(time: Time, now: int) -> int:
    """What this turn has used."""
    return time.used + (0 if time.since is None else max(0, now - time.since))


def left(time: Time, now: int) -> int | None:
    """What it still has, never below 0; None is without end."""
    return None if time.allowance is None else max(0, time.allowance - spent(time, now))


def mark(time: Time, pace: Pace, now: int) -> int | None:
    """The used time at which the player of this turn is reminded: at its share of what it has left, and where there is
    no hurry at each of the times to call again.
    """
    if pace.kind == "relaxed":
        return next((call for call in CALLS if call > spent(time, now)), None)
    rest = left(time, now)
    return None if rest is None else spent(time, now) + rest * REMIND_AT // 100


def deadline(time: Time) -> int | None:
    """When the allowance ends; None where it never does, or the clock stands still."""
    if time.since is None or time.allowance is None:
        return None
    return time.since + max(0, time.allowance - time.used)


def turned(time: Time, pace: Pace, seats: int, seat: int | None, now: int, height: int = 0) -> Time:
    """The next turn begins: `seat`'s, or a computer's. What the last one used is taken from its bank.

    `height` is how many placements and passes can be taken back by now.
    """
    if time.banks:
        time = replace(time, spells=(*time.spells, _spell(time, now)))
    banks = list(time.banks or [pace.bank] * seats)
    if time.seat is not None:
        rest = max(0, banks[time.seat] - spent(time, now))
        banks[time.seat] = min(pace.bank, rest + pace.increment)
    return _begun(replace(time, banks=tuple(banks), height=height), pace, seat, now)


def _begun(time: Time, pace: Pace, seat: int | None, now: int) -> Time:
    """A turn begins, or goes on that was broken off."""
    mine = next((spell for spell in time.broken if seat is not None and spell.seat == seat), None)
    used, allowance = (mine.used, mine.allowance) if mine else (0, None)
    if seat is not None:
        # Time that was granted once stays granted.
        allowance = max(allowance or 0, time.banks[seat] if pace.kind == "bank" else pace.turn or SILENCE)
    over = mine is not None and mine.over
    if mine is not None and allowance is not None and used >= allowance and not over:
        # It had ended while the others were asked: what was left of that goes on too.
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
    """The running turn."""
    bank = 0 if time.seat is None or not time.banks else time.banks[time.seat]
    return Spell(time.seat, spent(time, now), time.allowance, bank, time.height, time.over)


def settled(time: Time) -> Time:
    """Something hidden came to light: nothing from before can be taken back any more."""
    return replace(time, height=0, spells=())


def rewound(time: Time, pace: Pace, seats: int, seat: int | None, now: int, height: int) -> Time:
    """Placements were taken back, `height` can still be, and it is the turn of `seat` again, or a computer's.

    The turn goes on as if it had not ended: what it had used is used, and its bank has no increment for it. The same
    goes for the turns that were taken back with it, when they come again.
    """
    if time.height <= height:
        return time  # it had not ended
    ended = [spell for spell in time.spells if spell.height <= height]
    if not ended or ended[-1].seat != seat:
        # A clock from before such turns were kept, or somebody else plays the seat by now.
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
    """Turns of one seat that were taken back, as the one turn that is left of them."""
    # A bank pays for all of them. An allowance is for one turn, which has then used as much as the longest.
    used = [spell.used for spell in turns]
    allowance = max((spell.allowance for spell in turns if spell.allowance is not None), default=None)
    over = any(spell.over for spell in turns)
    return replace(turns[0], used=sum(used) if pace.kind == "bank" else max(used), allowance=allowance, over=over)


def paused(time: Time, now: int) -> Time:
    """The table is stopped. Stopping it again changes nothing."""
    return replace(time, used=spent(time, now), since=None, paused=True)


def resumed(time: Time, now: int) -> Time:
    """The table goes on."""
    return replace(time, since=None if time.seat is None else now, paused=False) if time.paused else time


def held(time: Time, until: int, now: int) -> Time:
    """The running turn stands still until then: its player is away."""
    if time.since is None or until <= max(now, time.since):
        return time
    return replace(time, used=spent(time, now), since=until)


def released(time: Time, now: int) -> Time:
    """Its player is back early."""
    return time if time.since is None or time.since <= now else replace(time, since=now)


def credited(time: Time, start: int, end: int) -> Time:
    """Nobody could play from `start` to `end`: what ran meanwhile is given back. Once, however often it is asked."""
    start = max(start, time.credited)
    if end <= start:
        return time
    since = None if time.since is None else time.since + max(0, end - max(start, time.since))
    return replace(time, since=since, credited=end)


def granted(time: Time, span: int, now: int, *, over: bool = False) -> Time:
    """This turn gets as much from now on, and with `over` nothing after that."""
    return time if time.allowance is None else replace(time, allowance=spent(time, now) + span, over=over)
