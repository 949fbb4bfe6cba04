"""What every part of the store is made of: reading and writing, one transaction each."""

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store import heads
from data.store.errors import ChannelBusy, Repeated
from data.store.transactions import T, Transactions, Work
from engine.table.state import RUNNING


class Part:
    """A part of the store, on the same database as the others."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._transactions = Transactions(engine)
        self._read = self._transactions.read

    async def _write(
        self, work: Work[T], *, request: int | None = None, channel_id: int | None = None, match_id: int | None = None
    ) -> T:
        try:
            return await self._transactions.write(work)
        except IntegrityError:
            # A unique key stopped it: another process did the same at the same moment, or the channel is taken.
            await self._explain(request, channel_id, match_id)
            raise

    async def _explain(self, request: int | None, channel_id: int | None, match_id: int | None) -> None:
        """Raise Repeated or ChannelBusy when that is why a write was refused."""
        if request is not None:
            known = await self._read(lambda connection: heads.request(connection, request))
            if known is not None:
                raise Repeated(*known) from None
        if channel_id is None and match_id is not None:
            head = await self._read(lambda connection: heads.head(connection, match_id))
            channel_id = None if head is None else head.channel_id
        if channel_id is None:
            return
        busy = channel_id
        for other in await self._read(lambda connection: heads.in_channel(connection, busy, RUNNING, None)):
            if other.match_id != match_id:
                raise ChannelBusy(other.match_id) from None
