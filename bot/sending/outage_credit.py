"""Outage credit: every clock that ran through an outage gets its time back, in small batches, most urgent first.

Reading a table includes its credit, and acting there writes it. This batch updates the boards and the stored due times.
"""

from itertools import islice
from typing import Final

from bot.core.logs import logger
from bot.tables.acts import Acts
from bot.tables.service import Tables
from data.store.connection.shards import UNDIVIDED, Owed, Shards
from data.store.log.match_values import Head
from data.store.store import Store

log = logger(__name__)

A_LOOK: Final = 50
"""Clocks written per sweep, in one transaction: ten a second. Each also edits a board, and Discord takes fifty requests
a second from all processes together.
"""


class Repayment:
    """Writes the credit of running clocks, and when each acts next.

    Each clock remembers its credit, and an outage is deleted after all have theirs, so a crash or another process does
    no harm.
    """

    def __init__(self, store: Store, tables: Tables, acts: Acts) -> None:
        self._store = store
        self._tables = tables
        self._acts = acts
        self._pending: tuple[Owed, ...] = ()
        self._waiting: dict[int, None] = {}  # matches without their credit, most urgent first
        self._given = 0

    def waits(self, head: Head) -> bool:
        """Return whether a table still waits for its credit, so that its stored due time is wrong."""
        return head.match_id in self._waiting and head.updated_at < max(owed.outage.end for owed in self._pending)

    async def go_on(self, of: Shards = UNDIVIDED) -> list[int]:
        """Write the next credits on the servers of these shards; return the changed matches."""
        owed = self._tables.owed or await self._tables.look_for_outages()
        pending = tuple(one for one in owed if of.meet(one.shard))
        if pending != self._pending:
            await self._begin(pending)
        if not pending:
            return []
        some = list(islice(self._waiting, A_LOOK))
        written, moved_on = await self._acts.repay(some)
        for match_id in some:
            del self._waiting[match_id]
        # A concurrent move has written the credit; check that by trying once more.
        self._waiting |= dict.fromkeys(moved_on)
        self._given += len(written)
        if not self._waiting:
            await self._store.operations.outages_over(pending)
            await self._tables.look_for_outages()
            self._pending = ()
            if self._given:
                log.info("time of an outage given back", clocks=self._given)
        return written

    async def finish(self) -> list[int]:
        written = await self.go_on()
        while self._pending:
            written += await self.go_on()
        return written

    async def _begin(self, pending: tuple[Owed, ...]) -> None:
        """Start over after an outage was added or finished; clocks with their credit do not get it again."""
        self._pending, self._given = pending, 0
        found = await self._store.matches.ticking(of={one.shard for one in pending}) if pending else []
        self._waiting = dict.fromkeys(found)
        if len(found) > A_LOOK:
            log.info("time of an outage is being given back, the most urgent first", clocks=len(found))
