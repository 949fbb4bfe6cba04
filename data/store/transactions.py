"""One transaction after the other on one database, each of them whole."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store import heads
from data.store.connect import reading, without_password
from data.store.direct import Direct
from data.store.errors import ChannelBusy, Repeated, StoreClosed
from data.store.keys import PrivacyKey
from engine.table.state import RUNNING

T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]
"""What is done in one transaction. It touches nothing but the database: it may be done again from the start."""

TRIES: Final = 5
"""How often a transaction is begun at most that PostgreSQL broke off for the sake of another one."""
_BROKEN_OFF: Final = ("40001", "40P01")
"""What PostgreSQL calls that: serialization_failure, deadlock_detected."""


class Transactions:
    """Runs work in transactions, all or nothing, and knows which are under way."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._reading = reading(engine)
        self._direct = Direct(engine.url) if engine.dialect.name == "sqlite" else None
        self._running: set[asyncio.Future[Any]] = set()
        self._closed = False
        self.failures = 0
        """How many the database broke off or refused; what is written twice at the same moment is no failure."""

    def read(self, work: Work[T]) -> Awaitable[T]:
        """Do what only reads, all of it of one instant. Raises StoreClosed."""

        async def run() -> T:
            async with self._reading.connect() as connection:
                return await work(connection)

        self._check_open()
        return self._whole(asyncio.create_task(run()) if self._direct is None else self._direct.read(work))

    def write(self, work: Work[T]) -> Awaitable[T]:
        """Do what writes: all of it is kept, or nothing. Raises StoreClosed."""
        self._check_open()
        return self._whole(asyncio.create_task(self._tried(work)) if self._direct is None else self._direct.write(work))

    async def scrub(self, most: float) -> bool:
        """Write a database file anew that has at most so many bytes: without the bytes of what was deleted, and no log
        beside it. False where it is larger, or somebody else is at it.

        A server's own upkeep does that.
        """
        self._check_open()
        return self._direct is None or await self._whole(self._direct.scrub(most))

    async def close(self) -> None:
        """Finish what is under way, begin nothing more, and let go of the database."""
        self._closed = True
        while self._running:
            await asyncio.wait(self._running)
        if self._direct is not None:
            await self._direct.close()
        await self._engine.dispose()

    async def _tried(self, work: Work[T]) -> T:
        """Do what writes, again where it was broken off because two transactions waited for each other."""
        left = TRIES
        while True:
            left -= 1
            try:
                async with self._engine.begin() as connection:
                    return await work(connection)
            except DBAPIError as error:
                if not left or getattr(error.orig, "sqlstate", None) not in _BROKEN_OFF:
                    raise

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed

    def _whole(self, running: asyncio.Future[T]) -> Awaitable[T]:
        """Let a transaction end even when its caller is cancelled.

        The driver would abandon the connection, and on SQLite the lock with it: everybody would wait for a timeout.
        """
        self._running.add(running)
        running.add_done_callback(self._ended)
        return asyncio.shield(running)

    def _ended(self, running: asyncio.Future[Any]) -> None:
        self._running.discard(running)
        if running.cancelled():
            return
        error = running.exception()  # a caller that was cancelled does not ask any more
        if isinstance(error, DBAPIError | OSError) and not isinstance(error, IntegrityError):
            self.failures += 1


class Part:
    """A part of the store, on the same database as the others."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._transactions = Transactions(engine)
        self._privacy_key = PrivacyKey(engine.url)
        self.name = without_password(engine.url)
        """The database, as it may be shown."""
        self._read = self._transactions.read

    @property
    def failures(self) -> int:
        """How many transactions the database broke off or refused since this store was opened."""
        return self._transactions.failures

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
