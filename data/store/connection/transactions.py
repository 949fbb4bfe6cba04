"""Transactions: atomic, retried where that is safe, and answered in time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from random import uniform
from time import monotonic
from typing import Any, Final, TypeVar

from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store.connection.engines import without_password
from data.store.connection.faults import (
    COMMITTED_WRITES,
    Attempt,
    DatabaseFault,
    DatabaseUnavailable,
    FaultTracker,
    diagnose,
)
from data.store.connection.privacy_key import PrivacyKey
from data.store.connection.sqlite import SqliteDatabase
from data.store.connection.store_errors import StoreClosed

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]
"""The body of one transaction. It uses only the database, because it may run again from the start."""
LIMIT: Final = 12.0
"""Seconds after which a caller learns that the database does not answer."""
MIN_LIMIT: Final = 0.5
"""Seconds for each transaction after the time of `set_deadline` has passed."""
MAX_TRIES: Final = 15
"""Tries of a transaction that PostgreSQL aborts because of another one."""
FIRST_PAUSE: Final = 0.005
"""Longest pause before the second try, in seconds. It doubles with each try, and is random so that two transactions
that aborted each other do not meet again.
"""
ABORTED_STATES: Final = ("40001", "40P01")
"""SQLSTATE of serialization_failure and deadlock_detected."""
MAX_RECONNECTS: Final = 2
"""Retries of a transaction that lost its connection."""
LOCK_WAIT: Final = 10.0
"""Seconds that a transaction waits for another program that locks the database."""
SERVER_WAIT: Final = 5.0
"""Seconds that a transaction waits for a server that can't be reached: so long a restart may take."""
PAUSE: Final = 0.25


class Transactions:
    """Runs transactions on one database. Callers get a result or DatabaseUnavailable within `LIMIT`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self.name: Final = without_password(engine.url)
        self.privacy_key: Final = PrivacyKey(engine.url)
        is_sqlite = engine.dialect.name == "sqlite"
        self._database = SqliteDatabase(engine.url) if is_sqlite else _ServerDatabase(engine)
        self._running: set[asyncio.Task[Any]] = set()
        self._timeouts: set[asyncio.Timeout] = set()
        self._ends_at: float | None = None
        self._closed = False
        self.failure_count = 0
        """How many transactions the database aborted or refused, except for a key that another one inserted first."""
        self.faults = FaultTracker()

    async def read(self, work: Work[T], *, limit: float | None = LIMIT) -> T:
        """Run `work`, which only reads, on one snapshot. Raises StoreClosed, DatabaseUnavailable."""
        attempt = Attempt(is_write=False)
        return await self._answer(self._try(work, attempt), attempt, limit)

    async def write(self, work: Work[T], *, limit: float | None = LIMIT) -> T:
        """Run `work` and commit all of it or nothing. Raises StoreClosed, DatabaseUnavailable."""
        attempt = Attempt(is_write=True)
        return await self._answer(self._try(work, attempt), attempt, limit)

    async def scrub(self, max_bytes: float) -> bool:
        """Rewrite a database file of at most `max_bytes` bytes without deleted rows, and truncate its log.

        Return False if the file is larger or in use. A server needs none of this.
        """
        return await self._answer(self._database.scrub(max_bytes), Attempt(is_write=True), None)

    def set_deadline(self, seconds: float) -> None:
        self._ends_at = asyncio.get_running_loop().time() + seconds
        for timeout in self._timeouts:
            if not timeout.expired() and (timeout.when() or self._ends_at) >= self._ends_at:
                timeout.reschedule(self._ends_at)

    async def close(self, within: float | None = None) -> None:
        """Finish the transactions under way, begin no more, and close the database; give up after `within` seconds."""
        self._closed = True
        try:
            async with asyncio.timeout(within):
                while self._running:
                    await asyncio.wait(self._running)
                await self._database.close()
                await self._engine.dispose()
        except TimeoutError:
            log.warning("the database does not let go; the bot ends without waiting for it")

    async def _answer(self, running: Coroutine[Any, Any, T], attempt: Attempt, limit: float | None) -> T:
        """Wait for a transaction, which continues to its end if the caller is cancelled."""
        if self._closed:
            running.close()
            raise StoreClosed
        task = asyncio.create_task(running)
        self._running.add(task)
        task.add_done_callback(self._forget)
        if self._ends_at is not None:
            left = max(MIN_LIMIT, self._ends_at - asyncio.get_running_loop().time())
            limit = min(LIMIT if limit is None else limit, left)
        timeout = asyncio.timeout(limit)
        try:
            async with timeout:
                self._timeouts.add(timeout)
                return await asyncio.shield(task)
        except Exception as error:
            if timeout.expired():
                self.failure_count += 1
                maybe, fault = attempt.abandon(), self.faults.current or DatabaseFault.SILENT
                task.cancel()
            else:
                self.failure_count += isinstance(error, DBAPIError | OSError) and not isinstance(error, IntegrityError)
                maybe, found = attempt.may_have_committed, diagnose(error)
                if found is None:
                    raise
                fault = found
            self.faults.record_failure(fault, is_write=attempt.is_write)
            raise DatabaseUnavailable(fault, may_have_committed=maybe) from error
        finally:
            self._timeouts.discard(timeout)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # its caller may be gone, and asyncio logs exceptions that no code retrieves

    async def _try(self, work: Work[T], attempt: Attempt) -> T:
        """Run a transaction until it is committed or another try is no use.

        A write whose connection was lost while it was committed must check whether it was done.
        """
        aborted = lost = 0
        start = monotonic()
        while True:
            try:
                done = await self._database.transact(work, attempt)
                break
            except Exception as error:
                fault, state, has_begun = diagnose(error), _get_sqlstate(error), attempt.has_begun
                attempt.record_failure(
                    is_certain=fault in UNWRITTEN_FAULTS or (state is not None and fault is not DatabaseFault.LOST)
                )
                waited = monotonic() - start
                aborted += state in ABORTED_STATES
                lost += has_begun and fault is DatabaseFault.LOST
                if state in ABORTED_STATES and aborted < MAX_TRIES:
                    pause = uniform(0, FIRST_PAUSE * 2 ** min(aborted, 6))  # noqa: S311 - no secret
                elif fault is DatabaseFault.LOCKED and waited < LOCK_WAIT and not attempt.may_have_committed:
                    pause = 0.0
                elif fault is DatabaseFault.LOST and lost <= MAX_RECONNECTS and (has_begun or waited < SERVER_WAIT):
                    pause = 0.0 if has_begun else PAUSE
                else:
                    raise
            await asyncio.sleep(pause)
        committed = COMMITTED_WRITES.get(None)
        if attempt.is_write and committed is not None:
            committed.append(True)
        if self.faults.current is not None:
            self.faults.record_success(is_write=attempt.is_write)
        return done


UNWRITTEN_FAULTS: Final = (DatabaseFault.FULL, DatabaseFault.LOCKED, DatabaseFault.READ_ONLY)
"""Faults of a commit that wrote nothing."""


class _ServerDatabase:
    def __init__(self, engine: AsyncEngine) -> None:
        self._writing = engine
        self._reading = engine.execution_options(isolation_level="REPEATABLE READ")

    async def transact(self, work: Work[T], attempt: Attempt) -> T:
        async with (self._writing if attempt.is_write else self._reading).connect() as connection:
            async with connection.begin() as transaction:
                attempt.has_begun = True
                done = await work(connection)
                if attempt.is_write:
                    attempt.start_commit()
                    await transaction.commit()
            return done

    async def scrub(self, _max_bytes: float) -> bool:
        return True

    async def close(self) -> None:
        """Do nothing: `Transactions` closes the engine."""


def _get_sqlstate(error: Exception) -> str | None:
    return getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
