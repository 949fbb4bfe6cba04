"""The shards that Discord divides guilds into, and when each was last connected."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from typing import Any, Final, Self

from sqlalchemy import ColumnElement, Integer, exists, literal, true

from data.store.connection.tables import matches
from engine.table.table_state import Outage

PULSE: Final = "bot"
"""The pulse of a bot without shards; those of shards are called `bot 2/16`."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of the `count` parts of all guilds. It has its own connection to Discord."""

    number: int = 0
    count: int = 1

    @property
    def pulse(self) -> str:
        return PULSE if self.count == 1 else f"{PULSE} {self.number}/{self.count}"

    def holds(self, guild_id: int) -> bool:
        """Return whether a guild belongs to this shard; Discord's formula."""
        return (guild_id >> 22) % self.count == self.number

    def last(self, pulses: Mapping[str, int]) -> int | None:
        """Return when guilds of this shard were last connected, in epoch ms; None if never.

        If the number of shards was different then, any shard with some of its guilds counts.
        """
        found = [at for name, at in pulses.items() if (other := shard_of(name)) is not None and self.meets(other)]
        return max(found, default=None)

    def meets(self, other: "Shard") -> bool:
        """Return whether a guild can belong to both."""
        common = gcd(self.count, other.count)
        return self.number % common == other.number % common


def silent(pulses: Mapping[str, int], now: int, span: int) -> list[Shard]:
    """Return the shards that were not connected for `span` ms while others of the same division were."""
    heard = {shard: at for name, at in pulses.items() if (shard := shard_of(name)) is not None and now - at <= span}
    if not heard:
        return []
    count = max(heard, key=lambda shard: heard[shard]).count
    found = [Shard(number, count) for number in range(count)]
    return [shard for shard in found if (last := shard.last(pulses)) is None or now - last > span]


def shard_of(pulse: str) -> Shard | None:
    """Return the shard of a pulse; None for other pulses."""
    kind, _, which = pulse.partition(" ")
    if kind != PULSE:
        return None
    number, _, count = which.partition("/")
    return Shard(int(number), int(count)) if which else Shard()


@dataclass(frozen=True, slots=True)
class Shards:
    """Some shards of one division; by default all of an undivided bot."""

    count: int = 1
    numbers: frozenset[int] = frozenset({0})

    @classmethod
    def all_of(cls, count: int) -> Self:
        return cls(count, frozenset(range(count)))

    def __iter__(self) -> Iterator[Shard]:
        return iter([Shard(number, self.count) for number in sorted(self.numbers)])

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def only(self, numbers: Iterable[int]) -> "Shards":
        return Shards(self.count, frozenset(numbers))

    @property
    def whole(self) -> bool:
        return len(self.numbers) == self.count

    def holds(self, guild_id: int) -> bool:
        return (guild_id >> 22) % self.count in self.numbers

    def meet(self, other: Shard) -> bool:
        """Return whether a guild can belong to one of them and to the other shard."""
        return any(shard.meets(other) for shard in self)

    def hold(self, guild_id: Any) -> ColumnElement[bool]:
        if self.whole:
            return true()
        # PostgreSQL shifts only by an integer, and treats a number beside a BIGINT as a BIGINT.
        here: ColumnElement[bool] = (guild_id.bitwise_rshift(literal(22, Integer)) % self.count).in_(
            sorted(self.numbers)
        )
        return here

    def hold_match(self, match_id: Any) -> ColumnElement[bool]:
        if self.whole:
            return true()
        return exists().where(matches.c.match_id == match_id, self.hold(matches.c.guild_id))


UNDIVIDED: Final = Shards()


@dataclass(frozen=True, slots=True)
class Owed:
    """An outage of a shard whose time is not credited to all clocks yet."""

    outage: Outage
    shard: Shard = Shard()
