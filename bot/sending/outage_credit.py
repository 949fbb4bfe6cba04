"""Outage credit: every clock that ran through an outage gets its time back, in small batches, most urgent first.

Reading a table includes its credit, and acting there writes it. This batch updates the boards and the stored due times.
"""

from itertools import islice
from typing import Final

from bot.core.logs import get_logger
from bot.tables.acts import TableActions
from bot.tables.service import TableCache
from data.store.connection.shards import UNSHARDED, Shards, UncreditedOutage
from data.store.log.match_values import Head
from data.store.store import Store

log = get_logger(__name__)

CREDIT_BATCH: Final = 50
"""Clocks written per sweep, in one transaction: ten a second. Each also edits a board, and Discord takes fifty requests
a second from all processes together.
"""


class OutageCredit:
    """Writes the credit of running clocks, and when each acts next.

    Each clock remembers its credit, and an outage is deleted after all have theirs, so a crash or another process does
    no harm.
    """

    def __init__(self, store: Store, tables: TableCache, acts: TableActions) -> None:
        self._store = store
        self._tables = tables
        self._acts = acts
        self._pending: tuple[UncreditedOutage, ...] = ()
        self._waiting: dict[int, None] = {}  # matches without their credit, most urgent first
        self._credited_count = 0

    def is_waiting(self, head: Head) -> bool:
        """Return whether a table still waits for its credit, so that its stored due time is wrong."""
        return head.match_id in self._waiting and head.updated_at < max(owed.outage.end for owed in self._pending)

    async def run_batch(self, shards: Shards = UNSHARDED) -> list[int]:
        """Write the next credits on the servers of these shards; return the changed matches."""
        outages = self._tables.owed_outages or await self._tables.load_outages()
        pending = tuple(one for one in outages if shards.can_share_guild(one.shard))
        if pending != self._pending:
            await self._begin(pending)
        if not pending:
            return []
        batch = list(islice(self._waiting, CREDIT_BATCH))
        written, moved_on = await self._acts.save_outage_credit(batch)
        for match_id in batch:
            del self._waiting[match_id]
        # A concurrent move has written the credit; check that by trying once more.
        self._waiting |= dict.fromkeys(moved_on)
        self._credited_count += len(written)
        if not self._waiting:
            await self._store.operations.delete_outages(pending)
            await self._tables.load_outages()
            self._pending = ()
            if self._credited_count:
                log.info("time of an outage given back", clocks=self._credited_count)
        return written

    async def finish(self) -> list[int]:
        written = await self.run_batch()
        while self._pending:
            written += await self.run_batch()
        return written

    async def _begin(self, pending: tuple[UncreditedOutage, ...]) -> None:
        """Start over after an outage was added or finished; clocks with their credit do not get it again."""
        self._pending, self._credited_count = pending, 0
        found = await self._store.matches.list_timed_matches(of={one.shard for one in pending}) if pending else []
        self._waiting = dict.fromkeys(found)
        if len(found) > CREDIT_BATCH:
            log.info("time of an outage is being given back, the most urgent first", clocks=len(found))
