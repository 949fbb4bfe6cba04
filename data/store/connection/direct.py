"""Transactions on SQLite, each as a whole in a thread of its own.

An asynchronous driver goes to a thread and back for every step: begin, execute, fetch, close, commit. Here the thread
is entered once a transaction, which is most of what a short one costs. Reading has a connection and a thread beside the
writing one, so nobody who looks waits for a disk that somebody else writes to.
"""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, suppress
from time import monotonic
from typing import Any, Final, TypeVar, cast

from sqlalchemy import URL, Connection, CursorResult, Engine, ScalarResult
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.database_file import DatabaseFile
from data.store.connection.engines import make_direct
from data.store.connection.faults import Ail, NotInPlace, diagnosed

PATIENCE: Final = 10.0
"""Seconds that a transaction waits for others that hold the database."""


class Abandoned(Exception):  # noqa: N818
    """Nobody waits for this transaction any more, and they were told that nothing of it is kept: it ends here."""


class Attempt:
    """One transaction. Until it begins to commit, whoever waits may take back what they asked for."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.until = monotonic() + patience
        """For so long it waits for others that hold the database, in seconds of the monotonic clock."""
        self.maybe = False
        """Whether it, or an earlier try of it, may have been committed without anybody knowing."""
        self.loosen: Callable[[], object] | None = None
        """What breaks off the statement it waits for, where there is a way."""
        self._before = False
        self._lock = threading.Lock()
        self._abandoned = False

    def go_on(self) -> None:
        """Before each further step. Raises Abandoned."""
        if self._abandoned:
            raise Abandoned

    def commits(self) -> None:
        """From now on it cannot be taken back. Raises Abandoned."""
        with self._lock:
            self.go_on()
            self._before, self.maybe = self.maybe, True

    def kept_nothing(self) -> None:
        """It failed, and nothing of this try was kept."""
        self.maybe = self._before

    def abandon(self) -> None:
        """Take it back, if that can be done; `maybe` says afterwards whether it could."""
        with self._lock:
            self._abandoned = True
        if self.loosen is not None:
            self.loosen()

    @property
    def may_wait(self) -> bool:
        """Whether it may try again where somebody else holds the database."""
        return not self._abandoned and not self.maybe and monotonic() < self.until


log = logging.getLogger(__name__)

SCRUB_WAITS: Final = 1000
"""Ms that overwriting waits for others at most: whoever wants to write waits for it."""

STEP: Final = 250
"""Ms that SQLite waits for others by itself. Between two such waits it is seen whether anybody still wants it."""

T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]


class Direct:
    """The two threads of one database file. Connections are made when they are first needed."""

    def __init__(self, url: URL) -> None:
        self._file = DatabaseFile(str(url.database))
        engine = make_direct(url, STEP)
        self._writer = _Desk(engine, self._file, writes=True)
        self._reader = _Desk(engine, self._file, writes=False)

    def read(self, work: Work[T], attempt: Attempt | None = None) -> asyncio.Future[T]:
        """Do what only reads, all of it of one instant."""
        return self._reader.run(work, attempt or Attempt())

    def write(self, work: Work[T], attempt: Attempt | None = None) -> asyncio.Future[T]:
        """Do what writes: all of it is kept, or nothing."""
        return self._writer.run(work, attempt or Attempt())

    def scrub(self, most: float) -> asyncio.Future[bool]:
        """Write the file anew, without the bytes of what was deleted. False where it has more bytes than `most`, or
        somebody else is at it.
        """
        return self._writer.scrub(most)

    async def close(self) -> None:
        """Let go of the file."""
        await self._reader.close()
        await self._writer.close()
        self._file.close()


class _Desk:
    """A thread with a connection, and the transactions that queue for it."""

    def __init__(self, engine: Engine, file: DatabaseFile, *, writes: bool) -> None:
        self._engine: Final = engine
        self._file: Final = file
        self._writes: Final = writes
        self._begin: Final = "BEGIN IMMEDIATE" if writes else "BEGIN"
        self._thread = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="store-writer" if writes else "store-reader"
        )
        self._connection: Connection | None = None
        self._step = STEP
        self._closed = False

    def run(self, work: Work[T], attempt: Attempt) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, self._run, work, attempt)

    def _run(self, work: Work[T], attempt: Attempt) -> T:
        while True:
            attempt.go_on()
            try:
                connection = self._connected()
                # Whoever has queued for as long as anybody may wait does not wait for who holds the file as well.
                self._wait(connection, STEP if attempt.may_wait else 0)
                return self._tried(connection, work, attempt)
            except NotInPlace as error:
                self._leave()
                self._file.left(error.ail)
                raise
            except (DBAPIError, sqlite3.Error) as error:
                ail = diagnosed(error)
                if self._connection is not None:
                    with suppress(DBAPIError, sqlite3.Error):
                        self._connection.rollback()  # what failed as it was committed is still there
                    if ail is Ail.DISK:
                        self._disconnect()  # a new one finds out whether the disk is well again
                # Nothing of it is kept: where it waits for somebody else, it waits as long as anybody waits for it.
                if ail is not Ail.LOCKED or not attempt.may_wait:
                    raise

    def _wait(self, connection: Connection, step: int) -> None:
        if step != self._step:
            self._step = step
            cast(sqlite3.Connection, connection.connection.driver_connection).execute(f"PRAGMA busy_timeout = {step}")

    def _tried(self, connection: Connection, work: Work[T], attempt: Attempt) -> T:
        with connection.begin() as transaction:
            # Said here and not by a listener: where there is one, SQLAlchemy looks for more with every statement.
            connection.exec_driver_sql(self._begin)
            self._file.look()
            with closing(_AtOnce(connection)) as at_once:
                done = _finished(work(cast(AsyncConnection, at_once)))
            if self._writes:
                attempt.commits()
                try:
                    transaction.commit()
                except DBAPIError as error:
                    if diagnosed(error) in (Ail.FULL, Ail.LOCKED, Ail.READ_ONLY):
                        attempt.kept_nothing()
                    raise
                # What was written into a file that nobody can find is not kept, though SQLite says so.
                self._file.look()
        return done

    def _connected(self) -> Connection:
        if self._connection is None:
            self._file.opens()
            try:
                self._connection, self._step = self._engine.connect(), STEP
            except BaseException:
                self._disconnect()
                raise
            self._file.opened()
        return self._connection

    def _leave(self) -> None:
        """Let go of a file that is not where it was, whole: what its log holds is folded into it first."""
        connection = self._connection
        if connection is None:
            return
        plain = cast(sqlite3.Connection, connection.connection.driver_connection)
        self._file.rescue(plain)
        if self._writes:
            with suppress(sqlite3.Error):
                plain.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self._disconnect()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        try:
            if connection is not None:
                connection.close()
        finally:
            self._file.closed()

    def scrub(self, most: float) -> asyncio.Future[bool]:
        return asyncio.get_running_loop().run_in_executor(self._thread, self._scrub, most)

    def _scrub(self, most: float) -> bool:
        plain = cast(sqlite3.Connection, self._connected().connection.driver_connection)
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
            self._step = STEP
            plain.execute(f"PRAGMA busy_timeout = {STEP}")

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
        self._thread.shutdown()

    def _let_go(self) -> None:
        if self._connection is not None:
            self._disconnect()
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
