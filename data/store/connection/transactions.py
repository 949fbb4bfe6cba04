"""One transaction after the other on one database, each of them whole."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from random import uniform
from typing import Any, Final, TypeVar

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store.connection.direct import Attempt, Direct
from data.store.connection.engines import reading, without_password
from data.store.connection.faults import KEPT, Ail, DatabaseTrouble, Troubles, diagnosed
from data.store.connection.privacy_key import PrivacyKey
from data.store.connection.store_errors import ChannelBusy, Repeated, StoreClosed
from data.store.log import heads
from engine.table.table_state import RUNNING

log = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]
"""What is done in one transaction. It touches nothing but the database: it may be done again from the start."""

TRIES: Final = 15
"""How often a transaction is begun at most that PostgreSQL broke off for the sake of another one."""
APART: Final = 0.005
"""Seconds between the first two of them at most, twice as many between the next two: of those that are in each other's
way at the same moment each waits for another time.
"""
_BROKEN_OFF: Final = ("40001", "40P01")
"""What PostgreSQL calls that: serialization_failure, deadlock_detected."""

LIMIT: Final = 12.0
"""Seconds after which whoever waits for a transaction is told that the database does not answer."""
LOSSES: Final = 2
"""How often it is done again at most where the connection was lost in the middle of it."""
BACK: Final = 5.0
"""Seconds after which a server that cannot be reached is not tried again: it is not just starting."""
PAUSE: Final = 0.25
"""Seconds between two such tries."""
LEAST: Final = 0.5
"""Seconds that each transaction has when the bot has been told to end and its time is over."""


@dataclass(slots=True)
class _Asked:
    """Somebody who waits for a transaction."""

    attempt: Attempt
    waiter: asyncio.Future[Any]
    writing: bool
    kept: list[bool] | None = None
    """Where it is noted that something was written."""
    timer: asyncio.TimerHandle | None = None


class Transactions:
    """Runs work in transactions, all or nothing, and knows which are under way.

    Whatever the database does, whoever asks has an answer after `LIMIT`: DatabaseTrouble, where it does not work.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._reading = reading(engine)
        self._direct = Direct(engine.url) if engine.dialect.name == "sqlite" else None
        self._running: dict[asyncio.Future[Any], _Asked] = {}
        self._closed = False
        self.failures = 0
        """How many the database broke off or refused; what is written twice at the same moment is no failure."""
        self._ends_at: float | None = None
        self.troubles = Troubles()
        """What ails the database."""

    def read(self, work: Work[T], *, limit: float | None = LIMIT) -> Awaitable[T]:
        """Do what only reads, all of it of one instant. Raises StoreClosed, DatabaseTrouble."""
        attempt = self._begun()
        if self._direct is not None:
            return self._whole(self._direct.read(work, attempt), attempt, limit)
        return self._whole(asyncio.create_task(self._tried(self._reading, work, attempt)), attempt, limit)

    def write(self, work: Work[T], *, limit: float | None = LIMIT) -> Awaitable[T]:
        """Do what writes: all of it is kept, or nothing. Raises StoreClosed, DatabaseTrouble."""
        attempt = self._begun()
        if self._direct is not None:
            return self._whole(self._direct.write(work, attempt), attempt, limit, writing=True)
        return self._whole(
            asyncio.create_task(self._tried(self._engine, work, attempt, writing=True)), attempt, limit, writing=True
        )

    async def scrub(self, most: float) -> bool:
        """Write a database file anew that has at most so many bytes: without the bytes of what was deleted, and no log
        beside it. False where it is larger, or somebody else is at it.

        A server's own upkeep does that.
        """
        attempt = self._begun()
        return self._direct is None or await self._whole(self._direct.scrub(most), attempt, None, writing=True)

    def hurry(self, seconds: float) -> None:
        """The bot ends: by then every transaction has been answered, whatever the database does."""
        loop = asyncio.get_running_loop()
        self._ends_at = loop.time() + seconds
        for running, asked in list(self._running.items()):
            if asked.timer is None or asked.timer.when() > self._ends_at:
                self._wait(running, asked, seconds)

    async def close(self, within: float | None = None) -> None:
        """Finish what is under way, begin nothing more, and let go of the database; where that takes longer than so
        many seconds, leave the database to find out by itself.
        """
        self._closed = True
        try:
            async with asyncio.timeout(within):
                while self._running:
                    await asyncio.wait(self._running)
                if self._direct is not None:
                    await self._direct.close()
                await self._engine.dispose()
        except TimeoutError:
            log.warning("the database does not let go; the bot ends without waiting for it")

    async def _tried(self, engine: AsyncEngine, work: Work[T], attempt: Attempt, *, writing: bool = False) -> T:
        """Do it on a server, again where it was broken off because two transactions waited for each other, and where
        the connection was lost: what is written finds out by itself whether it was done.
        """
        left, lost, clock = TRIES, 0, asyncio.get_running_loop().time
        until = clock() + BACK
        while True:
            left -= 1
            attempt.go_on()
            begun = False
            try:
                async with engine.connect() as connection:
                    attempt.loosen = partial(_cut, await connection.get_raw_connection())
                    async with connection.begin() as transaction:
                        begun = True
                        done = await work(connection)
                        if writing:
                            attempt.commits()
                            await transaction.commit()
                    return done
            except (SQLAlchemyError, OSError) as error:
                state, is_lost = _state(error), diagnosed(error) is Ail.LOST
                if state and not is_lost:
                    attempt.kept_nothing()  # the server says so itself
                if state in _BROKEN_OFF and left:
                    await asyncio.sleep(uniform(0, APART * 2 ** min(TRIES - left, 6)))  # noqa: S311 - no secret
                    continue
                lost += begun
                # In vain for good, or again and again.
                if not is_lost or lost > LOSSES or (not begun and clock() > until):
                    raise
            finally:
                attempt.loosen = None
            if not begun:
                await asyncio.sleep(PAUSE)

    def _begun(self) -> Attempt:
        if self._closed:
            raise StoreClosed
        return Attempt()

    def _whole(
        self, running: asyncio.Future[T], attempt: Attempt, limit: float | None, *, writing: bool = False
    ) -> Awaitable[T]:
        """Let a transaction end even when its caller is cancelled.

        The driver would abandon the connection, and on SQLite the lock with it: everybody would wait for a timeout.
        """
        loop = asyncio.get_running_loop()
        asked = self._running[running] = _Asked(attempt, loop.create_future(), writing, KEPT.get(None))
        if self._ends_at is not None:
            limit = min(LIMIT if limit is None else limit, max(LEAST, self._ends_at - loop.time()))
        if limit is not None:
            self._wait(running, asked, limit)
        running.add_done_callback(self._ended)
        return asked.waiter

    def _wait(self, running: asyncio.Future[Any], asked: _Asked, seconds: float) -> None:
        if asked.timer is not None:
            asked.timer.cancel()
        asked.timer = asyncio.get_running_loop().call_later(seconds, self._enough, running, asked)

    def _enough(self, running: asyncio.Future[Any], asked: _Asked) -> None:
        """Nobody waits any longer. What cannot be taken back any more may still be done."""
        asked.attempt.abandon()
        self.failures += 1
        if self._direct is None and asked.attempt.loosen is None:
            running.cancel()
        self._answer(asked, DatabaseTrouble(self._met(Ail.SILENT, asked), maybe=asked.writing and asked.attempt.maybe))

    def _ended(self, running: asyncio.Future[Any]) -> None:
        asked = self._running.pop(running)
        if asked.timer is not None:
            asked.timer.cancel()
        if running.cancelled():
            asked.waiter.cancel()
            return
        error = running.exception()  # a caller that was cancelled does not ask any more
        if error is None:
            if asked.writing and asked.kept is not None:
                asked.kept.append(True)
            if self.troubles.now is not None:
                self.troubles.went_well(writing=asked.writing)
            if not asked.waiter.done():
                asked.waiter.set_result(running.result())
            return
        if isinstance(error, DBAPIError | OSError) and not isinstance(error, IntegrityError):
            self.failures += 1
        ail = None if asked.waiter.done() else diagnosed(error)
        if ail is not None:
            trouble = DatabaseTrouble(self._met(ail, asked), maybe=asked.writing and asked.attempt.maybe)
            trouble.__cause__ = error
            error = trouble
        self._answer(asked, error)

    def _met(self, ail: Ail, asked: _Asked) -> Ail:
        if ail is Ail.LOST and self._direct is not None:
            ail = Ail.DISK
        self.troubles.met(ail, writing=asked.writing)
        return ail

    @staticmethod
    def _answer(asked: _Asked, error: BaseException) -> None:
        if not asked.waiter.done():
            asked.waiter.set_exception(error)
            asked.waiter.exception()  # nobody may be left who asks for it


def _state(error: Exception) -> str | None:
    """PostgreSQL's number of an error."""
    return getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None


def _cut(raw: Any) -> None:
    """Close a connection at once, whatever it waits for."""
    driver = raw.driver_connection
    if driver is not None:
        driver.terminate()


class Part:
    """A part of the store, on the same database as the others."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._transactions = Transactions(engine)
        self._privacy_key = PrivacyKey(engine.url)
        self.name = without_password(engine.url)
        """The database, as it may be shown."""
        self.hurry = self._transactions.hurry
        self._read = self._transactions.read

    @property
    def failures(self) -> int:
        """How many transactions the database broke off or refused since this store was opened."""
        return self._transactions.failures

    @property
    def ail(self) -> Ail | None:
        """What ails the database, as far as it is known; None while it does its work."""
        troubles = self._transactions.troubles
        return troubles.now or (Ail.DAMAGED if troubles.damaged else None)

    async def _write(
        self,
        work: Work[T],
        *,
        request: int | None = None,
        channel_id: int | None = None,
        match_id: int | None = None,
        limit: float | None = LIMIT,
    ) -> T:
        try:
            return await self._transactions.write(work, limit=limit)
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
