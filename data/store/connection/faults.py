"""Faults of a database: diagnose them from the driver's errors, track them, and log each with its remedy."""

import errno
import logging
import sqlite3
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic
from typing import Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

log = logging.getLogger(__name__)
LOG_INTERVAL: Final = 60.0


class DatabaseFault(StrEnum):
    FULL = "full"
    READ_ONLY = "read_only"
    LOCKED = "locked"
    DAMAGED = "damaged"
    NOT_A_DATABASE = "not_a_database"
    DISK = "disk"
    MISSING = "missing"
    DELETED = "deleted"
    EXCHANGED = "exchanged"
    LOG_DELETED = "log_deleted"
    STALE_LOG = "stale_log"
    OLDER = "older"
    NEWER = "newer"
    UNVERSIONED = "unversioned"
    SCHEMA = "schema"
    OWNERLESS = "ownerless"
    ROWS = "rows"
    LOST = "lost"
    CROWDED = "crowded"
    SILENT = "silent"


REMEDIES: Final[Mapping[DatabaseFault, str]] = {
    DatabaseFault.FULL: (
        "the disk of the database is full, so nothing can be saved: free some space; the bot then continues"
    ),
    DatabaseFault.READ_ONLY: (
        "the database is read-only: let the bot write to its file, folder and disk, or use the address of the primary "
        "server; the bot then continues"
    ),
    DatabaseFault.LOCKED: (
        "another program locks the database, so nothing can be saved: end that program (a sqlite3 shell, a copy that "
        "hangs, an open transaction); the bot then continues"
    ),
    DatabaseFault.DAMAGED: (
        "the database is damaged: stop the bot, restore a backup with `boneyard restore FILE`, and check the disk"
    ),
    DatabaseFault.NOT_A_DATABASE: (
        "the file is not an SQLite database: put the right file in its place, restore a backup with "
        "`boneyard restore FILE`, or name another file in BONEYARD_DATABASE_URL"
    ),
    DatabaseFault.DISK: (
        "the disk of the database reports errors, so nothing can be saved: check the system log; the bot continues "
        "when the disk works again"
    ),
    DatabaseFault.MISSING: (
        "there is no database at this path: name its file in BONEYARD_DATABASE_URL, or start the bot, which creates one"
    ),
    DatabaseFault.DELETED: (
        "the database file was deleted or moved while the bot ran, so nothing is saved: put it back and the bot "
        "continues; if it is lost, stop the bot, replace it with the .rescued file or a backup, and start the bot"
    ),
    DatabaseFault.EXCHANGED: (
        "the database file was replaced while the bot ran, so nothing is saved: stop the bot, put the right file in "
        "place (a .rescued file has the content of the old one), and start the bot"
    ),
    DatabaseFault.LOG_DELETED: (
        "the -wal file was deleted or replaced while the bot ran: do nothing, because the bot saves its content and "
        "continues; keep other programs away from it"
    ),
    DatabaseFault.STALE_LOG: (
        "the database file was replaced, but the -wal file beside it belongs to the old one, and both together would "
        "mix old and new data: stop the bot; delete the -wal and -shm files, or put the old database file back; start "
        "the bot"
    ),
    DatabaseFault.OLDER: (
        "the database is from before version 1.0: open it once with the last version 0.1 and then with this one, or "
        "restore a later backup"
    ),
    DatabaseFault.NEWER: "the database was written by a newer version of Boneyard: update the program",
    DatabaseFault.UNVERSIONED: (
        "the database does not name its version, because its table alembic_version is missing, empty or garbled: stop "
        "the bot and restore a backup"
    ),
    DatabaseFault.SCHEMA: (
        "tables or indexes of the database are missing or not ours: stop the bot, restore a backup, and change them "
        "with no other program"
    ),
    DatabaseFault.OWNERLESS: (
        "the database does not name its bot or its key, because its table facts is garbled: stop the bot and restore a "
        "backup"
    ),
    DatabaseFault.ROWS: (
        "some rows can't be read, so the bot ignores them: everything else works; an earlier backup may have them"
    ),
    DatabaseFault.LOST: (
        "the database server can't be reached: check that it runs and that BONEYARD_DATABASE_URL is right; the bot "
        "then continues"
    ),
    DatabaseFault.CROWDED: (
        "the database server accepts no more connections: raise max_connections or close unused ones; the bot then "
        "continues"
    ),
    DatabaseFault.SILENT: (
        "the database does not answer: check whether its server, its disk or the network hangs; the bot then continues"
    ),
}

OPENING_FAULTS: Final = (
    DatabaseFault.MISSING,
    DatabaseFault.LOG_DELETED,
    DatabaseFault.STALE_LOG,
    DatabaseFault.OLDER,
    DatabaseFault.NEWER,
    DatabaseFault.UNVERSIONED,
    DatabaseFault.SCHEMA,
    DatabaseFault.OWNERLESS,
    DatabaseFault.ROWS,
)
"""Faults that keep the bot from starting, or from which it recovers: no user of a running bot needs their remedy."""

_FAULTS_BY_SQLITE_CODE: Final[Mapping[int, DatabaseFault]] = {
    sqlite3.SQLITE_BUSY: DatabaseFault.LOCKED,
    sqlite3.SQLITE_LOCKED: DatabaseFault.LOCKED,
    sqlite3.SQLITE_READONLY: DatabaseFault.READ_ONLY,
    sqlite3.SQLITE_PERM: DatabaseFault.READ_ONLY,
    sqlite3.SQLITE_IOERR: DatabaseFault.DISK,
    sqlite3.SQLITE_CANTOPEN: DatabaseFault.DISK,
    sqlite3.SQLITE_CORRUPT: DatabaseFault.DAMAGED,
    sqlite3.SQLITE_NOTADB: DatabaseFault.NOT_A_DATABASE,
    sqlite3.SQLITE_FULL: DatabaseFault.FULL,
}
_FAULTS_BY_SQLSTATE: Final[Mapping[str, DatabaseFault]] = {
    "08": DatabaseFault.LOST,
    "28": DatabaseFault.LOST,
    "3D000": DatabaseFault.LOST,
    "57P": DatabaseFault.LOST,
    "53100": DatabaseFault.FULL,
    "53": DatabaseFault.CROWDED,
    "25006": DatabaseFault.READ_ONLY,
    "55P03": DatabaseFault.LOCKED,
    "57014": DatabaseFault.SILENT,
    "58": DatabaseFault.DISK,
    "XX001": DatabaseFault.DAMAGED,
    "XX002": DatabaseFault.DAMAGED,
    "42P01": DatabaseFault.DAMAGED,
    "3F000": DatabaseFault.DAMAGED,
}
_FAULTS_BY_ERRNO: Final[Mapping[int | None, DatabaseFault]] = {
    errno.ENOSPC: DatabaseFault.FULL,
    errno.EDQUOT: DatabaseFault.FULL,
    errno.EROFS: DatabaseFault.READ_ONLY,
    errno.EACCES: DatabaseFault.READ_ONLY,
    errno.EPERM: DatabaseFault.READ_ONLY,
    errno.EIO: DatabaseFault.DISK,
}


COMMITTED_WRITES: ContextVar[list[bool]] = ContextVar("kept")
"""If set, gets an entry for each write that this task and the tasks it starts commit."""


class DatabaseUnavailable(Exception):  # noqa: N818 - Error would read like one of SQLAlchemy's
    """The database does not work at the moment. The text is the remedy, for the operator.

    `may_have_committed`: the write may have been committed, which is unknown until the database answers. Otherwise
    nothing is written.
    """

    def __init__(self, fault: DatabaseFault, *, may_have_committed: bool = False) -> None:
        super().__init__(REMEDIES[fault])
        self.fault = fault
        self.may_have_committed = may_have_committed


class DatabaseFileError(Exception):
    """The database, or its file, cannot be used as it is. `detail` is a name or a number for the operator."""

    def __init__(self, fault: DatabaseFault, detail: str = "") -> None:
        super().__init__(f"{REMEDIES[fault]} ({detail})" if detail else REMEDIES[fault])
        self.fault = fault
        self.detail = detail


class AbandonedTransaction(Exception):  # noqa: N818
    """The caller of this transaction was informed that nothing was written."""


@dataclass(slots=True, kw_only=True, eq=False)
class Attempt:
    """One transaction that a caller waits for, and its tries."""

    is_write: bool
    has_begun: bool = False  # whether this try got a connection
    _is_abandoned: bool = False
    _commits: bool = False
    _was_lost: bool = False

    @property
    def may_have_committed(self) -> bool:
        """Whether this try or an earlier one may have been committed."""
        return self._commits or self._was_lost

    def check(self) -> None:
        if self._is_abandoned:
            raise AbandonedTransaction

    def start_commit(self) -> None:
        """Note that the transaction can't be taken back from now on. Raises AbandonedTransaction.

        `abandon` runs in another thread: it sets its flag before it reads ours, and we set ours before we read its.
        """
        self._commits = True
        if self._is_abandoned:
            self._commits = False
            raise AbandonedTransaction

    def record_failure(self, *, is_certain: bool) -> None:
        """End a try that failed; `is_certain` means that the database wrote nothing."""
        if self._commits and not is_certain:
            self._was_lost = True
        self._commits = self.has_begun = False

    def abandon(self) -> bool:
        """Take the transaction back if it is not too late. Return `may_have_committed`."""
        self._is_abandoned = True
        return self.may_have_committed


def is_database_down(error: BaseException) -> bool:
    """Whether an error means that the whole database is unavailable, and not only a damaged part of it."""
    return isinstance(error, DatabaseUnavailable) and error.fault is not DatabaseFault.DAMAGED


def diagnose(error: BaseException) -> DatabaseFault | None:
    """Return the fault behind an error; None if the error is not about the state of the database."""
    if isinstance(error, DatabaseFileError):
        return error.fault
    if isinstance(error, TimeoutError | PoolTimeout):
        return DatabaseFault.SILENT
    if isinstance(error, OSError):
        return _FAULTS_BY_ERRNO.get(error.errno, DatabaseFault.LOST)
    cause = error if isinstance(error, sqlite3.Error) else getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        if str(cause).startswith("no such table"):
            return DatabaseFault.DAMAGED
        return _FAULTS_BY_SQLITE_CODE.get((getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF)
    if cause is None and hasattr(error, "sqlstate"):
        cause = error  # asyncpg's own error: a server refused a new connection
    elif not isinstance(error, SQLAlchemyError):
        return None
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return DatabaseFault.LOST
    state = str(getattr(cause, "sqlstate", None) or "")
    faults = (_FAULTS_BY_SQLSTATE[state[:length]] for length in (5, 3, 2) if state[:length] in _FAULTS_BY_SQLSTATE)
    return next(faults, DatabaseFault.LOST if "connection is closed" in str(cause) else None)


def explain(error: BaseException) -> str | None:
    """Return the fault behind an error with its remedy; None if the error is not about the state of the database."""
    if isinstance(error, DatabaseFileError):
        return str(error)
    fault = diagnose(error)
    return None if fault is None else REMEDIES[fault]


class FaultTracker:
    """The present fault of one database. Logs its begin, its end, and once a minute while it lasts."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._logged_at: dict[DatabaseFault, float] = {}
        self._affects_writes = self._is_logged = False
        self._failed = 0
        self.current: DatabaseFault | None = None
        """The last fault, until a transaction of the kind that failed succeeds."""
        self.has_damage = False
        """Whether a part was found damaged, which does not heal while the bot runs."""

    def record_failure(self, fault: DatabaseFault, *, is_write: bool) -> None:
        self._affects_writes = self._affects_writes or is_write
        self._failed += 1
        if fault is DatabaseFault.DAMAGED:
            self.has_damage = True
        else:
            self.current = fault
        logged_at = self._logged_at.get(fault)
        if logged_at is None or self._clock() - logged_at >= LOG_INTERVAL:
            self._logged_at[fault], self._is_logged = self._clock(), True
            log.error(REMEDIES[fault])

    def record_success(self, *, is_write: bool) -> None:
        """Note a successful transaction. A database that can't be written can often be read."""
        if self._affects_writes and not is_write:
            return
        if self._is_logged:  # an intermittent fault is not logged each time
            log.warning("the database works again; failed requests: %d", self._failed)
        self.current, self._affects_writes, self._failed, self._is_logged = None, False, 0, False
