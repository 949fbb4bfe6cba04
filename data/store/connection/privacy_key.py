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

from data.private import restrict_file, write_private
from data.store.connection.store_errors import StoreUnavailable

KEY_VARIABLE: Final = "BONEYARD_PRIVACY_KEY"
"""The environment variable that may hold the key instead: any secret text."""
KEY_BYTES: Final = 32


def build_key_path(database: Path) -> Path:
    return database.with_name(f"{database.name}.key")


def hash_user_id(user_id: int) -> str:
    return hashlib.sha256(f"boneyard forgot {user_id}".encode()).hexdigest()


def hash_with_key(key: bytes, mark: str) -> str:
    return hmac.new(key, bytes.fromhex(mark), hashlib.sha256).hexdigest()


def compute_fingerprint(key: bytes, user_id: int) -> str:
    return hash_with_key(key, hash_user_id(user_id))


class PrivacyKey:
    """The key of one database, made when it is first needed."""

    def __init__(self, url: URL) -> None:
        self._file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None

    def load_external(self) -> bytes | None:
        """Return the key outside the database; None on a server without the variable, whose key is in a SQL table.

        Raises StoreUnavailable if the file cannot be read, OSError if it cannot be made.
        """
        return _read_environment() if self._file is None else load_key(self._file)


def load_key(database: Path) -> bytes:
    """Return the key of a database file. Raises StoreUnavailable if it is unreadable, OSError if it cannot be made."""
    return _read_environment() or _load_or_create(build_key_path(database))


def has_key(database: Path) -> bool:
    return _read_environment() is not None or build_key_path(database).exists()


def copy_key(database: Path, other: Path) -> None:
    """Give the key of this database, if it has one, to another file that will be opened. Raises OSError."""
    other_key = build_key_path(other)
    other_key.unlink(missing_ok=True)
    if build_key_path(database).exists():
        write_private(other_key, _read(build_key_path(database)).hex().encode())


def return_key(database: Path, other: Path) -> None:
    """Remove the key from that file; a database that had none keeps it. Raises OSError."""
    other_key = build_key_path(other)
    if other_key.exists() and not build_key_path(database).exists():
        other_key.rename(build_key_path(database))
    other_key.unlink(missing_ok=True)


def _read_environment() -> bytes | None:
    given = os.environ.get(KEY_VARIABLE, "").strip()
    return hashlib.sha256(given.encode()).digest() if given else None


def _load_or_create(file: Path) -> bytes:
    """Return the key in a file, and make it atomically if it is missing."""
    with suppress(FileNotFoundError):
        return _read(file)
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        write_private(fresh, secrets.token_bytes(KEY_BYTES).hex().encode())
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
    restrict_file(file)
    return key
