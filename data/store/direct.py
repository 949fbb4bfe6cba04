"""Transactions on SQLite, each as a whole in a thread of its own.

An asynchronous driver goes to a thread and back for every step: begin, execute, fetch, close, commit. Here the thread
is entered once a transaction, which is most of what a short one costs. Reading has a connection and a thread beside the
writing one, so nobody who looks waits for a disk that somebody else writes to.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from typing import Any, Final, TypeVar, cast

from sqlalchemy import URL, Connection, CursorResult, Engine, ScalarResult
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connect import BUSY, make_direct

log = logging.getLogger(__name__)

SCRUB_WAITS: Final = 1000
"""Ms that overwriting waits for others at most: whoever wants to write waits for it."""

T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]


class Direct:
    """The two threads of one database file. Connections are made when they are first needed."""

    def __init__(self, url: URL) -> None:
        self._writer = _Desk(make_direct(url), "BEGIN IMMEDIATE", "store-writer")
        self._reader = _Desk(make_direct(url), "BEGIN", "store-reader")

    def read(self, work: Work[T]) -> asyncio.Future[T]:
        """Do what only reads, all of it of one instant."""
        return self._reader.run(work)

    def write(self, work: Work[T]) -> asyncio.Future[T]:
        """Do what writes: all of it is kept, or nothing."""
        return self._writer.run(work)

    def scrub(self, most: float) -> asyncio.Future[bool]:
        """Write the file anew, without the bytes of what was deleted. False where it has more bytes than `most`, or
        somebody else is at it.
        """
        return self._writer.scrub(most)

    async def close(self) -> None:
        """Let go of the file."""
        await self._reader.close()
        await self._writer.close()


class _Desk:
    """A thread with a connection, and the transactions that queue for it."""

    def __init__(self, engine: Engine, begin: str, name: str) -> None:
        self._engine: Final = engine
        self._begin: Final = begin
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._connection: Connection | None = None
        self._closed = False

    def run(self, work: Work[T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)

    def _run(self, work: Work[T]) -> T:
        if self._connection is None:
            self._connection = self._engine.connect()
        with self._connection.begin(), closing(_AtOnce(self._connection)) as at_once:
            # Said here and not by a listener: where there is one, SQLAlchemy looks for more with every statement.
            self._connection.exec_driver_sql(self._begin)
            return _finished(work(cast(AsyncConnection, at_once)))

    def scrub(self, most: float) -> asyncio.Future[bool]:
        return asyncio.get_running_loop().run_in_executor(self._thread, self._scrub, most)

    def _scrub(self, most: float) -> bool:
        if self._connection is None:
            self._connection = self._engine.connect()
        plain = cast(sqlite3.Connection, self._connection.connection.driver_connection)
        pages, size = (plain.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        small = pages * size <= most
        try:
            plain.execute(f"PRAGMA busy_timeout = {SCRUB_WAITS}")
            # Rows are overwritten where they are deleted. But pages that were split have copies of rows that moved on,
            # in the room between those they have now.
            if small:
                plain.execute("VACUUM")
            # What was committed before stands in the log as well; only one that is cut off has none of it.
            cut_off = not plain.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            return small and cut_off
        except sqlite3.OperationalError as error:
            log.warning("what is left of deleted rows waits to be overwritten: %s", error)
            return False
        finally:
            plain.execute(f"PRAGMA busy_timeout = {BUSY}")

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
        self._thread.shutdown()

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()


def _finished(work: Awaitable[T]) -> T:
    """What work comes to that never has to wait."""
    try:
        cast(Coroutine[Any, Any, T], work).send(None)
    except StopIteration as done:
        return cast(T, done.value)
    raise RuntimeError("a transaction waits for something that is not in the database")


class _AtOnce:
    """The part of an AsyncConnection that transactions use, over a connection that answers at once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._given: list[CursorResult[Any]] = []

    @property
    def dialect(self) -> Dialect:
        return self._connection.dialect

    async def execute(self, *statement: Any, **options: Any) -> CursorResult[Any]:
        result = self._connection.execute(*statement, **options)
        if result.returns_rows:
            self._given.append(result)
        return result

    async def scalars(self, *statement: Any) -> ScalarResult[Any]:
        return (await self.execute(*statement)).scalars()

    @asynccontextmanager
    async def stream(self, *statement: Any) -> AsyncIterator[AsyncIterator[Any]]:
        async def rows() -> AsyncIterator[Any]:
            for row in await self.execute(*statement, execution_options={"yield_per": 1000}):
                yield row

        yield rows()

    def close(self) -> None:
        """Let go of rows that were not read to the end: no ROLLBACK ends their look at the database, and everybody who
        reads after them would see the moment they saw, for as long as a traceback knows of them.
        """
        for result in self._given:
            result.close()
