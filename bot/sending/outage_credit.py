"""Giving an outage back: every clock that ran through it gets its time, a few at each look, the most urgent first.

Whoever looks at a table reads its clock with that time given back, and whoever acts there takes it along. So nobody
waits for this; what it is for is the board, which tells a deadline, and what is due, which the store finds by one.
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
"""Clocks that are written at one look for what is due, in one transaction: ten a second. Each is a board to be edited
as well. Of requests Discord takes fifty a second from all processes together, and most are for those who play.
"""


class Repayment:
    """Writes what running clocks are owed, and when each acts next.

    Each clock remembers what it was given, and an outage is forgotten when all have been: a crash half way, or another
    process at it too, does no harm.
    """

    def __init__(self, store: Store, tables: Tables, acts: Acts) -> None:
        self._store = store
        self._tables = tables
        self._acts = acts
        self._pending: tuple[Owed, ...] = ()
        """The outages that are being given back."""
        self._waiting: dict[int, None] = {}
        """The matches that wait for that, the most urgent first."""
        self._given = 0

    def waits(self, head: Head) -> bool:
        """Whether a table still waits for what it is owed, and nobody has taken that along: what the store says is
        due there does not know of the outage.
        """
        return head.match_id in self._waiting and head.updated_at < max(owed.outage.end for owed in self._pending)

    async def go_on(self, of: Shards = UNDIVIDED) -> list[int]:
        """Give some tables back what they are owed on the servers of these shards; the matches that changed."""
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
        # Where a move came in between it took the clock along; whether it did is seen by looking once more.
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
        """The same for all that wait, on all servers, at once."""
        written = await self.go_on()
        while self._pending:
            written += await self.go_on()
        return written

    async def _begin(self, pending: tuple[Owed, ...]) -> None:
        """Another outage was noted, or one of before is over: whoever was given something is not given it again."""
        self._pending, self._given = pending, 0
        found = await self._store.matches.ticking(of={one.shard for one in pending}) if pending else []
        self._waiting = dict.fromkeys(found)
        if len(found) > A_LOOK:
            log.info("time of an outage is being given back, the most urgent first", clocks=len(found))
