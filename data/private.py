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
FILE: Final = 0o600
FOLDER: Final = 0o700
BESIDE: Final = ("", "-wal", "-shm", "-journal")  # suffixes of a database and of SQLite's files beside it


def ours_alone() -> None:
    """Make everything that this process and its children create private. No effect on Windows."""
    os.umask(UMASK)


def private_folder(folder: Path, *, ours: bool) -> None:
    """Create a private folder with its parents. An existing one is narrowed only if it is `ours`. Raises OSError."""
    if ours:
        _narrow(folder, stat.S_ISDIR, FOLDER)
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        if folder.parent == folder:
            break
        folder = folder.parent
    for one in reversed(missing):
        # Another process may create it first; using it shows whether it is a folder.
        with suppress(FileExistsError):
            one.mkdir(FOLDER)


def private_database(file: Path) -> None:
    """Create a private database file, unless it exists. If that fails, opening it reports why."""
    with suppress(OSError):
        os.close(os.open(file.resolve(), os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE))


def narrow_database(file: Path) -> None:
    """Remove other users' rights to a database of the bot and the files beside it, and log that."""
    for ending in BESIDE:
        private_file(file.resolve().with_name(file.resolve().name + ending))


def private_file(file: Path) -> None:
    _narrow(file, stat.S_ISREG, FILE)


def _narrow(path: Path, is_kind: Callable[[int], bool], most: int) -> None:
    try:
        found = path.lstat()
        mode = stat.S_IMODE(found.st_mode)
        # Skip other owners' files and other kinds of file, such as a folder, a device or a link.
        if os.name != "posix" or found.st_uid != os.geteuid() or not is_kind(found.st_mode) or not mode & ~most:
            return
        path.chmod(mode & most)
    except OSError:
        return  # missing, or on a disk without owners
    log.warning("%s could be read by others on this machine; now it is its owner's alone", path)


def is_open_to_others(file: Path) -> bool:
    return os.name == "posix" and bool(stat.S_IMODE(file.stat().st_mode) & ~FILE)


def write_private(file: Path, data: bytes) -> None:
    """Write a file. A new one is private, and removed if writing fails. Raises OSError."""
    is_new = not file.exists()
    opened = os.open(file, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | getattr(os, "O_BINARY", 0), FILE)
    try:
        with os.fdopen(opened, "wb") as to:
            to.write(data)
    except OSError:
        if is_new:
            file.unlink(missing_ok=True)
        raise
