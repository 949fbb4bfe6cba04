"""Copy, check and replace whole SQLite files while they may be in use."""

import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Final

from sqlalchemy import URL

from data.private import DATABASE_SUFFIXES, FILE_MODE, create_private_database, restrict_database
from data.store.connection.engines import parse_url, without_password
from data.store.connection.faults import REMEDIES, diagnose
from data.store.connection.migrate import format_unknown_revision, is_known

PARTIAL_SUFFIX: Final = ".partial"
"""Suffix of a copy that is not complete."""
ABANDONED_AFTER: Final = 3600


class CopyError(Exception):
    """A database was not copied or replaced. The text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Contents:
    revision: str
    matches: int


def to_file(url: str | None) -> Path:
    """Return the file of a database URL. Raises CopyError for a database without a file, StoreUnavailable."""
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        shown = without_password(parsed)
        raise CopyError(
            f"{shown} is PostgreSQL, which has tools of its own: pg_dump --format=custom --file=FILE writes a "
            "consistent copy while the bot runs, pg_restore puts it back; then `boneyard restore --since`."
        )
    return Path(str(parsed.database))


def to_url(file: Path) -> str:
    return URL.create("sqlite", database=str(file)).render_as_string()


def copy(source: Path, target: Path) -> Contents:
    """Copy a database as of one moment while others write to it; return the content of the copy.

    `target` must not exist; it appears complete or not at all, readable by its owner only. Raises CopyError.
    """
    if not source.is_file():
        raise CopyError(f"There is no database at {source}.")
    if target.exists():
        raise CopyError(f"{target} exists already; name a new file.")
    if not target.parent.is_dir():
        raise CopyError(f"There is no folder {target.parent}; make it, or name another one.")
    # A unique name: another backup to the same file may run.
    partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}{PARTIAL_SUFFIX}")
    try:
        # The file contains secrets, and SQLite gives the files beside it the same mode.
        restrict_database(source)
        partial.touch(FILE_MODE, exist_ok=False)
        delete_partial_copies(target, before=partial.stat().st_mtime - ABANDONED_AFTER)
        with closing(sqlite3.connect(source, timeout=30)) as old, closing(sqlite3.connect(partial)) as new:
            # In one step: a copy in several starts again after each write of others.
            old.backup(new)
            new.execute("PRAGMA journal_mode = delete")  # a single file
        contents = check_copy(partial)
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        _rename(partial, target)
    except sqlite3.Error as error:
        fault = diagnose(error)
        reason = error if fault is None else REMEDIES[fault]
        raise CopyError(f"{source} cannot be copied: {reason}. No backup was made.") from error
    except OSError as error:
        raise CopyError(f"{target} cannot be written: {error.strerror or error}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return contents


def delete_partial_copies(target: Path, *, before: float) -> None:
    """Delete incomplete copies that were last written before this time (s)."""
    for other in target.parent.glob(f"{escape(target.name)}.*{PARTIAL_SUFFIX}"):
        with suppress(FileNotFoundError):
            if other.stat().st_mtime < before:
                other.unlink()


def _rename(whole: Path, target: Path) -> None:
    """Rename a file unless the name is in use. Raises CopyError, OSError."""
    try:
        os.link(whole, target)
    except FileExistsError as error:
        raise CopyError(f"{target} exists already; name a new file.") from error
    except OSError:  # a disk without hard links
        whole.rename(target)


def check_copy(file: Path) -> Contents:
    """Check all pages of a database file. Raises CopyError if it is damaged or not ours."""
    if not file.is_file():
        raise CopyError(f"There is no file {file}.")
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            found = str(connection.execute("PRAGMA integrity_check").fetchone()[0])
            if found != "ok":
                raise CopyError(f"{file} is damaged: {found.splitlines()[0]}.")
            revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            matches = connection.execute("SELECT count(*) FROM matches").fetchone()[0]
    except sqlite3.Error as error:
        raise CopyError(f"{file} is no database of Boneyard, or damaged: {error}.") from error
    if revision is None or not is_known(revision[0]):
        raise CopyError(f"{file} {format_unknown_revision(revision and revision[0])}")
    return Contents(revision=revision[0], matches=matches)


def replace_database(new: Path, target: Path, backup: Path, prepare: Callable[[], None] = lambda: None) -> None:
    """Replace the database atomically, and keep it as `backup`. Raises CopyError while it is in use, OSError."""
    _merge_log(new)
    delete_stale_links(target)
    with _lock_database(target):
        prepare()
        if target.exists():
            _keep_backup(target, backup)
        else:
            # SQLite would take a left-over log for the log of the new file.
            for ending in DATABASE_SUFFIXES[1:]:
                with suppress(FileNotFoundError):
                    target.with_name(target.name + ending).rename(backup.with_name(backup.name + ending))
        new.replace(target)
        _sync_folder(target.parent)


def delete_stale_links(target: Path) -> None:
    """Delete second names of a database that an interrupted replacement left behind."""
    if target.exists():
        for other in target.parent.glob(f"{target.stem}.before-*{target.suffix}"):
            if other.samefile(target):
                other.unlink()


@contextmanager
def _lock_database(file: Path) -> Iterator[None]:
    """Lock a database. Raises CopyError while it is in use."""
    if not file.exists() or not _merge_log(file):
        yield
        return
    with closing(sqlite3.connect(file, timeout=1, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise CopyError(f"{file} is in use; stop the bot first.") from error
        if os.name != "posix":  # Windows cannot rename open files
            connection.execute("ROLLBACK")
            connection.close()
        yield


def _keep_backup(file: Path, backup: Path) -> None:
    try:
        os.link(file, backup)
    except OSError:
        create_private_database(backup)
        shutil.copyfile(file, backup)
        with backup.open("rb") as written:
            os.fsync(written.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _merge_log(file: Path) -> bool:
    """Merge the log into a database file, which works only if no other process uses it; False if it is damaged."""
    try:
        with closing(sqlite3.connect(file, timeout=1)) as connection:
            connection.execute("PRAGMA journal_mode = delete")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise CopyError(f"{file} is in use; stop the bot first.") from error
        raise CopyError(f"{file} cannot be moved: {error}.") from error
    except sqlite3.DatabaseError:
        # Damaged, which is why it is replaced: keep it together with its log.
        for ending in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                file.with_name(file.name + ending).rename(file.with_name(f"{file.name}.damaged{ending}"))
        return False
    return True
