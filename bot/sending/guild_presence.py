"""Which shards this process serves: its own, and shards without a connected process."""

from collections.abc import Callable
from typing import Final

from bot.core.logs import logger
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.store import Store
from engine.table.table_state import Outage

log = logger(__name__)

BEAT: Final = 30_000  # ms between two heartbeats of a shard
OUTAGE: Final = 120_000  # ms of silence after which running clocks get outage credit
GONE: Final = 3 * BEAT  # ms after which other processes serve a silent shard


class Presence:
    """Records which shards this process is connected to, and finds shards without a process.

    Any process can send the pending messages of a silent shard, since these are HTTP requests. Its clocks are paused,
    because users cannot play there.
    """

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self.mine = UNDIVIDED
        self._heard: set[int] = set()
        self._gone: frozenset[int] = frozenset()
        self._beat_at: dict[int, int] = {}
        self._looked_at: int | None = None
        self._begun_at = now()

    def begin(self, mine: Shards) -> None:
        """Set the shards of this process. None is connected yet."""
        self.mine = mine
        self._heard.clear()

    @property
    def heard(self) -> Shards:
        return self.mine.only(self._heard)

    @property
    def silent(self) -> Shards:
        """Return the silent shards of other processes: users cannot play there, but messages can be sent."""
        return self.mine.only(self._gone)

    @property
    def served(self) -> Shards:
        return self.mine.only(self._heard | self._gone)

    def hear(self, number: int) -> None:
        self._heard.add(number)

    def lose(self, number: int) -> None:
        self._heard.discard(number)
        self._beat_at.pop(number, None)

    async def begin_beating(self) -> bool:
        """Send the first heartbeat before any shard is connected, which records an outage of this process."""
        return await self._beat(self.mine)

    async def beat(self) -> bool:
        """Send a heartbeat, and record an outage in the same transaction. False if it is not time yet."""
        now = self._now()
        late = {number for number in self._heard if not 0 <= now - self._beat_at.get(number, -BEAT) < BEAT}
        if not late and self._looked_at is not None and 0 <= now - self._looked_at < BEAT:
            return False
        return await self._beat(self.mine.only(late))

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
        self._find_silent(pulses, now)
        return True

    def _find_silent(self, pulses: dict[str, int], now: int) -> None:
        """Find shards of other processes without a connected process."""
        others = [shard for shard in Shards.all_of(self.mine.count) if shard.number not in self.mine.numbers]
        # Processes that start together get time to connect.
        last = {shard.number: max(shard.last(pulses) or 0, self._begun_at) for shard in others}
        gone = frozenset(number for number, at in last.items() if abs(now - at) > GONE)
        if gone - self._gone:
            log.warning("nobody hears some shards; start the process that serves them", shards=sorted(gone))
        elif self._gone - gone:
            log.info("shards are heard again", shards=sorted(self._gone - gone))
        self._gone, self._looked_at = gone, now
