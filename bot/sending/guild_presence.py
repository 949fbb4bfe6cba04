"""Which servers this process looks after: those it hears of, and those that nobody has heard of for a while."""

from collections.abc import Callable
from typing import Final

from bot.core.logs import logger
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.store import Store
from engine.table.table_state import Outage

log = logger(__name__)

BEAT: Final = 30_000
"""Between two notes that a shard is heard, in ms."""
OUTAGE: Final = 120_000
"""A longer silence of the bot is given back to everybody whose clock ran, in ms."""
GONE: Final = 3 * BEAT
"""A shard that no process has heard for so many ms is looked after by all others."""


class Presence:
    """Notes which shards this process hears, and looks which ones nobody does.

    What is begun for the servers of a shard that nobody hears can be finished by any process: messages are sent by
    requests, which any may make. Time does not run out there, for nobody can play.
    """

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._mine = UNDIVIDED
        self._heard: set[int] = set()
        self._gone: frozenset[int] = frozenset()
        self._beat_at: dict[int, int] = {}
        self._looked_at: int | None = None
        self._begun_at = now()

    def begin(self, mine: Shards) -> None:
        """These are the shards that this process is going to hear. None is heard so far."""
        self._mine = mine
        self._heard.clear()

    @property
    def mine(self) -> Shards:
        """The shards of this process, heard or not."""
        return self._mine

    @property
    def heard(self) -> Shards:
        """Those of them that are heard: people there can play."""
        return self._mine.only(self._heard)

    @property
    def silent(self) -> Shards:
        """Those of other processes, where nobody can play now, but what has to be said can be said."""
        return self._mine.only(self._gone)

    @property
    def served(self) -> Shards:
        """All whose messages are brought up to date here."""
        return self._mine.only(self._heard | self._gone)

    def hear(self, number: int) -> None:
        """A shard of this process is heard, with all its servers."""
        self._heard.add(number)

    def lose(self, number: int) -> None:
        """It is not any more."""
        self._heard.discard(number)
        self._beat_at.pop(number, None)

    async def begin_beating(self) -> bool:
        """The first beat, before anything is heard: an outage of all shards of this process is noted, so that whoever
        acts first finds the time given back.
        """
        return await self._beat(self._mine)

    async def beat(self) -> bool:
        """Note that what is heard is heard. Where it was not for a while, that is kept in the same transaction: from
        then on everybody who looks at a clock there finds that time given back. False where it is not time yet.
        """
        now = self._now()
        late = {number for number in self._heard if not 0 <= now - self._beat_at.get(number, -BEAT) < BEAT}
        if not late and self._looked_at is not None and 0 <= now - self._looked_at < BEAT:
            return False
        return await self._beat(self._mine.only(late))

    async def _beat(self, shards: Shards) -> bool:
        now, pulses, alive = self._now(), await self._store.operations.pulses(), []
        for shard in shards:
            last = shard.last(pulses)
            if last is None or now - last <= OUTAGE:
                alive.append(shard)
            elif await self._store.operations.note_outage(
                shard, Outage(start=last, end=now), pulse=pulses.get(shard.pulse)
            ):
                log.info("an outage is to be given back", seconds=(now - last) // 1000, shard=shard.number)
        if alive:
            await self._store.operations.beat(alive, now=now)
        self._beat_at |= dict.fromkeys(shards.numbers, now)
        self._look(pulses, now)
        return True

    def _look(self, pulses: dict[str, int], now: int) -> None:
        """See which shards of other processes nobody hears."""
        others = [shard for shard in Shards.all_of(self._mine.count) if shard.number not in self._mine.numbers]
        # Of processes that start together none is missed before it has had time to come.
        last = {shard.number: max(shard.last(pulses) or 0, self._begun_at) for shard in others}
        gone = frozenset(number for number, at in last.items() if abs(now - at) > GONE)
        if gone - self._gone:
            log.warning("nobody hears some shards; start the process that serves them", shards=sorted(gone))
        elif self._gone - gone:
            log.info("shards are heard again", shards=sorted(self._gone - gone))
        self._gone, self._looked_at = gone, now
