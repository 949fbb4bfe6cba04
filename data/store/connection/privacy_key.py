"""The key of the fingerprints that identify erased users.

Ids are guessable numbers, so a hash without a key hides nothing. The key is in a file beside the database, and in no
backup.
"""

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from sqlalchemy import URL

from data.private import private_file, write_private
from data.store.connection.store_errors import StoreUnavailable

GIVEN: Final = "BONEYARD_PRIVACY_KEY"
"""The environment variable that may hold the key instead: any secret text."""
BYTES: Final = 32


def key_file(database: Path) -> Path:
    return database.with_name(f"{database.name}.key")


def unkeyed(user_id: int) -> str:
    return hashlib.sha256(f"boneyard forgot {user_id}".encode()).hexdigest()


def keyed(key: bytes, mark: str) -> str:
    return hmac.new(key, bytes.fromhex(mark), hashlib.sha256).hexdigest()


def fingerprint(key: bytes, user_id: int) -> str:
    return keyed(key, unkeyed(user_id))


class PrivacyKey:
    """The key of one database, made when it is first needed."""

    def __init__(self, url: URL) -> None:
        self._file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None

    def beside(self) -> bytes | None:
        """Return the key outside the database; None on a server without the variable, whose key is in a SQL table.

        Raises StoreUnavailable if the file cannot be read, OSError if it cannot be made.
        """
        if (given := _given()) is not None:
            return given
        return None if self._file is None else _kept_in(key_file(self._file))


def key_of(database: Path) -> bytes:
    """Return the key of a database file. Raises StoreUnavailable if it is unreadable, OSError if it cannot be made."""
    return _given() or _kept_in(key_file(database))


def has_key(database: Path) -> bool:
    return _given() is not None or key_file(database).exists()


def lend(database: Path, other: Path) -> None:
    """Give the key of this database, if it has one, to another file that will be opened. Raises OSError."""
    lent = key_file(other)
    lent.unlink(missing_ok=True)
    if key_file(database).exists():
        write_private(lent, _read(key_file(database)).hex().encode())


def give_back(database: Path, other: Path) -> None:
    """Remove the key from that file; a database that had none keeps it. Raises OSError."""
    lent = key_file(other)
    if lent.exists() and not key_file(database).exists():
        lent.rename(key_file(database))
    lent.unlink(missing_ok=True)


def _given() -> bytes | None:
    given = os.environ.get(GIVEN, "").strip()
    return hashlib.sha256(given.encode()).digest() if given else None


def _kept_in(file: Path) -> bytes:
    """Return the key in a file, and make it atomically if it is missing."""
    with suppress(FileNotFoundError):
        return _read(file)
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        write_private(fresh, secrets.token_bytes(BYTES).hex().encode())
        try:
            os.link(fresh, file)
        except FileExistsError:
            pass  # another process was first, and its key counts
        except OSError:  # a disk without links
            fresh.rename(file)
    finally:
        fresh.unlink(missing_ok=True)
    return _read(file)


def _read(file: Path) -> bytes:
    try:
        key = bytes.fromhex(file.read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise StoreUnavailable(
            f"The key in {file} cannot be read; see to it that you may, or put the file back that was there."
        ) from error
    private_file(file)
    return key
