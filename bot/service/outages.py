"""Time in which nobody could play, because the bot or Discord was away, is given back.

An outage is noted when it ends, before anybody can act. From then on every clock is read as if the time had been given
back; whatever happens next at a table writes it down, and `bot.service.acts` does so for all that wait for somebody.
"""

from data.store import Outage, Store
from engine.table.evolve import repaid
from engine.table.state import Clock, TableState


class Outages:
    """Knows what is owed to the clocks."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pending: tuple[Outage, ...] | None = None

    async def look(self) -> tuple[Outage, ...]:
        """Read what is to be given back: another process may have noted it."""
        self._pending = await self._store.outages()
        return self._pending

    async def pending(self) -> tuple[Outage, ...]:
        """What is to be given back, oldest first, as it was last read."""
        return await self.look() if self._pending is None else self._pending

    async def repaid(self, table: TableState) -> Clock:
        """The clock of a table with what it is owed; the very same one where that is nothing."""
        pending = await self.pending()
        if not pending or table.state != "open":
            return table.clock
        after = repaid(table.clock, pending)
        return table.clock if after == table.clock else after

    async def over(self, given: tuple[Outage, ...]) -> None:
        """These have been given back to every clock."""
        await self._store.outages_over(given)
        await self.look()
