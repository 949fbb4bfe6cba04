"""Transactions on a SQLite file: one thread writes, one reads, and each transaction is one call into its thread.

SQLAlchemy's asynchronous SQLite driver changes threads for every statement, fetch and close, which costs more CPU than
the statements (decision 0090).
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from sqlalchemy import URL, Connection, CursorResult, ScalarResult, event
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.private import create_private_database, write_private
from data.store.connection.engines import make_thread_engine
from data.store.connection.faults import REMEDIES, Attempt, DatabaseFault, DatabaseFileError, diagnose

log = logging.getLogger(__name__)
RESCUED_SUFFIX: Final = ".rescued"
"""Suffix of the copy of a database file that was deleted while it was open."""
MISPLACED_SUFFIX: Final = ".astray"
"""Suffix of the note about a database file that is not in place: the bot cannot write it to the database."""
BUSY_TIMEOUT: Final = 50
"""Milliseconds SQLite waits for a lock. `Transactions` tries again until its own limit."""
SCRUB_BUSY_TIMEOUT: Final = 1000
T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]
Inode = tuple[int, int]


class SqliteDatabase:
    def __init__(self, url: URL) -> None:
        self._file = DatabaseFile(Path(str(url.database)))
        self._writer = _WorkerThread(url, self._file, "store-writer")
        self._reader = _WorkerThread(url, self._file, "store-reader")
        self._reopening = asyncio.Lock()
        self._closed = False

    async def transact(self, work: Work[T], attempt: Attempt) -> T:
        thread = self._writer if attempt.is_write else self._reader
        try:
            return await thread.run(thread.transact, work, attempt)
        except DatabaseFileError as error:
            if error.fault is not DatabaseFault.LOG_DELETED:
                raise
            await self._reopen()
            if attempt.may_have_committed:
                raise
        return await thread.run(thread.transact, work, attempt)

    async def _reopen(self) -> None:
        """Close both connections, so that the next ones have the same log, and save the content of the lost one."""
        async with self._reopening:
            if self._file.is_log_lost:
                await self._reader.run(self._reader.release, False)
                await self._writer.run(self._writer.release, True)

    async def scrub(self, max_bytes: float) -> bool:
        """See Transactions.scrub."""
        return await self._writer.run(self._writer.scrub, max_bytes)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        for thread in (self._reader, self._writer):
            await thread.close()
        self._file.close()


class _WorkerThread:
    def __init__(self, url: URL, file: DatabaseFile, name: str) -> None:
        self._file = file
        self._engine = make_thread_engine(url, busy=BUSY_TIMEOUT)
        file.follow(self._engine)
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    def run(self, function: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._executor, function, *arguments)

    async def close(self) -> None:
        await self.run(self._engine.dispose)
        self._executor.shutdown()

    def release(self, merge_log: bool) -> None:
        with suppress(DatabaseFileError), self._engine.connect() as connection:
            self._file.save(_get_driver_connection(connection), merge_log=merge_log)
        self._engine.dispose()

    def transact(self, work: Work[T], attempt: Attempt) -> T:
        attempt.check()
        try:
            with self._engine.connect() as connection:
                try:
                    return self._commit(connection, work, attempt)
                except DatabaseFileError:
                    self._file.save(_get_driver_connection(connection), merge_log=attempt.is_write)
                    connection.invalidate()
                    raise
                except (DBAPIError, sqlite3.Error) as error:
                    # A new connection finds out whether the disk works again; one opened read-only stays so.
                    if diagnose(error) in (DatabaseFault.DISK, DatabaseFault.READ_ONLY):
                        connection.invalidate()
                    raise
        except DatabaseFileError as error:
            if error.fault is not DatabaseFault.LOG_DELETED:
                self._file.leave_note(error.fault)
            raise

    def _commit(self, connection: Connection, work: Work[T], attempt: Attempt) -> T:
        with connection.begin() as transaction:
            # Not by a `begin` listener: with one, SQLAlchemy looks for listeners at every statement.
            connection.exec_driver_sql("BEGIN IMMEDIATE" if attempt.is_write else "BEGIN")
            self._file.check()
            with closing(_ThreadConnection(connection)) as facade:
                done = _finish(work(cast(AsyncConnection, facade)))
            if attempt.is_write:
                attempt.start_commit()
                transaction.commit()
                self._file.check()  # SQLite also commits to a file without a name
        return done

    def scrub(self, max_bytes: float) -> bool:
        with self._engine.connect() as connection:
            plain = _get_driver_connection(connection)
            pages, size = (plain.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
            is_small = pages * size <= max_bytes
            try:
                plain.execute(f"PRAGMA busy_timeout = {SCRUB_BUSY_TIMEOUT}")
                # secure_delete overwrites deleted rows, but not the copies that a page split leaves behind.
                if is_small:
                    plain.execute("VACUUM")
                is_truncated = not plain.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                return is_small and is_truncated
            except sqlite3.OperationalError as error:
                log.warning("deleted rows are not overwritten yet: %s", error)
                return False
            finally:
                plain.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT}")


def _get_driver_connection(connection: Connection) -> sqlite3.Connection:
    return cast(sqlite3.Connection, connection.connection.driver_connection)


def _finish(work: Awaitable[T]) -> T:
    """Return the result of a coroutine that never suspends."""
    try:
        cast(Coroutine[Any, Any, T], work).send(None)
    except StopIteration as done:
        return cast(T, done.value)
    raise RuntimeError("a transaction waits for something that is not in the database")


class _ThreadConnection:
    """The part of AsyncConnection that transactions use, over a connection of this thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._results: list[CursorResult[Any]] = []

    @property
    def dialect(self) -> Dialect:
        return self._connection.dialect

    async def execute(self, *statement: Any, **options: Any) -> CursorResult[Any]:
        result = self._connection.execute(*statement, **options)
        if result.returns_rows:
            self._results.append(result)
        return result

    async def scalar(self, *statement: Any) -> Any:
        return (await self.execute(*statement)).scalar()

    async def scalars(self, *statement: Any) -> ScalarResult[Any]:
        return (await self.execute(*statement)).scalars()

    @asynccontextmanager
    async def stream(self, *statement: Any) -> AsyncIterator[AsyncIterator[Any]]:
        async def rows() -> AsyncIterator[Any]:
            for row in await self.execute(*statement, execution_options={"yield_per": 1000}):
                yield row

        yield rows()

    def close(self) -> None:
        """Close unread results: a ROLLBACK does not end their snapshot, which later readers would see."""
        for result in self._results:
            result.close()


class DatabaseFile:
    """Watches a file and its log: SQLite continues to write to a file that was deleted or moved."""

    def __init__(self, file: Path) -> None:
        self._file = file.absolute()
        self._log = _with_suffix(self._file, "-wal")
        self._inode: Inode | None = None
        """The file that was opened first."""
        self._log_inode: Inode | None = None
        self.is_log_lost = False
        """Whether a connection may use a log that is not in place."""
        self._handle: int | None = None
        self._rescue_once = threading.Lock()
        self._connections: set[int] = set()
        self._noted_fault: DatabaseFault | None = None

    def follow(self, engine: Any) -> None:
        event.listen(engine, "do_connect", self._check_before_open)
        event.listen(engine, "connect", self._handle_open)
        event.listen(engine, "close", self._handle_close)

    def _check_before_open(self, *_: object) -> None:
        found = _find_inode(self._file)
        if self._inode is not None and found != self._inode:
            raise DatabaseFileError(DatabaseFault.DELETED if found is None else DatabaseFault.EXCHANGED)
        # A connection with the lost log and one with a new log would damage the file.
        if self.is_log_lost and self._connections and _find_inode(self._log) != self._log_inode:
            raise DatabaseFileError(DatabaseFault.LOG_DELETED)
        self.is_log_lost = False

    def _handle_open(self, connection: Any, _record: object) -> None:
        self._connections.add(id(connection))
        self._noted_fault = None
        with suppress(OSError):
            _with_suffix(self._file, MISPLACED_SUFFIX).unlink(missing_ok=True)
        if self._inode is None:
            self._inode = _find_inode(self._file)
            # An open handle keeps the inode number from being used again. O_PATH, because closing any other handle of
            # the file would drop SQLite's locks.
            if hasattr(os, "O_PATH"):
                with suppress(OSError):
                    self._handle = os.open(self._file, os.O_PATH | os.O_CLOEXEC)

    def _handle_close(self, connection: Any, _record: object) -> None:
        self._connections.discard(id(connection))
        if not self._connections:
            self._log_inode = None  # SQLite deletes the log with the last connection

    def check(self) -> None:
        """Raise DatabaseFileError unless the file and its log are the files that were opened."""
        found = _find_inode(self._file)
        if found != self._inode:
            raise DatabaseFileError(DatabaseFault.DELETED if found is None else DatabaseFault.EXCHANGED)
        log_found = _find_inode(self._log)
        if self._log_inode is None:
            self._log_inode = log_found
        elif log_found != self._log_inode:
            if not self.is_log_lost:
                log.warning(REMEDIES[DatabaseFault.LOG_DELETED])
            self.is_log_lost = True
            raise DatabaseFileError(DatabaseFault.LOG_DELETED)

    def save(self, connection: sqlite3.Connection, *, merge_log: bool) -> None:
        """Keep what is in a file that is not in place: copy it if it was deleted, and `merge_log` its log into it."""
        is_deleted = self._handle is not None and not os.fstat(self._handle).st_nlink
        if is_deleted and self._rescue_once.acquire(blocking=False):
            self._rescue(connection)
        if merge_log:
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def _rescue(self, connection: sqlite3.Connection) -> None:
        names = (_with_suffix(self._file, f"{again}{RESCUED_SUFFIX}") for again in ("", *range(-2, -100, -1)))
        target = next(name for name in names if not name.exists())  # an older copy may be the only one left
        try:
            create_private_database(target)
            with closing(sqlite3.connect(target)) as copy:
                connection.backup(copy)
        except (sqlite3.Error, OSError) as error:
            log.error("the database that was deleted could not be copied: %s", type(error).__name__)
        else:
            log.warning("all that was in the database that was deleted is in %s", target.name)

    def leave_note(self, fault: DatabaseFault) -> None:
        if fault is not self._noted_fault:
            self._noted_fault = fault
            with suppress(OSError):
                write_private(_with_suffix(self._file, MISPLACED_SUFFIX), f"{REMEDIES[fault]}\n".encode())

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def read_misplaced_note(file: Path) -> str:
    """Return the note of a bot whose database file is not at this path; empty if there is none."""
    try:
        return _with_suffix(file, MISPLACED_SUFFIX).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _with_suffix(file: Path, suffix: str) -> Path:
    return file.with_name(file.name + suffix)


def _find_inode(file: Path) -> Inode | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
