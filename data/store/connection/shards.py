"""The shards that Discord divides servers into: whose servers these are, and since when nobody has heard of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from typing import Any, Final, Self

from sqlalchemy import ColumnElement, Integer, exists, literal, true

from data.store.connection.tables import matches
from engine.table.table_state import Outage

PULSE: Final = "bot"
"""The pulse of a bot that is not divided; those of shards are called `bot 2/16`."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of the `count` parts that all servers are divided into. Its events come over a connection of its own."""

    number: int = 0
    count: int = 1

    @property
    def pulse(self) -> str:
        """The name of the pulse that says when it was last heard."""
        return PULSE if self.count == 1 else f"{PULSE} {self.number}/{self.count}"

    def holds(self, guild_id: int) -> bool:
        """Whether a server is in it; Discord's own formula."""
        return (guild_id >> 22) % self.count == self.number

    def last(self, pulses: Mapping[str, int]) -> int | None:
        """When servers of this shard were last heard, in epoch ms; None when never.

        Servers may have been divided otherwise at that time: then whichever shard held some of its servers counts.
        """
        found = [at for name, at in pulses.items() if (other := shard_of(name)) is not None and self.meets(other)]
        return max(found, default=None)

    def meets(self, other: "Shard") -> bool:
        """Whether there can be a server in both."""
        common = gcd(self.count, other.count)
        return self.number % common == other.number % common


def silent(pulses: Mapping[str, int], now: int, span: int) -> list[Shard]:
    """The shards that nobody has heard for so many ms while others of the same division are heard."""
    heard = {shard: at for name, at in pulses.items() if (shard := shard_of(name)) is not None and now - at <= span}
    if not heard:
        return []
    count = max(heard, key=lambda shard: heard[shard]).count
    found = [Shard(number, count) for number in range(count)]
    return [shard for shard in found if (last := shard.last(pulses)) is None or now - last > span]


def shard_of(pulse: str) -> Shard | None:
    """The shard of a pulse; None for those of anything else."""
    kind, _, which = pulse.partition(" ")
    if kind != PULSE:
        return None
    number, _, count = which.partition("/")
    return Shard(int(number), int(count)) if which else Shard()


@dataclass(frozen=True, slots=True)
class Shards:
    """Some of the shards of one division: all of one, unless it is said otherwise."""

    count: int = 1
    numbers: frozenset[int] = frozenset({0})

    @classmethod
    def all_of(cls, count: int) -> Self:
        """Every one."""
        return cls(count, frozenset(range(count)))

    def __iter__(self) -> Iterator[Shard]:
        """One by one, in order."""
        return iter([Shard(number, self.count) for number in sorted(self.numbers)])

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def only(self, numbers: Iterable[int]) -> "Shards":
        """These of the same division."""
        return Shards(self.count, frozenset(numbers))

    @property
    def whole(self) -> bool:
        """Whether no server is in another."""
        return len(self.numbers) == self.count

    def holds(self, guild_id: int) -> bool:
        """Whether a server is in one of them."""
        return (guild_id >> 22) % self.count in self.numbers

    def meet(self, other: Shard) -> bool:
        """Whether there can be a server in one of them and in that one too."""
        return any(shard.meets(other) for shard in self)

    # -- for statements

    def hold(self, guild_id: Any) -> ColumnElement[bool]:
        """The same of a column."""
        if self.whole:
            return true()
        # PostgreSQL shifts by an integer only, and a number beside a large one is taken for a large one.
        here: ColumnElement[bool] = (guild_id.bitwise_rshift(literal(22, Integer)) % self.count).in_(
            sorted(self.numbers)
        )
        return here

    def hold_match(self, match_id: Any) -> ColumnElement[bool]:
        """The same of the server of a match."""
        if self.whole:
            return true()
        return exists().where(matches.c.match_id == match_id, self.hold(matches.c.guild_id))


UNDIVIDED: Final = Shards()
"""All servers."""


@dataclass(frozen=True, slots=True)
class Owed:
    """A time in which nobody could play on the servers of a shard, that not every clock there has been given back."""

    outage: Outage
    shard: Shard = Shard()
