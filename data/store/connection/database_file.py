"""Whether a database file is still the one that was opened: SQLite goes on writing to one that was deleted or moved
away, and says that all is well.
"""

import logging
import os
import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from data.private import private_database, write_private
from data.store.connection.faults import REMEDIES, Ail, NotInPlace

log = logging.getLogger(__name__)

RESCUED: Final = ".rescued"
"""How the name of a copy ends that is made of a file nobody can find any more."""

ASTRAY: Final = ".astray"
"""How the name of a note ends that a bot leaves whose file is not where it was: nobody can read it in the database."""

_Seen = tuple[int, int]


def astray(file: Path) -> str:
    """What a bot noted that does not work on the file at this path; empty where none did."""
    try:
        return _beside(file, ASTRAY).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _beside(file: Path, ending: str) -> Path:
    return file.with_name(file.name + ending)


class DatabaseFile:
    """The path of a database and the file that was first opened there, with the log beside it."""

    def __init__(self, file: str) -> None:
        self._file = Path(file).absolute()
        self._log = _beside(self._file, "-wal")
        self._seen: _Seen | None = None
        self._seen_log: _Seen | None = None
        self._held: int | None = None
        self._connections = 0
        self._log_lost = False
        self._rescued = False
        self._noted: Ail | None = None
        self._lock = threading.Lock()

    def opens(self) -> None:
        """A connection is about to use the file. The first one says which that is. Raises NotInPlace."""
        with self._lock:
            found = _seen(self._file)
            if self._seen is not None and found != self._seen:
                raise NotInPlace(Ail.DELETED if found is None else Ail.EXCHANGED)
            if self._log_lost and self._connections and _seen(self._log) != self._seen_log:
                # Unless it was put back: whoever still has the log that was lost may not meet one with a new one.
                raise NotInPlace(Ail.DELETED)
            self._connections += 1
            self._log_lost = False

    def opened(self) -> None:
        """It does, and a file that was not there is."""
        with self._lock:
            self._noted = None
            with suppress(OSError):
                _beside(self._file, ASTRAY).unlink(missing_ok=True)
            if self._seen is not None:
                return
            self._seen = _seen(self._file)
            # Held, so that no new file can get its number; O_PATH, because closing any other descriptor of a file takes
            # away the locks that SQLite has on it.
            if hasattr(os, "O_PATH"):
                with suppress(OSError):
                    self._held = os.open(self._file, os.O_PATH | os.O_CLOEXEC)

    def look(self) -> None:
        """Raise NotInPlace unless file and log are where they were."""
        found = _seen(self._file)
        if found != self._seen:
            raise NotInPlace(Ail.DELETED if found is None else Ail.EXCHANGED)
        beside = _seen(self._log)
        if self._seen_log is None:
            self._seen_log = beside
        elif beside != self._seen_log:
            self._log_lost = True
            raise NotInPlace(Ail.DELETED)

    def closed(self) -> None:
        """A connection was closed. With the last one the log goes."""
        with self._lock:
            self._connections -= 1
            if not self._connections:
                self._seen_log = None

    def left(self, ail: Ail) -> None:
        """No connection uses it any more, because it is not where it was: whoever looks after the bot finds a note."""
        if ail is self._noted:
            return
        self._noted = ail
        with suppress(OSError):
            write_private(_beside(self._file, ASTRAY), f"{REMEDIES[ail]}\n".encode())

    def rescue(self, connection: sqlite3.Connection) -> None:
        """Copy all of a file that has no name any more to one beside it: once the bot ends, nobody can read it."""
        with self._lock:
            if self._rescued or self._held is None or os.fstat(self._held).st_nlink:
                return
            self._rescued = True
        names = (_beside(self._file, f"{again}{RESCUED}") for again in ("", *range(-2, -100, -1)))
        target = next(name for name in names if not name.exists())  # the one before may be all that is left of it
        try:
            private_database(target)
            with closing(sqlite3.connect(target)) as copy:
                connection.backup(copy)
        except (sqlite3.Error, OSError) as error:
            log.error("the database that was deleted could not be copied: %s", type(error).__name__)
        else:
            log.warning("all that was in the database that was deleted is in %s", target.name)

    def close(self) -> None:
        """Nobody asks any more."""
        if self._held is not None:
            os.close(self._held)
            self._held = None


def _seen(file: Path) -> _Seen | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
