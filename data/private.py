"""Private files and folders for hands and secrets, whatever the umask. Their mode is set at creation."""

import logging
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)
UMASK: Final = 0o077  # removes all rights of others
FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
DATABASE_SUFFIXES: Final = ("", "-wal", "-shm", "-journal")  # suffixes of a database and of SQLite's files beside it


def restrict_umask() -> None:
    """Make everything that this process and its children create private. No effect on Windows."""
    os.umask(UMASK)


def create_private_folder(folder: Path, *, is_ours: bool) -> None:
    """Create a private folder with its parents. An existing one is narrowed only if it is `is_ours`. Raises OSError."""
    if is_ours:
        _restrict(folder, stat.S_ISDIR, FOLDER_MODE)
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        if folder.parent == folder:
            break
        folder = folder.parent
    for folder_to_create in reversed(missing):
        # Another process may create it first; using it shows whether it is a folder.
        with suppress(FileExistsError):
            folder_to_create.mkdir(FOLDER_MODE)


def create_private_database(file: Path) -> None:
    """Create a private database file, unless it exists. If that fails, opening it reports why."""
    with suppress(OSError):
        os.close(os.open(file.resolve(), os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))


def restrict_database(file: Path) -> None:
    """Remove other users' rights to a database of the bot and the files beside it, and log that."""
    for ending in DATABASE_SUFFIXES:
        restrict_file(file.resolve().with_name(file.resolve().name + ending))


def restrict_file(file: Path) -> None:
    _restrict(file, stat.S_ISREG, FILE_MODE)


def _restrict(path: Path, is_kind: Callable[[int], bool], max_mode: int) -> None:
    try:
        found = path.lstat()
        mode = stat.S_IMODE(found.st_mode)
        # Skip other owners' files and other kinds of file, such as a folder, a device or a link.
        if os.name != "posix" or found.st_uid != os.geteuid() or not is_kind(found.st_mode) or not mode & ~max_mode:
            return
        path.chmod(mode & max_mode)
    except OSError:
        return  # missing, or on a disk without owners
    log.warning("%s could be read by others on this machine; now it is its owner's alone", path)


def is_open_to_others(file: Path) -> bool:
    return os.name == "posix" and bool(stat.S_IMODE(file.stat().st_mode) & ~FILE_MODE)


def write_private(file: Path, data: bytes) -> None:
    """Write a file. A new one is private, and removed if writing fails. Raises OSError."""
    is_new = not file.exists()
    opened = os.open(file, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | getattr(os, "O_BINARY", 0), FILE_MODE)
    try:
        with os.fdopen(opened, "wb") as to:
            to.write(data)
    except OSError:
        if is_new:
            file.unlink(missing_ok=True)
        raise
