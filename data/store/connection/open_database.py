"""Open a database: connect, migrate, and explain in one sentence why it cannot be opened."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from data.private import create_private_database, create_private_folder, restrict_database
from data.store.connection.engines import (
    DRIVER_OPTION_ERRORS,
    DRIVER_OPTION_PROBLEM,
    make_engine,
    parse_url,
    without_password,
)
from data.store.connection.faults import REMEDIES, DatabaseFault, diagnose
from data.store.connection.migrate import UnknownSchema, migrate
from data.store.connection.store_errors import StoreUnavailable

_DISK_ERROR: Final = "disk I/O error"
"""SQLite's text when the disk fails, or its files are changed while they are open."""
_MISCONFIGURED: Final = ("28", "3D", "3F", "42")
"""Starts of the SQLSTATEs for a wrong user, database or permission."""


async def open_engine(url: str | None, *, unless_owned: bool = False) -> AsyncEngine:
    """Return an engine whose database has the tables of this version. Raises StoreUnavailable.

    With `unless_owned`, an old database that has an owner is not migrated.
    """
    parsed = parse_url(url)
    # Building an index may take minutes.
    engine = make_engine(parsed, unlimited=True)
    try:
        if url is None:
            # Only the default folder is ours to create.
            create_private_folder(Path(str(parsed.database)).parent, is_ours=True)
        if parsed.get_backend_name() == "sqlite":
            create_private_database(Path(str(parsed.database)))
            await asyncio.to_thread(probe, Path(str(parsed.database)))
            restrict_database(Path(str(parsed.database)))
        await migrate(engine, unless_owned=unless_owned)
    except Exception as error:
        # A server that refuses a connection causes the driver's own errors, which have a `sqlstate`.
        is_known = isinstance(error, (SQLAlchemyError, sqlite3.Error, OSError, UnknownSchema, *DRIVER_OPTION_ERRORS))
        if not is_known and not hasattr(error, "sqlstate"):
            raise
        raise StoreUnavailable(_format_error(parsed, error), is_transient=_is_transient(parsed, error)) from error
    finally:
        await engine.dispose()
    return make_engine(parsed)


def probe(file: Path) -> None:
    """Open the file without aiosqlite, which leaves a thread and a traceback behind if that fails."""
    with closing(sqlite3.connect(file)) as connection:
        try:
            connection.execute("PRAGMA schema_version")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):  # the migration waits for a lock
                raise


def _is_transient(url: URL, error: Exception) -> bool:
    if isinstance(error, (UnknownSchema, *DRIVER_OPTION_ERRORS)):
        return False
    if url.get_backend_name() == "sqlite":
        return any(words in format_reason(error) for words in ("locked", "is full", _DISK_ERROR))
    # An unreachable or full server may recover; a wrong name or password stays wrong.
    code = getattr(error.orig if isinstance(error, DBAPIError) else error, "sqlstate", None)
    return code is None or not str(code).startswith(_MISCONFIGURED)


def _format_error(url: URL, error: Exception) -> str:
    if isinstance(error, UnknownSchema):
        return f"The database {without_password(url)} {error}"
    start = f"The database {without_password(url)} cannot be opened: "
    if url.get_backend_name() == "sqlite":
        return start + _explain_file_error(Path(str(url.database)), error)
    return start + f"{format_reason(error)}; check that the server runs and that BONEYARD_DATABASE_URL is right."


def _explain_file_error(file: Path, error: Exception) -> str:
    try:
        is_folder, has_folder = file.is_dir(), file.parent.is_dir()
    except OSError as closed:  # a folder without permission, or an invalid name
        return f"{closed.strerror}; be the user whose it is, or name another file in BONEYARD_DATABASE_URL."
    if is_folder:
        return "it is a folder; name a file in it in BONEYARD_DATABASE_URL."
    if not has_folder:
        return f"there is no folder {file.parent}; make it, or name another file in BONEYARD_DATABASE_URL."
    fault = diagnose(error)
    if fault in (DatabaseFault.DAMAGED, DatabaseFault.NOT_A_DATABASE):
        return f"{REMEDIES[fault]}."
    if "locked" in format_reason(error):
        return "another program holds it; stop that one and start again."
    if _DISK_ERROR in format_reason(error):
        return "its disk answers with errors; see the log of the system."
    return f"{format_reason(error)}; check that you may write there, or name another file in BONEYARD_DATABASE_URL."


def format_reason(error: Exception) -> str:
    """Return the driver's text on one line, unless it may repeat a secret."""
    if isinstance(error, DRIVER_OPTION_ERRORS):
        return DRIVER_OPTION_PROBLEM
    cause = error.orig if isinstance(error, DBAPIError) else error
    return " ".join(str(cause).split()).rstrip(".;") or type(cause).__name__
