"""What a duel is about: a game and its reading, who plays, and the numbers that the deals and all chance come from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec

from bot.referee.reading import Unreadable, with_options
from data.rulebook import DEFAULT, presets
from data.rulebook import rules as shelf
from engine.rules import Rules

FOREIGN: Final = "seat:"
"""What the name of a foreign player begins with; the rest is its command."""
HOUSE: Final = Path(__file__).parents[2]
DECIDE_HOW: Final = ("engine", "engine/families", "engine/players", "data/players", "data/games")
"""The folders in which it stands how residents play, and by which rules."""


@dataclass(frozen=True)
class Contest:
    """A duel but for how long it goes on. Equal contests have equal results, deal by deal."""

    game: str
    players: tuple[str, ...]
    """By name. Where there are fewer than seats, the last one has all the others."""
    seed: int
    seats: int = 2
    preset: str = DEFAULT
    options: tuple[str, ...] = ()
    """What is read differently, as `name=value`."""
    single: bool = False
    """Whether one round is played, instead of a match to the target."""
    limit: float = 5.0
    """Seconds that a foreign player has for a move."""

    @cached_property
    def rules(self) -> Rules:
        """What is played by. Raises Unreadable, RulebookError."""
        if self.preset not in presets(self.game):
            raise Unreadable(f"preset: {self.game} has {', '.join(presets(self.game))}; not {self.preset!r}")
        return with_options(shelf(self.game, self.preset), self.options)

    def require_playable(self) -> None:
        """Raise Unreadable where no such match can be played."""
        rules = self.rules
        if not rules.min_seats <= self.seats <= rules.max_seats:
            raise Unreadable(f"seats: {self.game} is for {rules.min_seats} to {rules.max_seats}; not {self.seats}")
        if not 2 <= len(self.players) <= self.seats:
            raise Unreadable(f"players: two or more, and no more than the {self.seats} seats; not {len(self.players)}")
        try:
            rules.require_playable(self.seats)
        except ValueError as error:
            raise Unreadable(str(error)) from error

    @property
    def places(self) -> tuple[int, ...]:
        """Who plays, place by place: numbers of `players`."""
        return tuple(min(place, len(self.players) - 1) for place in range(self.seats))

    def place_at(self, seat: int, rotation: int) -> int:
        """The place that sits on a seat when a deal is played for the time `rotation`, from 0."""
        return (seat - rotation) % self.seats

    def secret(self, deal: int) -> bytes:
        """What orders the tiles of a deal, and of the rounds that follow it in its match."""
        return self._number("deal", deal)

    def chance(self, deal: int, rotation: int, place: int) -> Random:
        """What one player draws its random numbers from in one match."""
        return Random(self._number("chance", deal, rotation, place))  # noqa: S311 - to be had again is the point

    def _number(self, *of: object) -> bytes:
        # Hashed, so that nobody who is told one of these numbers can work out another.
        return sha256(" ".join(map(str, ("boneyard duel", self.seed, *of))).encode()).digest()

    def told(self) -> dict[str, Any]:
        """The contest as plain values."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Contest":
        """The contest that was told so. Raises Unreadable."""
        try:
            found = msgspec.convert(told, cls)
        except msgspec.ValidationError as error:
            raise Unreadable(f"it does not say who plays what: {error}") from error
        found.require_playable()
        return found


def edition() -> str:
    """A short name for how residents play and by which rules, as it stands in these files: another one, other results
    perhaps.
    """
    found = sha256()
    for file in sorted(file for folder in DECIDE_HOW for file in (HOUSE / folder).glob("*")):
        if file.suffix in (".py", ".toml", ".json"):
            found.update(file.relative_to(HOUSE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:12]


def short_name(player: str) -> str:
    """What a player is called in a table: a level as it is, `perl players/heaviest.pl` as `heaviest`."""
    if not player.startswith(FOREIGN):
        return player
    program, *rest = player.removeprefix(FOREIGN).split() or [""]
    named = next((word for word in rest if "." in word and not word.startswith("-")), program)
    return re.sub(r"[^\w-]+", "-", Path(named).stem).strip("-") or "program"


def lineup(players: Sequence[str]) -> str:
    """`expert v greedy`."""
    return " v ".join(map(short_name, players))
