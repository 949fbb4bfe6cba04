"""Open a database: connect, migrate, and explain in one sentence why it cannot be opened."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from data.private import create_private_folder, restrict_database
from data.store.connection.engines import (
    DRIVER_OPTION_ERRORS,
    DRIVER_OPTION_PROBLEM,
    make_engine,
    parse_url,
    without_password,
)
from data.store.connection.faults import DatabaseFault, DatabaseFileError, diagnose, explain
from data.store.connection.file_check import check_file, prepare_file, renew_stamp
from data.store.connection.migrate import migrate
from data.store.connection.store_errors import StoreUnavailable

_TRANSIENT_FAULTS: Final = (DatabaseFault.LOCKED, DatabaseFault.FULL, DatabaseFault.DISK)
_MISCONFIGURED: Final = ("28", "3D", "3F", "42")
"""Prefixes of the SQLSTATEs for a wrong user, database or permission."""


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
            file = Path(str(parsed.database))
            await asyncio.to_thread(prepare_file, file)
            await asyncio.to_thread(probe, file)
            restrict_database(file)
        await migrate(engine, unless_owned=unless_owned)
        if parsed.get_backend_name() == "sqlite" and not unless_owned:
            await asyncio.to_thread(renew_stamp, file)
    except Exception as error:
        # A server that refuses a connection causes the driver's own errors, which have a `sqlstate`.
        is_known = isinstance(
            error, (SQLAlchemyError, sqlite3.Error, OSError, DatabaseFileError, *DRIVER_OPTION_ERRORS)
        )
        if not is_known and not hasattr(error, "sqlstate"):
            raise
        raise StoreUnavailable(_format_error(parsed, error), is_transient=_is_transient(parsed, error)) from error
    finally:
        await engine.dispose()
    return make_engine(parsed)


def probe(file: Path) -> None:
    """Check the file without aiosqlite, which leaves a thread and a traceback behind if that fails.

    Raises DatabaseFileError, sqlite3.Error.
    """
    try:
        check_file(file)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.OperationalError as error:
        if diagnose(error) is not DatabaseFault.LOCKED:  # the migration waits for a lock
            raise


def _is_transient(url: URL, error: Exception) -> bool:
    if isinstance(error, (DatabaseFileError, *DRIVER_OPTION_ERRORS)):
        return False
    if url.get_backend_name() == "sqlite":
        return diagnose(error) in _TRANSIENT_FAULTS
    # An unreachable or full server may recover; a wrong name or password stays wrong.
    code = getattr(error.orig if isinstance(error, DBAPIError) else error, "sqlstate", None)
    return code is None or not str(code).startswith(_MISCONFIGURED)


def _format_error(url: URL, error: Exception) -> str:
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
    if "unable to open" not in str(error) and (explained := explain(error)) is not None:
        return f"{explained}."
    return f"{format_reason(error)}; check that you may write there, or name another file in BONEYARD_DATABASE_URL."


def format_reason(error: Exception) -> str:
    """Return the driver's text on one line, unless it may repeat a secret."""
    if isinstance(error, DRIVER_OPTION_ERRORS):
        return DRIVER_OPTION_PROBLEM
    cause = error.orig if isinstance(error, DBAPIError) else error
    return " ".join(str(cause).split()).rstrip(".;") or type(cause).__name__
