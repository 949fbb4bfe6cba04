"""Opening a database: connect, migrate, and one clear sentence when that cannot be done."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from data.private import narrow_database, private_database, private_folder
from data.store.connection.engines import UNFIT, WHY_UNFIT, make_engine, parse_url, without_password
from data.store.connection.migrate import UnknownSchema, migrate
from data.store.connection.store_errors import StoreUnavailable

_PATIENCE: Final = 10.0
"""Seconds that a file which another program holds is waited for before somebody is told."""

_ILL: Final = "disk I/O error"
"""What SQLite says where the disk fails it, or its files are changed under its hands."""

_MISCONFIGURED: Final = ("28", "3D", "3F", "42")
"""How the codes begin by which PostgreSQL refuses for what was asked: who asks, which database, what is allowed."""


async def open_engine(url: str | None, *, unless_owned: bool = False) -> AsyncEngine:
    """An engine whose database has the tables of this version; with `unless_owned` one that belongs to somebody may be
    behind, until it is opened without. Raises StoreUnavailable.
    """
    parsed = parse_url(url)
    engine = make_engine(parsed)
    try:
        if url is None:
            # The default folder is ours to make; one that somebody named is theirs.
            private_folder(Path(str(parsed.database)).parent, ours=True)
        if parsed.get_backend_name() == "sqlite":
            private_database(Path(str(parsed.database)))
            await asyncio.to_thread(probe, Path(str(parsed.database)))
            narrow_database(Path(str(parsed.database)))
            await _migrated(engine, unless_owned=unless_owned)
            # Transactions have connections of their own. This one would hold the file for good, wherever it goes.
            await engine.dispose()
        else:
            # Building an index may take minutes, which no statement of the bot may.
            patient = make_engine(parsed, patient=True)
            try:
                await _migrated(patient, unless_owned=unless_owned)
            finally:
                await patient.dispose()
    except BaseException as error:
        await engine.dispose()
        # How a server refuses a new connection is told by the driver's own errors, which have a `sqlstate`.
        told = isinstance(error, (SQLAlchemyError, sqlite3.Error, OSError, UnknownSchema, *UNFIT))
        if not isinstance(error, Exception) or not (told or hasattr(error, "sqlstate")):
            raise
        raise StoreUnavailable(_sentence(parsed, error), passes=_passes(parsed, error)) from error
    return engine


def probe(file: Path) -> None:
    """Open the file once in the plain way: aiosqlite leaves a thread behind, and its traceback, where that fails."""
    with closing(sqlite3.connect(file)) as connection:
        try:
            connection.execute("PRAGMA schema_version")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):  # for that one, the migration has patience
                raise


async def _migrated(engine: AsyncEngine, *, unless_owned: bool) -> None:
    """Migrate. SQLite refuses at once, without waiting, while another process switches a new file to WAL."""
    clock = asyncio.get_running_loop().time
    until = clock() + _PATIENCE
    while True:
        try:
            await migrate(engine, unless_owned=unless_owned)
            return
        except OperationalError as error:
            if clock() > until or "database is locked" not in str(error.orig):
                raise
        await asyncio.sleep(0.1)


def _passes(url: URL, error: Exception) -> bool:
    """Whether opening it again later may do."""
    if isinstance(error, (UnknownSchema, *UNFIT)):
        return False
    if url.get_backend_name() == "sqlite":
        return any(words in _reason(error) for words in ("locked", "is full", _ILL))
    # A server that is not there, or takes nobody at the moment, comes back; a wrong name or password stays wrong.
    code = getattr(error.orig if isinstance(error, DBAPIError) else error, "sqlstate", None)
    return code is None or not str(code).startswith(_MISCONFIGURED)


def _sentence(url: URL, error: Exception) -> str:
    if isinstance(error, UnknownSchema):
        return f"The database {without_password(url)} {error}"
    start = f"The database {without_password(url)} cannot be opened: "
    if url.get_backend_name() == "sqlite":
        return start + _why_file(Path(str(url.database)), error)
    return start + f"{_reason(error)}; check that the server runs and that BONEYARD_DATABASE_URL is right."


def _why_file(file: Path, error: Exception) -> str:
    try:
        is_folder, has_folder = file.is_dir(), file.parent.is_dir()
    except OSError as closed:  # a folder above it that only others may look into, or a name that no disk takes
        return f"{closed.strerror}; be the user whose it is, or name another file in BONEYARD_DATABASE_URL."
    if is_folder:
        return "it is a folder; name a file in it in BONEYARD_DATABASE_URL."
    if not has_folder:
        return f"there is no folder {file.parent}; make it, or name another file in BONEYARD_DATABASE_URL."
    if "not a database" in _reason(error):
        return "the file is no SQLite database; name another one in BONEYARD_DATABASE_URL."
    if "locked" in _reason(error):
        return "another program holds it; stop that one and start again."
    if _ILL in _reason(error):
        return "its disk answers with errors; see the log of the system."
    return f"{_reason(error)}; check that you may write there, or name another file in BONEYARD_DATABASE_URL."


def _reason(error: Exception) -> str:
    """The driver's own words, on one line, unless they may repeat what is secret."""
    if isinstance(error, UNFIT):
        return WHY_UNFIT
    cause = error.orig if isinstance(error, DBAPIError) else error
    return " ".join(str(cause).split()).rstrip(".;") or type(cause).__name__
