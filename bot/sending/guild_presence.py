"""Which shards this process serves: its own, and shards without a connected process."""

from collections.abc import Callable
from typing import Final

from bot.core.logs import get_logger
from data.store.connection.shards import UNSHARDED, Shards
from data.store.store import Store
from engine.table.table_state import Outage

log = get_logger(__name__)

HEARTBEAT_INTERVAL: Final = 30_000  # ms between two heartbeats of a shard
OUTAGE_AFTER: Final = 120_000  # ms of silence after which running clocks get outage credit
SILENT_AFTER: Final = 3 * HEARTBEAT_INTERVAL  # ms after which other processes serve a silent shard


class Presence:
    """Records which shards this process is connected to, and finds shards without a process.

    Any process can send the pending messages of a silent shard, since these are HTTP requests. Its clocks are paused,
    because users cannot play there.
    """

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self.own_shards = UNSHARDED
        self._connected: set[int] = set()
        self._silent: frozenset[int] = frozenset()
        self._beat_at: dict[int, int] = {}
        self._checked_at: int | None = None
        self._begun_at = now()

    def begin(self, shards: Shards) -> None:
        """Set the shards of this process. None is connected yet."""
        self.own_shards = shards
        self._connected.clear()

    @property
    def connected_shards(self) -> Shards:
        return self.own_shards.with_numbers(self._connected)

    @property
    def silent_shards(self) -> Shards:
        """Return the silent shards of other processes: users cannot play there, but messages can be sent."""
        return self.own_shards.with_numbers(self._silent)

    @property
    def served_shards(self) -> Shards:
        return self.own_shards.with_numbers(self._connected | self._silent)

    def note_connected(self, number: int) -> None:
        self._connected.add(number)

    def note_disconnected(self, number: int) -> None:
        self._connected.discard(number)
        self._beat_at.pop(number, None)

    async def send_first_heartbeat(self) -> bool:
        """Send the first heartbeat before any shard is connected, which records an outage of this process."""
        return await self._send_heartbeat(self.own_shards)

    async def send_heartbeat(self) -> bool:
        """Send a heartbeat, and record an outage in the same transaction. False if it is not time yet."""
        now = self._now()
        last_beats = {number: self._beat_at.get(number, -HEARTBEAT_INTERVAL) for number in self._connected}
        late = {number for number, at in last_beats.items() if not 0 <= now - at < HEARTBEAT_INTERVAL}
        if not late and self._checked_at is not None and 0 <= now - self._checked_at < HEARTBEAT_INTERVAL:
            return False
        return await self._send_heartbeat(self.own_shards.with_numbers(late))

    async def _send_heartbeat(self, shards: Shards) -> bool:
        now, pulses, alive = self._now(), await self._store.operations.load_pulses(), []
        for shard in shards:
            last = shard.find_last_connection(pulses)
            if last is None or now - last <= OUTAGE_AFTER:
                alive.append(shard)
            elif await self._store.operations.note_outage(
                shard, Outage(start=last, end=now), pulse=pulses.get(shard.pulse_name)
            ):
                log.info("an outage is to be given back", seconds=(now - last) // 1000, shard=shard.number)
        if alive:
            await self._store.operations.record_shard_pulses(alive, now=now)
        self._beat_at |= dict.fromkeys(shards.numbers, now)
        self._find_silent(pulses, now)
        return True

    def _find_silent(self, pulses: dict[str, int], now: int) -> None:
        """Find shards of other processes without a connected process."""
        own = self.own_shards
        others = [shard for shard in Shards.from_count(own.count) if shard.number not in own.numbers]
        # Processes that start together get time to connect.
        last = {shard.number: max(shard.find_last_connection(pulses) or 0, self._begun_at) for shard in others}
        silent = frozenset(number for number, at in last.items() if abs(now - at) > SILENT_AFTER)
        if silent - self._silent:
            log.warning("nobody hears some shards; start the process that serves them", shards=sorted(silent))
        elif self._silent - silent:
            log.info("shards are heard again", shards=sorted(self._silent - silent))
        self._silent, self._checked_at = silent, now
