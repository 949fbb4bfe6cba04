"""Check a SQLite file before it is opened, with a stamp that shows whether the log (-wal) beside it is its own.

SQLite applies every complete log that lies beside a file. If a backup is copied over the database of a killed bot, its
log would bring back newer data or mix it with the backup. So each start writes a new stamp into the database file
(SQLite's `user_version`) and into a file beside it; backups have none.
"""

import secrets
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from data.private import create_private_database, write_private
from data.store.connection.faults import DatabaseFault, DatabaseFileError

STAMP_SUFFIX: Final = ".stamp"
LOG_SUFFIXES: Final = ("-wal", "-shm")
MAX_STAMP: Final = 2**31 - 1
LOCK_WAIT: Final = 10.0


def check_file(file: Path) -> None:
    """Raise DatabaseFileError if the file is missing, was emptied, or has the log of another file beside it.

    This changes nothing. Any connection would apply the log. Raises sqlite3.Error for a damaged file.
    """
    if not file.is_file():
        raise DatabaseFileError(DatabaseFault.MISSING)
    stamps = _read_stamps(file)
    if stamps and not file.stat().st_size:
        raise DatabaseFileError(DatabaseFault.DAMAGED)
    if stamps and has_log(file) and _read_stamp_without_log(file) not in stamps:
        raise DatabaseFileError(DatabaseFault.STALE_LOG)


def prepare_file(file: Path) -> None:
    """Create a private database file, or check it. A change to a file without a log affects only that file.

    Raises DatabaseFileError, sqlite3.Error.
    """
    if file.exists():
        check_file(file)
    else:
        create_private_database(file)
    if not has_log(file):
        with suppress(OSError):
            file.with_name(file.name + STAMP_SUFFIX).unlink(missing_ok=True)


def has_log(file: Path) -> bool:
    log = file.with_name(f"{file.name}-wal")
    return log.is_file() and log.stat().st_size > 0


def renew_stamp(file: Path) -> None:
    """Give a database file a new stamp, also while others use it. A failure, as on a full disk, keeps the old one."""
    stamp_file, fresh = file.with_name(file.name + STAMP_SUFFIX), secrets.randbelow(MAX_STAMP) + 1
    with (
        suppress(sqlite3.Error, OSError),
        closing(sqlite3.connect(file, LOCK_WAIT, isolation_level=None)) as connection,
    ):
        connection.execute("BEGIN IMMEDIATE")
        write_private(stamp_file, " ".join(map(str, (*_load_stamps(file, connection), fresh))).encode())
        connection.execute(f"PRAGMA user_version = {fresh}")
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        # Another process may have renewed it meanwhile, or prevented the checkpoint.
        connection.execute("BEGIN IMMEDIATE")
        write_private(stamp_file, " ".join(map(str, _load_stamps(file, connection))).encode())
        connection.execute("COMMIT")


def set_log_aside(file: Path) -> None:
    """Rename the log of a database that cannot be used with it, so that SQLite does not apply it."""
    for ending in LOG_SUFFIXES:
        with suppress(FileNotFoundError):
            file.with_name(file.name + ending).rename(file.with_name(f"{file.name}.damaged{ending}"))


def _load_stamps(file: Path, connection: sqlite3.Connection) -> tuple[int, int]:
    """Return the stamp in the file, and the one in its log, which a checkpoint writes to the file."""
    return _read_stamp_without_log(file), int(connection.execute("PRAGMA user_version").fetchone()[0])


def _read_stamp_without_log(file: Path) -> int:
    # `immutable` ignores the log. Not by `open`: closing any other handle of the file would drop SQLite's locks.
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?immutable=1", uri=True)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _read_stamps(file: Path) -> list[int]:
    try:
        return [int(part) for part in file.with_name(file.name + STAMP_SUFFIX).read_text(encoding="ascii").split()]
    except (OSError, ValueError):
        return []
