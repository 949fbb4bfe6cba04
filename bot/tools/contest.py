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

from bot.tools.position_reading import UnreadableError, with_options
from data.rulebook import DEFAULT_PRESET, list_presets, load_rules
from engine.match.actions import Action, Resign
from engine.match.decide import decide, find_forced_action, start
from engine.match.events import Event, RoundEnded
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.state import Match, apply_event, replay
from engine.match.turns import compute_places

PROGRAM_PREFIX: Final = "seat:"  # prefix of a foreign player; the rest is its command
ROOT: Final = Path(__file__).parents[2]
EDITION_FOLDERS: Final = (
    "engine/board",
    "engine/match",
    "engine/families",
    "engine/players",
    "data/players",
    "data/games",
)


@dataclass(frozen=True)
class Contest:
    """A duel without its length. Equal contests have equal results, deal by deal."""

    game: str
    players: tuple[str, ...]  # by name; the last one has all further seats
    seed: int
    seats: int = 2
    preset: str = DEFAULT_PRESET
    options: tuple[str, ...] = ()  # `name=value`
    single: bool = False  # one round instead of a match
    limit: float = 5.0  # seconds for a foreign player's move

    @cached_property
    def rules(self) -> Rules:
        """The rules. Raises UnreadableError, RulebookError."""
        if self.preset not in list_presets(self.game):
            raise UnreadableError(f"preset: {self.game} has {', '.join(list_presets(self.game))}; not {self.preset!r}")
        return with_options(load_rules(self.game, self.preset), self.options)

    def require_playable(self) -> None:
        rules = self.rules
        if not rules.min_seats <= self.seats <= rules.max_seats:
            raise UnreadableError(f"seats: {self.game} is for {rules.min_seats} to {rules.max_seats}; not {self.seats}")
        if not 2 <= len(self.players) <= self.seats:
            raise UnreadableError(
                f"players: two or more, and no more than the {self.seats} seats; not {len(self.players)}"
            )
        try:
            rules.require_playable(self.seats)
        except ValueError as error:
            raise UnreadableError(str(error)) from error

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(min(place, len(self.players) - 1) for place in range(self.seats))

    def compute_place(self, seat: int, rotation: int) -> int:
        return (seat - rotation) % self.seats

    def compute_secret(self, deal: int) -> bytes:
        return self._derive_bytes("deal", deal)

    def create_random(self, deal: int, rotation: int, place: int) -> Random:
        return Random(self._derive_bytes("chance", deal, rotation, place))  # noqa: S311 - repeatable on purpose

    def _derive_bytes(self, *of: object) -> bytes:
        # Hashed, so that one of these numbers reveals no other.
        return sha256(" ".join(map(str, ("boneyard duel", self.seed, *of))).encode()).digest()

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Contest":
        """Return the contest from plain values. Raises UnreadableError."""
        try:
            found = msgspec.convert(values, cls)
        except msgspec.ValidationError as error:
            raise UnreadableError(f"it does not say who plays what: {error}") from error
        found.require_playable()
        return found


def compute_edition() -> str:
    found = sha256()
    for file in sorted(file for folder in EDITION_FOLDERS for file in (ROOT / folder).glob("*")):
        if file.suffix in (".py", ".toml", ".json"):
            found.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:12]


def shorten_name(player: str) -> str:
    """Return a player's name for tables: `perl players/heaviest.pl` is `heaviest`."""
    if not player.startswith(PROGRAM_PREFIX):
        return player
    program, *rest = player.removeprefix(PROGRAM_PREFIX).split() or [""]
    named = next((word for word in rest if "." in word and not word.startswith("-")), program)
    return re.sub(r"[^\w-]+", "-", Path(named).stem).strip("-") or "program"


def format_lineup(players: Sequence[str]) -> str:
    return " v ".join(map(shorten_name, players))


# Actions after which a match counts as it stands: under some options rounds hardly approach the target.
MAX_ACTIONS: Final = 20_000


class SeatPlayer(Protocol):
    def choose(self, seen: PlayerView) -> Action | None:
        """Return an action; None resigns. It is called only where the rules leave a choice."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    totals: tuple[int, ...]
    places: tuple[int, ...]
    log: tuple[Event, ...]


def play_match(rules: Rules, players: Sequence[SeatPlayer], secret: bytes, *, single: bool) -> PlayedMatch:
    """Play a match, or its first round. Each sitter sees the view of its seat."""
    log = start(rules, seats=len(players), computers=(), by_hand=False, secret=secret)
    match = replay(log)
    for _ in range(MAX_ACTIONS):
        if match.ended is not None:
            return PlayedMatch(match.ended.totals, match.ended.places, tuple(log))
        if single and match.round_over is not None:
            break
        for event in decide(match, _choose_action(match, players), secret):
            apply_event(match, event)
            log.append(event)
            if single and isinstance(event, RoundEnded):
                break
    totals = tuple(seat.total for seat in match.seats)
    return PlayedMatch(totals, compute_places(totals, match.resigned_seats), tuple(log))


def _choose_action(match: Match, players: Sequence[SeatPlayer]) -> Action:
    seat = match.turn
    found = find_forced_action(match) or players[seat].choose(view_for(match, seat))
    return Resign(seat) if found is None else found


def compute_shares(found: Sequence[int]) -> list[float]:
    """Return each seat's share of the win, by places; several winners share it."""
    first = found.count(1)
    return [(place == 1) / first for place in found]


try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

Times = Counter[int]  # number of choices by `bucket` of time
BUCKETS_PER_DOUBLING: Final = 8  # buckets for each doubling


def compute_bucket(nanoseconds: int) -> int:
    """Return the bucket of a time: each is 9 % longer than the one before, from a microsecond."""
    return max(0, round(BUCKETS_PER_DOUBLING * log2(max(1, nanoseconds) / 1000)))


def to_milliseconds(bucket: int) -> float:
    return float(2.0 ** (bucket / BUCKETS_PER_DOUBLING) / 1000)


def compute_quantile(times: Times, part: float) -> float | None:
    """Return a quantile of the times in ms; None if there are none."""
    left = part * times.total()
    for found in sorted(times):
        left -= times[found]
        if left <= 0:
            return to_milliseconds(found)
    return None


def measure_peak_mib() -> float | None:
    """Return the memory of the largest process so far, in MiB; None if unknown."""
    if resource is None:
        return None
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return round(max(resource.getrusage(one).ru_maxrss for one in who) / 1024, 1)
