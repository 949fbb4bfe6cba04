"""What the host chose when the table was opened."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

MINUTE: Final = 60_000
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

Kind = Literal["relaxed", "days", "bank", "live"]

SHORTEST, LONGEST = HOUR, 14 * DAY
"""What a turn may be given at a table of days."""
LIVELIEST, SLOWEST_LIVE = MINUTE, 59 * MINUTE
"""The same at a live table."""
SETTLES: Final[dict[Kind, int]] = {"relaxed": 20_000, "days": 20_000, "bank": 20_000, "live": 5_000}
"""For so long somebody may take back alone what they placed, in ms; the next player waits no longer for it."""
LARGEST_BANK, LARGEST_INCREMENT = 30 * DAY, 7 * DAY

SILENCE: Final = 14 * DAY
"""After that the others at a relaxed table choose what to do about a silent player."""
CALLS: Final = (DAY, 3 * DAY, 7 * DAY)
"""The silent time after which somebody is called again at a relaxed table."""

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
    def longest(self) -> int:
        """What a turn can be given, before anybody is waited for."""
        return SILENCE if self.kind == "relaxed" else self.bank or self.turn

    @property
    def another(self) -> int:
        """What somebody whose time ran out gets when the others wait."""
        return 7 * DAY if self.kind == "relaxed" else self.turn or self.increment or DAY

    @property
    def grace(self) -> int:
        """How long the others can choose what to do about a silent player, who can still play meanwhile. A turn has
        this once, and nothing beyond it but what the others choose.
        """
        return min(self.another, DAY)


@lru_cache(maxsize=256)
def parse_pace(text: str) -> Pace:
    """Read `relaxed`, `36h`, `days 3d`, `bank 5d+6h`, `live 10m`. Raises ValueError for all else, or out of range."""
    written = " ".join(text.lower().split())
    if written in ("", "relaxed"):
        return Pace()
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


CLASSIC: Final = "classic"
"""Tiles with digits."""
THEMES: Final = (CLASSIC, "picture")
"""The ways to draw tiles, as the pictures know them."""
RELAXED: Final = "relaxed"
"""The clock of a table without hurry: only weeks of silence count. Whoever wants it chooses it."""
USUAL_CLOCK: Final = "bank 6d+3d"
"""The clock where nobody has said anything: three days a turn. A bank of two turns, so that whoever plays sooner has a
weekend saved, and nobody ever waits longer than six days before there is something to choose.
"""

GREEDY: Final = "greedy"
"""Who plays for people who are not there, and did on every computer seat before there were levels."""
GENTLE: Final = "gentle"
"""Who sits at a guided game."""
USUAL_LEVEL: Final = "medium"
"""The level of a computer where nobody has said anything (`engine.players.levels` says who they all are)."""
PROGRAM: Final = "program:"
"""What stands before the name of somebody else's program where a computer has its level. Who that is, and whether it is
there, whoever runs the bot decides.
"""


def program_named(player: str | None) -> str | None:
    """The name of the program that plays a seat; None where a level, a person or nobody does."""
    return player.removeprefix(PROGRAM) if player is not None and player.startswith(PROGRAM) else None


Absent = Literal["turn", "seat", "end"]
"""What is done about somebody who lets their time run out again: the computer plays that turn, or their seat until they
are back, or the match ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a table plays. The numbers of the game are not in it: a match takes them along when it begins."""

    game: str
    seats: int
    """How many can sit down; the match starts by itself when all have."""
    target: int
    by_hand: bool
    """Whether people draw and pass themselves even when they must."""
    preset: str = "default"
    options: Mapping[str, str] = field(default_factory=dict)
    """What the host chose beside the preset, by the names of RULES §3.1."""
    theme: str = CLASSIC
    """How tiles are drawn."""
    clock: str = RELAXED
    """How long people have to move, as `engine.table.terms` reads it."""
    absent: Absent = "turn"
    rated: bool = True
    """Whether the result may move ratings. It never does where one person plays against computers alone."""
    guided: bool = False
    """Whether it is a lesson: one person, a gentle computer, tiles that were laid out for it, and no result."""
    deal: str = ""
    """The name of the sealed deal that is played, where it is one; nobody adds anything to that."""
    deal_until: int = 0
    """When that deal is opened at the latest."""

    @property
    def pace(self) -> Pace:
        """How long people have to move."""
        return parse_pace(self.clock)
