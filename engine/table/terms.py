"""What the host chose when the table was opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from engine.table.pace import Pace, parse_pace

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
    """How long people have to move, as `engine.table.pace` reads it."""
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
