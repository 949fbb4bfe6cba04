"""What a duel is about: a game and its reading, who plays, and the numbers that the deals and all chance come from."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import log2
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

import msgspec

from bot.tools.position_reading import Unreadable, with_options
from data.rulebook import DEFAULT, presets
from data.rulebook import rules as shelf
from engine.match.actions import Action, Resign
from engine.match.decide import decide, forced, start
from engine.match.events import Event, RoundEnded
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.state import Match, evolve, replay
from engine.match.turns import places

FOREIGN: Final = "seat:"
"""What the name of a foreign player begins with; the rest is its command."""
HOUSE: Final = Path(__file__).parents[2]
DECIDE_HOW: Final = ("engine/board", "engine/match", "engine/families", "engine/players", "data/players", "data/games")
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


MOST_ACTIONS: Final = 20_000
"""After so many a match counts as it stands: under some readings few rounds bring anybody nearer to the target."""


class Sitter(Protocol):
    """Who plays a seat of one match."""

    def choose(self, seen: PlayerView) -> Action | None:
        """What it does now; None gives the match up. It is asked only where the rules leave a choice."""


@dataclass(frozen=True, slots=True)
class Played:
    """How a match, or the one round of it that was played, ended."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    log: tuple[Event, ...]


def play_match(rules: Rules, sitters: Sequence[Sitter], secret: bytes, *, single: bool) -> Played:
    """Play a match, or its first round. Each sitter sees what its seat may see and nothing else."""
    log = start(rules, seats=len(sitters), computers=(), by_hand=False, secret=secret)
    match = replay(log)
    for _ in range(MOST_ACTIONS):
        if match.ended is not None:
            return Played(match.ended.totals, match.ended.places, tuple(log))
        if single and match.round_over is not None:
            break
        for event in decide(match, _next(match, sitters), secret):
            evolve(match, event)
            log.append(event)
            if single and isinstance(event, RoundEnded):
                break
    totals = tuple(seat.total for seat in match.seats)
    return Played(totals, places(totals, match.left), tuple(log))


def _next(match: Match, sitters: Sequence[Sitter]) -> Action:
    seat = match.turn
    found = forced(match) or sitters[seat].choose(view_for(match, seat))
    return Resign(seat) if found is None else found


def shares(found: Sequence[int]) -> list[float]:
    """What each seat has of the win, by places: all of it, or its part where several came first."""
    first = found.count(1)
    return [(place == 1) / first for place in found]


try:
    import resource
except ImportError:  # Windows has no such thing
    resource = None  # type: ignore[assignment]

Times = Counter[int]
"""How many choices took so long, by `bucket`."""

FINE: Final = 8
"""Buckets to a doubling."""


def bucket(nanoseconds: int) -> int:
    """The bucket of a time: each is 9 % longer than the one before it, beginning with a microsecond."""
    return max(0, round(FINE * log2(max(1, nanoseconds) / 1000)))


def milliseconds(bucket: int) -> float:
    """The time that a bucket stands for."""
    return float(2.0 ** (bucket / FINE) / 1000)


def quantile(times: Times, part: float) -> float | None:
    """The milliseconds that this part of the choices took at most; None where there are none."""
    left = part * times.total()
    for found in sorted(times):
        left -= times[found]
        if left <= 0:
            return milliseconds(found)
    return None


def peak_mib() -> float | None:
    """The memory of the largest process that has played so far, in MiB; None where that cannot be known."""
    if resource is None:
        return None
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return round(max(resource.getrusage(one).ru_maxrss for one in who) / 1024, 1)
