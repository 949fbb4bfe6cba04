"""Files and folders for their owner alone, whatever the umask of whoever starts the program.

Hands and the secrets of deals stand in them. A mode is asked for when a file is made, so there is no moment in which it
is wider; SQLite gives its journals, the log and the shared memory beside a database the mode of the database.
"""

import logging
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

UMASK: Final = 0o077
"""What nobody but the owner may do with anything the program makes."""
FILE: Final = 0o600
FOLDER: Final = 0o700
BESIDE: Final = ("", "-wal", "-shm", "-journal")
"""How the names of a database and of what SQLite puts beside it end."""


def ours_alone() -> None:
    """Let everything that this process and its children make be their owner's alone. Windows has no such thing."""
    os.umask(UMASK)


def private_folder(folder: Path, *, ours: bool) -> None:
    """Make a folder, and those above it that are missing. One that is there stays as it is, unless it is `ours`: of a
    name that nobody but this program gives. Raises OSError.
    """
    if ours:
        _narrow(folder, stat.S_ISDIR, FOLDER)
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        if folder.parent == folder:
            break
        folder = folder.parent
    for one in reversed(missing):
        # Somebody else may make it meanwhile; what is no folder is found out when it is used.
        with suppress(FileExistsError):
            one.mkdir(FOLDER)


def private_database(file: Path) -> None:
    """Make a database file, unless there is one, for its owner alone. Where it cannot be made, opening it says why."""
    with suppress(OSError):
        os.close(os.open(file.resolve(), os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE))


def narrow_database(file: Path) -> None:
    """Take away from a database, and all beside it, what others may do with it, with a line in the log.

    An earlier version may have made it so. Whoever asks knows that it is ours: another file may be named by mistake.
    """
    for ending in BESIDE:
        private_file(file.resolve().with_name(file.resolve().name + ending))


def private_file(file: Path) -> None:
    """See to it that a file of ours that is there is its owner's alone."""
    _narrow(file, stat.S_ISREG, FILE)


def _narrow(path: Path, is_kind: Callable[[int], bool], most: int) -> None:
    """Take away what others may do with something of this kind."""
    try:
        found = path.lstat()
        mode = stat.S_IMODE(found.st_mode)
        # Somebody else's, and what is of another kind (a folder named by mistake, a device, a link), is not ours.
        if os.name != "posix" or found.st_uid != os.geteuid() or not is_kind(found.st_mode) or not mode & ~most:
            return
        path.chmod(mode & most)
    except OSError:
        return  # it is not there, or on a disk that knows no owners
    log.warning("%s could be read by others on this machine; now it is its owner's alone", path)


def is_open_to_others(file: Path) -> bool:
    """Whether anybody but its owner may do anything with a file."""
    return os.name == "posix" and bool(stat.S_IMODE(file.stat().st_mode) & ~FILE)


def write_private(file: Path, data: bytes) -> None:
    """Write a file; a new one is whole or not there, and only its owner can read it. Raises OSError."""
    is_new = not file.exists()
    opened = os.open(file, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | getattr(os, "O_BINARY", 0), FILE)
    try:
        with os.fdopen(opened, "wb") as to:
            to.write(data)
    except OSError:
        if is_new:
            file.unlink(missing_ok=True)
        raise
