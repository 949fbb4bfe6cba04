"""The key of the fingerprints by which somebody who was forgotten is known again.

Ids are numbers that can be counted through, so a hash of one hides nothing from whoever tries them all. With a key it
does, as long as the key is elsewhere: beside the database in a file of its own, which no backup has in it.
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
"""The variable that may hold the key instead: any text that nobody guesses."""
BYTES: Final = 32


def key_file(database: Path) -> Path:
    """Where the key of a database file is kept."""
    return database.with_name(f"{database.name}.key")


def unkeyed(user_id: int) -> str:
    """The fingerprint without a key."""
    return hashlib.sha256(f"boneyard forgot {user_id}".encode()).hexdigest()


def keyed(key: bytes, mark: str) -> str:
    """A fingerprint without a key, made one with it: nobody has to know whose it is."""
    return hmac.new(key, bytes.fromhex(mark), hashlib.sha256).hexdigest()


def fingerprint(key: bytes, user_id: int) -> str:
    """The fingerprint of somebody who was forgotten."""
    return keyed(key, unkeyed(user_id))


class PrivacyKey:
    """The key of one database. It is made when it is first needed, and lives as long as the database."""

    def __init__(self, url: URL) -> None:
        self._file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None

    def beside(self) -> bytes | None:
        """The key that is outside the database; None for a server's without the variable, which has it in a table.

        Raises StoreUnavailable where the file cannot be read, OSError where it cannot be made.
        """
        if (given := _given()) is not None:
            return given
        return None if self._file is None else _kept_in(key_file(self._file))

    def made(self) -> bytes:
        """A new key."""
        return secrets.token_bytes(BYTES)


def key_of(database: Path) -> bytes:
    """The key of a database file. Raises StoreUnavailable where it cannot be read, OSError where it cannot be made."""
    return _given() or _kept_in(key_file(database))


def has_key(database: Path) -> bool:
    """Whether a database file has a key already."""
    return _given() is not None or key_file(database).exists()


def lend(database: Path, other: Path) -> None:
    """Let another file, about to be opened, have the key of this database, if it has one. Raises OSError."""
    lent = key_file(other)
    lent.unlink(missing_ok=True)
    if key_file(database).exists():
        write_private(lent, _read(key_file(database)).hex().encode())


def give_back(database: Path, other: Path) -> None:
    """Take the key from that file again; where this database had none, it is its own from now on. Raises OSError."""
    lent = key_file(other)
    if lent.exists() and not key_file(database).exists():
        lent.rename(key_file(database))
    lent.unlink(missing_ok=True)


def _given() -> bytes | None:
    given = os.environ.get(GIVEN, "").strip()
    return hashlib.sha256(given.encode()).digest() if given else None


def _kept_in(file: Path) -> bytes:
    """The key in a file, which is made where there is none: whole or not at all, and once whoever else makes it too."""
    with suppress(FileNotFoundError):
        return _read(file)
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        write_private(fresh, secrets.token_bytes(BYTES).hex().encode())
        try:
            os.link(fresh, file)
        except FileExistsError:
            pass  # another process was first, and its key is the one
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
