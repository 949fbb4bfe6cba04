"""The time people have to move: what a table agrees on, and how much of it a turn has used. Pure arithmetic.

What is kept is *consumed* time, never what is left: stopping a clock freezes a number, and nothing that happens while
it stands still (a pause, a vacation, an outage of the bot) can use any of it up.
"""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

MINUTE: Final = 60_000
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

Kind = Literal["relaxed", "days", "bank", "live"]

SHORTEST, LONGEST = HOUR, 14 * DAY
"""What a turn may be given at a table of days."""
LIVELIEST, SLOWEST_LIVE = MINUTE, 59 * MINUTE
"""The same at a live table."""
LARGEST_BANK, LARGEST_INCREMENT = 30 * DAY, 7 * DAY

REMIND_AT: Final = 80
"""Percent of a turn's time after which its player is reminded."""

_SPAN = r"(?:\d{1,4}[dhm])+"
_WRITTEN = re.compile(
    rf"(?:(?P<kind>days|live)\s+)?(?P<turn>{_SPAN})|bank\s+(?P<bank>{_SPAN})(?:\s*\+\s*(?P<increment>{_SPAN}))?"
)
_UNITS: Final = {"d": DAY, "h": HOUR, "m": MINUTE}


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a table plays. All spans are in ms; those that a kind has no use for are 0."""

    kind: Kind = "relaxed"
    turn: int = 0
    """For one turn (days, live)."""
    bank: int = 0
    """For all turns of a seat together, at the start; increments never fill it further."""
    increment: int = 0
    """What each turn gives back to the bank."""

    def __str__(self) -> str:
        match self.kind:
            case "relaxed":
                return "relaxed"
            case "bank":
                increment = f"+{span_text(self.increment)}" if self.increment else ""
                return f"bank {span_text(self.bank)}{increment}"
            case kind:
                return f"{kind} {span_text(self.turn)}"

    @property
    def another(self) -> int:
        """What somebody whose time ran out gets when the others wait."""
        return self.turn or self.increment or DAY


RELAXED: Final = Pace()


def parse_pace(text: str) -> Pace:
    """Read `relaxed`, `36h`, `days 3d`, `bank 5d+6h`, `live 10m`. Raises ValueError for all else, or out of range."""
    written = " ".join(text.lower().split())
    if written in ("", "relaxed"):
        return RELAXED
    found = _WRITTEN.fullmatch(written)
    if found is None:
        raise ValueError(text)
    if found["bank"]:
        bank, increment = _span(found["bank"]), _span(found["increment"] or "")
        if not (HOUR <= bank <= LARGEST_BANK and increment <= LARGEST_INCREMENT):
            raise ValueError(text)
        return Pace("bank", bank=bank, increment=increment)
    turn = _span(found["turn"])
    live = found["kind"] == "live" or (found["kind"] is None and turn < HOUR)
    least, most = (LIVELIEST, SLOWEST_LIVE) if live else (SHORTEST, LONGEST)
    if not least <= turn <= most:
        raise ValueError(text)
    return Pace("live" if live else "days", turn=turn)


def span_text(span: int) -> str:
    """`1d12h`: a span as `parse_pace` reads it. Less than a minute is `0m`."""
    parts = []
    for unit, size in _UNITS.items():
        count, span = divmod(span, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0m"


def _span(text: str) -> int:
    return sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"(\d+)([dhm])", text))


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


def spent(time: Time, now: int) -> int:
    """What this turn has used."""
    return time.used + (0 if time.since is None else max(0, now - time.since))


def left(time: Time, now: int) -> int | None:
    """What it still has, never below 0; None is without end."""
    return None if time.allowance is None else max(0, time.allowance - spent(time, now))


def deadline(time: Time) -> int | None:
    """When the allowance ends; None where it never does, or the clock stands still."""
    if time.since is None or time.allowance is None:
        return None
    return time.since + max(0, time.allowance - time.used)


def turned(time: Time, pace: Pace, seats: int, seat: int | None, now: int) -> Time:
    """The next turn begins: `seat`'s, or a computer's. What the last one used is taken from its bank."""
    banks = list(time.banks or [pace.bank] * seats)
    if time.seat is not None:
        rest = max(0, banks[time.seat] - spent(time, now))
        banks[time.seat] = min(pace.bank, rest + pace.increment)
    allowance = None
    if seat is not None and pace.kind != "relaxed":
        allowance = banks[seat] if pace.kind == "bank" else pace.turn
    since = None if seat is None or time.paused else now
    return replace(time, seat=seat, since=since, used=0, allowance=allowance, banks=tuple(banks))


def paused(time: Time, now: int) -> Time:
    """The table is stopped. Stopping it again changes nothing."""
    return replace(time, used=spent(time, now), since=None, paused=True)


def resumed(time: Time, now: int) -> Time:
    """The table goes on."""
    if not time.paused:
        return time
    return replace(time, since=None if time.seat is None else now, paused=False)


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
    since = time.since
    if since is not None:
        since += max(0, end - max(start, since))
    return replace(time, since=since, credited=end)


def granted(time: Time, span: int, now: int) -> Time:
    """This turn gets as much from now on."""
    return time if time.allowance is None else replace(time, allowance=spent(time, now) + span)
