"""The terms of a table: game, seats, clock, rules and options that the host chose."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from engine.typed_text import normalize_text

MINUTE: Final = 60_000
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
Kind = Literal["relaxed", "days", "bank", "live"]
MIN_DAYS_TURN, MAX_DAYS_TURN = HOUR, 14 * DAY  # range of a turn at a table of days
MIN_LIVE_TURN, MAX_LIVE_TURN = MINUTE, 59 * MINUTE  # range of a turn at a live table
UNDO_SPANS: Final[dict[Kind, int]] = {"relaxed": 20_000, "days": 20_000, "bank": 20_000, "live": 5_000}
"""Span in which a player may undo a placement alone, in ms; the next player's turn begins after it."""
MAX_BANK, MAX_INCREMENT = 30 * DAY, 7 * DAY
SILENCE_SPAN: Final = 14 * DAY  # at a relaxed table the others choose what happens to a silent player after this span
REMINDER_SPANS: Final = (DAY, 3 * DAY, 7 * DAY)  # times of further reminders at a relaxed table
_SPAN = r"(?:\d{1,4}[dhm])+"
_LONG_UNIT = re.compile(r"(\d) ?(days?|d|hours?|hrs?|h|minutes?|mins?|m)\b")
_PACE_PATTERN = re.compile(
    rf"(?:(?P<kind>days|live)\s+)?(?P<turn>{_SPAN})|bank\s+(?P<bank>{_SPAN})(?:\s*\+\s*(?P<increment>{_SPAN}))?"
)
_UNITS: Final = {"d": DAY, "h": HOUR, "m": MINUTE}


@dataclass(frozen=True, slots=True)
class Pace:
    """The time control. Spans are in ms; a kind has 0 for unused ones."""

    kind: Kind = "relaxed"
    turn: int = 0  # per turn (days, live)
    bank: int = 0  # for all turns of a seat, at the start; increments do not exceed it
    increment: int = 0  # added to the bank after each turn

    def __str__(self) -> str:
        match self.kind:
            case "relaxed":
                return "relaxed"
            case "bank":
                increment = f"+{format_span(self.increment)}" if self.increment else ""
                return f"bank {format_span(self.bank)}{increment}"
            case kind:
                return f"{kind} {format_span(self.turn)}"

    @property
    def max_turn_time(self) -> int:
        """Longest time of a turn before the others may choose."""
        return SILENCE_SPAN if self.kind == "relaxed" else self.bank or self.turn

    @property
    def extra_time(self) -> int:
        """Time for a turn whose time ran out, if the others wait."""
        return 7 * DAY if self.kind == "relaxed" else self.turn or self.increment or DAY

    @property
    def grace(self) -> int:
        """How long the others can choose what happens to a silent player, who can still play. Once per turn."""
        return min(self.extra_time, DAY)


@lru_cache(maxsize=256)
def parse_pace(text: str) -> Pace:
    """Parse `relaxed`, `36h`, `3 days`, `days 3d`, `bank 5d + 6h` or `live 10m`. Raises ValueError if invalid or out of
    range.
    """
    written = _LONG_UNIT.sub(lambda found: found[1] + found[2][0], normalize_text(text).lower())
    written = re.sub(rf"({_SPAN}) (?=\d)", r"\1", written)
    if written in ("", "relaxed"):
        return Pace()
    found = _PACE_PATTERN.fullmatch(written)
    if found is None:
        raise ValueError(text)
    if found["bank"]:
        bank, increment = _parse_span(found["bank"]), _parse_span(found["increment"] or "")
        if not (HOUR <= bank <= MAX_BANK and increment <= MAX_INCREMENT):
            raise ValueError(text)
        return Pace("bank", bank=bank, increment=increment)
    turn = _parse_span(found["turn"])
    live = found["kind"] == "live" or (found["kind"] is None and turn < HOUR)
    least, most = (MIN_LIVE_TURN, MAX_LIVE_TURN) if live else (MIN_DAYS_TURN, MAX_DAYS_TURN)
    if not least <= turn <= most:
        raise ValueError(text)
    return Pace("live" if live else "days", turn=turn)


def format_span(span: int) -> str:
    """Format a span so that `parse_pace` reads it, for example `1d12h`; less than a minute is `0m`."""
    parts = []
    for unit, size in _UNITS.items():
        count, span = divmod(span, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0m"


def _parse_span(text: str) -> int:
    return sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"(\d+)([dhm])", text))


CLASSIC: Final = "classic"  # tiles with digits
THEMES: Final = (CLASSIC, "picture")  # tile designs
RELAXED: Final = "relaxed"  # a table without time limit, except for weeks of silence
DEFAULT_CLOCK: Final = "bank 6d+3d"  # three days a turn; the bank of two turns saves a weekend for fast players

GREEDY: Final = "greedy"  # the stand-in player, and every computer player before levels existed
GENTLE: Final = "gentle"  # the computer in guided games
DEFAULT_LEVEL: Final = "medium"  # default level of computers (`engine.players.levels`)
PROGRAM_PREFIX: Final = "program:"
"""Prefix of an external program's name where a computer has its level. The operator decides which programs exist."""


def find_program_name(player: str | None) -> str | None:
    """Return the name of the program that plays a seat; None for a level or a user."""
    return player.removeprefix(PROGRAM_PREFIX) if player is not None and player.startswith(PROGRAM_PREFIX) else None


AbsenceRule = Literal["turn", "seat", "end"]
"""What happens after a second timeout: a stand-in for the turn or the seat, or the end of the match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of a table. A match copies the rules of the game when it begins."""

    game: str
    seats: int  # the match begins when all are taken
    target: int
    by_hand: bool  # whether players draw and pass by hand even when forced
    preset: str = "default"
    options: Mapping[str, str] = field(default_factory=dict)  # options that differ from the preset (RULES §3.1)
    theme: str = CLASSIC  # tile design
    clock: str = RELAXED  # see `parse_pace`
    absent: AbsenceRule = "turn"
    rated: bool = True  # whether the result may change ratings; never in practice
    guided: bool = False  # whether it is a lesson: one user, a gentle computer, a fixed deal and no result
    deal: str = ""  # name of the sealed deal, if it is one; it takes no entropy
    deal_until: int = 0  # when that deal is opened at the latest

    @property
    def pace(self) -> Pace:
        return parse_pace(self.clock)
