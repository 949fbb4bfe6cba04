"""The shards that Discord divides guilds into, and when each was last connected."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from typing import Any, Final, Self

from sqlalchemy import ColumnElement, Integer, exists, literal, true

from data.store.connection.tables import matches
from engine.table.table_state import Outage

PULSE_PREFIX: Final = "bot"
"""The pulse of a bot without shards; those of shards are called `bot 2/16`."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of the `count` parts of all guilds. It has its own connection to Discord."""

    number: int = 0
    count: int = 1

    @property
    def pulse_name(self) -> str:
        return PULSE_PREFIX if self.count == 1 else f"{PULSE_PREFIX} {self.number}/{self.count}"

    def has_guild(self, guild_id: int) -> bool:
        """Return whether a guild belongs to this shard; Discord's formula."""
        return (guild_id >> 22) % self.count == self.number

    def find_last_connection(self, pulses: Mapping[str, int]) -> int | None:
        """Return when guilds of this shard were last connected, in epoch ms; None if never.

        If the number of shards was different then, any shard with some of its guilds counts.
        """
        shards = [(parse_shard(name), at) for name, at in pulses.items()]
        return max([at for other, at in shards if other is not None and self.can_share_guild(other)], default=None)

    def can_share_guild(self, other: "Shard") -> bool:
        """Return whether a guild can belong to both."""
        common = gcd(self.count, other.count)
        return self.number % common == other.number % common


def list_disconnected(pulses: Mapping[str, int], now: int, span: int) -> list[Shard]:
    """Return the shards that were not connected for `span` ms while others of the same division were."""
    connected = {
        shard: at for name, at in pulses.items() if (shard := parse_shard(name)) is not None and now - at <= span
    }
    if not connected:
        return []
    count = max(connected, key=lambda shard: connected[shard]).count
    found = [Shard(number, count) for number in range(count)]
    return [shard for shard in found if (last := shard.find_last_connection(pulses)) is None or now - last > span]


def parse_shard(pulse: str) -> Shard | None:
    """Return the shard of a pulse; None for other pulses."""
    kind, _, which = pulse.partition(" ")
    if kind != PULSE_PREFIX:
        return None
    number, _, count = which.partition("/")
    return Shard(int(number), int(count)) if which else Shard()


@dataclass(frozen=True, slots=True)
class Shards:
    """Some shards of one division; by default all of an undivided bot."""

    count: int = 1
    numbers: frozenset[int] = frozenset({0})

    @classmethod
    def from_count(cls, count: int) -> Self:
        return cls(count, frozenset(range(count)))

    def __iter__(self) -> Iterator[Shard]:
        return iter([Shard(number, self.count) for number in sorted(self.numbers)])

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def with_numbers(self, numbers: Iterable[int]) -> "Shards":
        return Shards(self.count, frozenset(numbers))

    @property
    def is_complete(self) -> bool:
        return len(self.numbers) == self.count

    def has_guild(self, guild_id: int) -> bool:
        return (guild_id >> 22) % self.count in self.numbers

    def can_share_guild(self, other: Shard) -> bool:
        """Return whether a guild can belong to one of them and to the other shard."""
        return any(shard.can_share_guild(other) for shard in self)

    def build_guild_condition(self, guild_id: Any) -> ColumnElement[bool]:
        if self.is_complete:
            return true()
        # PostgreSQL shifts only by an integer, and treats a number beside a BIGINT as a BIGINT.
        number = guild_id.bitwise_rshift(literal(22, Integer)) % self.count
        condition: ColumnElement[bool] = number.in_(sorted(self.numbers))
        return condition

    def build_match_condition(self, match_id: Any) -> ColumnElement[bool]:
        if self.is_complete:
            return true()
        return exists().where(matches.c.match_id == match_id, self.build_guild_condition(matches.c.guild_id))


UNSHARDED: Final = Shards()


@dataclass(frozen=True, slots=True)
class UncreditedOutage:
    """An outage of a shard whose time is not credited to all clocks yet."""

    outage: Outage
    shard: Shard = Shard()
