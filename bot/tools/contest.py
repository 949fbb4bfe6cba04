"""The definition of a duel: its game, options, players and random seeds."""

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

FOREIGN: Final = "seat:"  # prefix of a foreign player; the rest is its command
HOUSE: Final = Path(__file__).parents[2]
DECIDE_HOW: Final = ("engine/board", "engine/match", "engine/families", "engine/players", "data/players", "data/games")


@dataclass(frozen=True)
class Contest:
    """A duel without its length. Equal contests have equal results, deal by deal."""

    game: str
    players: tuple[str, ...]  # by name; the last one has all further seats
    seed: int
    seats: int = 2
    preset: str = DEFAULT
    options: tuple[str, ...] = ()  # `name=value`
    single: bool = False  # one round instead of a match
    limit: float = 5.0  # seconds for a foreign player's move

    @cached_property
    def rules(self) -> Rules:
        """The rules. Raises Unreadable, RulebookError."""
        if self.preset not in presets(self.game):
            raise Unreadable(f"preset: {self.game} has {', '.join(presets(self.game))}; not {self.preset!r}")
        return with_options(shelf(self.game, self.preset), self.options)

    def require_playable(self) -> None:
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
        return tuple(min(place, len(self.players) - 1) for place in range(self.seats))

    def place_at(self, seat: int, rotation: int) -> int:
        return (seat - rotation) % self.seats

    def secret(self, deal: int) -> bytes:
        return self._number("deal", deal)

    def chance(self, deal: int, rotation: int, place: int) -> Random:
        return Random(self._number("chance", deal, rotation, place))  # noqa: S311 - repeatable on purpose

    def _number(self, *of: object) -> bytes:
        # Hashed, so that one of these numbers reveals no other.
        return sha256(" ".join(map(str, ("boneyard duel", self.seed, *of))).encode()).digest()

    def told(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Contest":
        """Return the contest from plain values. Raises Unreadable."""
        try:
            found = msgspec.convert(told, cls)
        except msgspec.ValidationError as error:
            raise Unreadable(f"it does not say who plays what: {error}") from error
        found.require_playable()
        return found


def edition() -> str:
    found = sha256()
    for file in sorted(file for folder in DECIDE_HOW for file in (HOUSE / folder).glob("*")):
        if file.suffix in (".py", ".toml", ".json"):
            found.update(file.relative_to(HOUSE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:12]


def short_name(player: str) -> str:
    """Return a player's name for tables: `perl players/heaviest.pl` is `heaviest`."""
    if not player.startswith(FOREIGN):
        return player
    program, *rest = player.removeprefix(FOREIGN).split() or [""]
    named = next((word for word in rest if "." in word and not word.startswith("-")), program)
    return re.sub(r"[^\w-]+", "-", Path(named).stem).strip("-") or "program"


def lineup(players: Sequence[str]) -> str:
    return " v ".join(map(short_name, players))


# Actions after which a match counts as it stands: under some options rounds hardly approach the target.
MOST_ACTIONS: Final = 20_000


class Sitter(Protocol):
    def choose(self, seen: PlayerView) -> Action | None:
        """Return an action; None resigns. It is called only where the rules leave a choice."""


@dataclass(frozen=True, slots=True)
class Played:
    totals: tuple[int, ...]
    places: tuple[int, ...]
    log: tuple[Event, ...]


def play_match(rules: Rules, sitters: Sequence[Sitter], secret: bytes, *, single: bool) -> Played:
    """Play a match, or its first round. Each sitter sees the view of its seat."""
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
    """Return each seat's share of the win, by places; several winners share it."""
    first = found.count(1)
    return [(place == 1) / first for place in found]


try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

Times = Counter[int]  # number of choices by `bucket` of time
FINE: Final = 8  # buckets for each doubling


def bucket(nanoseconds: int) -> int:
    """Return the bucket of a time: each is 9 % longer than the one before, from a microsecond."""
    return max(0, round(FINE * log2(max(1, nanoseconds) / 1000)))


def milliseconds(bucket: int) -> float:
    return float(2.0 ** (bucket / FINE) / 1000)


def quantile(times: Times, part: float) -> float | None:
    """Return a quantile of the times in ms; None if there are none."""
    left = part * times.total()
    for found in sorted(times):
        left -= times[found]
        if left <= 0:
            return milliseconds(found)
    return None


def peak_mib() -> float | None:
    """Return the memory of the largest process so far, in MiB; None if unknown."""
    if resource is None:
        return None
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return round(max(resource.getrusage(one).ru_maxrss for one in who) / 1024, 1)
