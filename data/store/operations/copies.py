"""Copy, check and replace whole SQLite files while they may be in use."""

import os
import re
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from sqlalchemy import URL

from data.private import DATABASE_SUFFIXES, FILE_MODE, create_private_database, restrict_database
from data.store.connection.engines import parse_url, without_password
from data.store.connection.faults import DatabaseFileError, explain
from data.store.connection.file_check import STAMP_SUFFIX, check_file, set_log_aside
from data.store.connection.store_errors import CopyError
from data.store.operations.inspection import Contents, check_untrusted

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SIDE_SUFFIXES: Final = (*DATABASE_SUFFIXES[1:], ".key", STAMP_SUFFIX)
"""Suffixes of the files beside a database."""
PARTIAL_SUFFIX: Final = ".partial"
"""Suffix of a copy that is not complete, or is only checked."""
_PARTIAL_NAME: Final = re.compile(r"\.[0-9a-f]{8}\.partial")
ABANDONED_AFTER: Final = 3600
"""Seconds after which a copy is abandoned on systems without `flock`."""


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
    if target.exists():
        raise CopyError(f"{target} exists already; name a new file.")
    if not target.parent.is_dir():
        raise CopyError(f"There is no folder {target.parent}; make it, or name another one.")
    try:
        check_file(source)
    except (sqlite3.Error, DatabaseFileError) as error:
        raise _build_error(source, error) from error
    try:
        # The file contains secrets, and SQLite gives the files beside it the same mode.
        restrict_database(source)
        delete_abandoned_copies(target.parent)
        with reserve_partial_file(target) as partial:
            _copy_pages(source, partial)
            try:
                contents = check_untrusted(partial)
            except CopyError as error:
                raise CopyError(f"{str(error).replace(str(partial), str(source))} No backup was made.") from error
            with partial.open("rb") as written:
                os.fsync(written.fileno())
            _rename(partial, target)
    except sqlite3.Error as error:
        raise _build_error(source, error) from error
    except OSError as error:
        raise CopyError(f"{target} cannot be written: {error.strerror or error}.") from error
    return contents


def _build_error(source: Path, error: Exception) -> CopyError:
    return CopyError(f"{source} cannot be copied: {explain(error) or error}. No backup was made.")


@contextmanager
def copy_for_check(file: Path) -> Iterator[Path]:
    """Copy a backup, which opening would change, to a temporary file. Raises sqlite3.Error, OSError."""
    with reserve_partial_file(file) as partial:
        _copy_pages(file, partial)
        yield partial


@contextmanager
def reserve_partial_file(target: Path) -> Iterator[Path]:
    """Create a temporary file beside `target`, and lock it, so that no other process deletes it."""
    # A unique name: another backup to the same file may run.
    partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}{PARTIAL_SUFFIX}")
    try:
        with ExitStack() as stack:
            while not partial.exists():  # a clean-up may delete it before it is locked
                partial.touch(FILE_MODE, exist_ok=False)
                with suppress(FileNotFoundError):
                    _lock_file(stack.enter_context(partial.open("rb")), wait=True)
            yield partial
    finally:
        delete_with_side_files(partial)


def _copy_pages(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source, timeout=30)) as old, closing(sqlite3.connect(target)) as new:
        # In one step: a copy in several starts again after each write of others.
        old.backup(new)
        new.execute("PRAGMA journal_mode = delete")  # a single file
        new.execute("PRAGMA user_version = 0")  # without the stamp of the log


def delete_abandoned_copies(folder: Path) -> None:
    """Delete partial copies in a folder whose process was killed."""
    for found in list(folder.glob(f"*{PARTIAL_SUFFIX}*")):
        match = _PARTIAL_NAME.search(found.name)
        if match is None or found.name[match.end() :] not in ("", *SIDE_SUFFIXES):
            continue
        partial = found.with_name(found.name[: match.end()])
        with suppress(BlockingIOError, FileNotFoundError), ExitStack() as stack:
            if partial.exists():
                _lock_file(stack.enter_context(partial.open("rb")))  # until it is deleted
                if fcntl is None and partial.stat().st_mtime > time.time() - ABANDONED_AFTER:
                    continue
            delete_with_side_files(partial)


def delete_with_side_files(file: Path) -> None:
    for ending in ("", *SIDE_SUFFIXES):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def _lock_file(held: IO[bytes], *, wait: bool = False) -> None:
    """Lock an open file until it is closed. Raises BlockingIOError if it is locked, unless it should `wait`."""
    if fcntl is not None:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _rename(whole: Path, target: Path) -> None:
    """Rename a file unless the name is in use. Raises CopyError, OSError."""
    try:
        os.link(whole, target)
    except FileExistsError as error:
        raise CopyError(f"{target} exists already; name a new file.") from error
    except OSError:  # a disk without hard links
        whole.rename(target)


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
        set_log_aside(file)  # damaged, which is why it is replaced: keep it together with its log
        return False
    return True
