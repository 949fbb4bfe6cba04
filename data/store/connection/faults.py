"""What ails a database while the bot runs: found in the words of its driver, and told in the log with the remedy."""

import errno
import logging
import sqlite3
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from enum import StrEnum
from time import monotonic
from typing import Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

log = logging.getLogger(__name__)

AGAIN: Final = 60.0
"""Seconds after which the log tells again of what goes on."""


class Ail(StrEnum):
    """What is wrong, in a word that may stand in a log."""

    FULL = "full"
    READ_ONLY = "read_only"
    LOCKED = "locked"
    DAMAGED = "damaged"
    DISK = "disk"
    DELETED = "deleted"
    EXCHANGED = "exchanged"
    LOST = "lost"
    CROWDED = "crowded"
    SILENT = "silent"


REMEDIES: Final[Mapping[Ail, str]] = {
    Ail.FULL: "the disk of the database is full, so nothing can be saved: make room on it; the bot goes on by itself",
    Ail.READ_ONLY: (
        "the database can only be read: let the bot write to its file, its folder and its disk, or name the server "
        "that is the primary; the bot goes on by itself"
    ),
    Ail.LOCKED: (
        "another program holds the database, so nothing can be saved: end that one (a sqlite3 shell, a copy that "
        "hangs, a forgotten transaction); the bot goes on by itself"
    ),
    Ail.DAMAGED: (
        "a part of the database is damaged: see `boneyard doctor`, stop the bot, put a backup in its place with "
        "`boneyard restore FILE`, and look the disk over; tables in the sound part go on meanwhile"
    ),
    Ail.DISK: (
        "the disk of the database answers with errors, so nothing can be saved: see the log of the system; when the "
        "disk is well again the bot goes on by itself"
    ),
    Ail.DELETED: (
        "the file of the database, or the -wal beside it, was deleted or moved away while the bot ran, so nothing is "
        "saved: put it back and the bot goes on; where it is lost, stop the bot, put the file that ends in .rescued, "
        "or a backup, in its place, and start it"
    ),
    Ail.EXCHANGED: (
        "another file stands in the place of the database since the bot began, so nothing is saved: stop the bot, see "
        "to it that the right file is there (what was in the old one may end in .rescued), and start it"
    ),
    Ail.LOST: (
        "the database server cannot be reached: see that it runs and that BONEYARD_DATABASE_URL is right; the bot goes "
        "on by itself"
    ),
    Ail.CROWDED: (
        "the database server has no room for another connection: raise max_connections or end those that nobody "
        "needs; the bot goes on by itself"
    ),
    Ail.SILENT: (
        "the database does not answer: see whether its server, its disk or the way there hangs; the bot goes on by "
        "itself"
    ),
}
"""What to tell whoever runs the bot: what is wrong, and what to do."""

_SQLITE: Final[Mapping[int, Ail]] = {
    sqlite3.SQLITE_BUSY: Ail.LOCKED,
    sqlite3.SQLITE_LOCKED: Ail.LOCKED,
    sqlite3.SQLITE_READONLY: Ail.READ_ONLY,
    sqlite3.SQLITE_PERM: Ail.READ_ONLY,
    sqlite3.SQLITE_IOERR: Ail.DISK,
    sqlite3.SQLITE_CANTOPEN: Ail.DISK,
    sqlite3.SQLITE_CORRUPT: Ail.DAMAGED,
    sqlite3.SQLITE_NOTADB: Ail.DAMAGED,
    sqlite3.SQLITE_FULL: Ail.FULL,
}
_STATES: Final[Mapping[str, Ail]] = {
    "08": Ail.LOST,
    "28": Ail.LOST,
    "3D000": Ail.LOST,
    "57P": Ail.LOST,
    "53100": Ail.FULL,
    "53": Ail.CROWDED,
    "25006": Ail.READ_ONLY,
    "55P03": Ail.LOCKED,
    "57014": Ail.SILENT,
    "58": Ail.DISK,
    "XX001": Ail.DAMAGED,
    "XX002": Ail.DAMAGED,
    "42P01": Ail.DAMAGED,
    "3F000": Ail.DAMAGED,
}
"""PostgreSQL's numbers, by how they begin; the longer beginning comes first."""
_ERRNO: Final[Mapping[int | None, Ail]] = {
    errno.ENOSPC: Ail.FULL,
    errno.EDQUOT: Ail.FULL,
    errno.EROFS: Ail.READ_ONLY,
    errno.EACCES: Ail.READ_ONLY,
    errno.EPERM: Ail.READ_ONLY,
    errno.EIO: Ail.DISK,
}


KEPT: ContextVar[list[bool]] = ContextVar("kept")
"""Whoever sets a list finds in it, one by one, what was written since in the same task and in those it began."""


class DatabaseTrouble(Exception):  # noqa: N818 - the name says what happened
    """The database does not do its work at the moment. The text says why, and what whoever runs the bot can do.

    `maybe`: what was to be kept may have been, and nobody can tell until the database answers again; else nothing of it
    was, nor will be.
    """

    def __init__(self, ail: Ail, *, maybe: bool = False) -> None:
        super().__init__(REMEDIES[ail])
        self.ail = ail
        self.maybe = maybe


def is_everywhere(error: BaseException) -> bool:
    """Whether it is trouble with the database that everybody has, and not only whoever needs a damaged part of it."""
    return isinstance(error, DatabaseTrouble) and error.ail is not Ail.DAMAGED


class NotInPlace(Exception):  # noqa: N818
    """The file that a connection works on is not the one at its path any more."""

    def __init__(self, ail: Ail) -> None:
        super().__init__(ail.value)
        self.ail = ail


def diagnosed(error: BaseException) -> Ail | None:
    """What ails the database; None where the error says nothing of that."""
    if isinstance(error, NotInPlace):
        return error.ail
    if isinstance(error, TimeoutError | PoolTimeout):
        return Ail.SILENT
    if isinstance(error, OSError):
        return _ERRNO.get(error.errno, Ail.LOST)
    cause = error if isinstance(error, sqlite3.Error) else getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        return _of_sqlite(cause)
    if cause is None and hasattr(error, "sqlstate"):
        cause = error  # of the driver itself, which is how a server refuses a new connection
    elif not isinstance(error, SQLAlchemyError):
        return None
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return Ail.LOST
    state = str(getattr(cause, "sqlstate", None) or "")
    ways = (_STATES[state[:length]] for length in (5, 3, 2) if state[:length] in _STATES)
    return next(ways, Ail.LOST if "connection is closed" in str(cause) else None)


def _of_sqlite(cause: sqlite3.Error) -> Ail | None:
    if str(cause).startswith("no such table"):
        return Ail.DAMAGED
    return _SQLITE.get((getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF)


class Troubles:
    """What ails one database now. The log has it when it begins, once a minute while it goes on, and at its end."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._told_at: dict[Ail, float] = {}
        self._writing = self._told = False
        self._failed = 0
        self.now: Ail | None = None
        """What ails it, since something failed and until something of the kind succeeds."""
        self.damaged = False
        """Whether anything in it was found damaged. That does not heal while the bot runs."""

    def met(self, ail: Ail, *, writing: bool) -> None:
        """Something failed for that reason."""
        self._writing = self._writing or writing
        self._failed += 1
        if ail is Ail.DAMAGED:
            self.damaged = True
        else:
            self.now = ail
        told_at = self._told_at.get(ail)
        if told_at is None or self._clock() - told_at >= AGAIN:
            self._told_at[ail], self._told = self._clock(), True
            log.error(REMEDIES[ail])

    def went_well(self, *, writing: bool) -> None:
        """Something succeeded. What cannot be written to can often still be read."""
        if self._writing and not writing:
            return
        if self._told:  # what comes and goes all the time is not told each time
            log.warning("the database does its work again; requests that failed meanwhile: %d", self._failed)
        self.now, self._writing, self._failed, self._told = None, False, 0, False
