"""Make database engines from a URL."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from platformdirs import user_data_path
from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from data.store.connection.postgres import make_server_engine, parse_addresses, with_addresses
from data.store.connection.store_errors import StoreUnavailable

BUSY_TIMEOUT: Final = 10_000
"""Milliseconds that a SQLite connection waits for a lock."""
BEGIN_OPTION: Final = "boneyard_begin"
"""The execution option with the statement that begins a SQLite transaction; PostgreSQL ignores it."""

_DRIVERS: Mapping[str, str] = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
DRIVER_OPTION_ERRORS: Final = (TypeError, ValueError, OverflowError)
"""Errors of drivers for an option or a port that they cannot use. Their text may repeat a part of the URL."""
DRIVER_OPTION_PROBLEM: Final = "an option or the port in its URL is not one that the driver takes"
_HINT = "write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME in BONEYARD_DATABASE_URL"


def parse_url(url: str | None) -> URL:
    """Parse a URL and set the driver; None is a file in the user's data directory.

    Raises StoreUnavailable for an unreadable URL and for databases that are not supported.
    """
    if url is None:
        folder = user_data_path("boneyard", appauthor=False)
        return URL.create("sqlite+aiosqlite", database=str(folder / "boneyard.db"))
    try:
        parsed = make_url(with_addresses(url.strip()))
        if "\0" in (parsed.database or ""):
            raise ValueError(parsed.database)
        parse_addresses(parsed)
    except (ArgumentError, ValueError):
        # Don't repeat the text: a mistyped URL may contain a password.
        raise StoreUnavailable(f"The database URL cannot be read; {_HINT}.") from None
    driver = _DRIVERS.get(parsed.drivername)
    if driver is None:
        raise StoreUnavailable(f"Databases of the kind {parsed.drivername} are not supported; {_HINT}.")
    if driver.startswith("sqlite") and parsed.database in (None, "", ":memory:"):
        raise StoreUnavailable(f"A database in memory would keep nothing; {_HINT}.")
    return parsed.set(drivername=driver)


def without_password(url: URL) -> str:
    if url.get_backend_name() == "postgresql" and "host" in url.query:
        user = "" if url.username is None else f"{quote(url.username, safe='')}@"
        return f"postgresql://{user}{','.join(map(str, parse_addresses(url)))}/{url.database or ''}"
    shown = URL.create(
        url.get_backend_name(), username=url.username, host=url.host, port=url.port, database=url.database
    )
    return shown.render_as_string()


def make_engine(url: URL, *, unlimited: bool = False) -> AsyncEngine:
    """Make an engine that has not connected yet; `unlimited` lifts the time limit of statements on a server.

    Raises StoreUnavailable if the driver is not installed or rejects an option of the URL.
    """
    try:
        if url.get_backend_name() == "sqlite":
            # One connection: writers queue instead of polling a lock.
            engine = create_async_engine(url, pool_size=1, max_overflow=0, pool_timeout=60)
            event.listen(engine.sync_engine, "connect", _set_up_sqlite)
            event.listen(engine.sync_engine, "begin", _begin_sqlite)
            return engine
        return make_server_engine(url, unlimited=unlimited)
    except ModuleNotFoundError as missing:
        raise StoreUnavailable(
            f"The database {without_password(url)} needs the Python package {missing.name}, which is not installed; "
            "install boneyard[postgres]."
        ) from None
    except DRIVER_OPTION_ERRORS:
        raise StoreUnavailable(
            f"The database {without_password(url)} cannot be opened: {DRIVER_OPTION_PROBLEM}; {_HINT}."
        ) from None


def make_thread_engine(url: URL, busy: int = BUSY_TIMEOUT) -> Engine:
    """Make a SQLite engine for threads whose connections wait `busy` ms for a lock. The caller begins transactions."""
    engine = create_engine(url.set(drivername="sqlite"))
    event.listen(engine, "connect", partial(_set_up_sqlite, busy=busy))
    return engine


def _set_up_sqlite(connection: Any, _record: object, *, busy: int = BUSY_TIMEOUT) -> None:
    connection.isolation_level = None
    # Otherwise one garbled text fails the query that finds it. aiosqlite wraps the driver's connection.
    getattr(connection, "driver_connection", connection).text_factory = partial(str, encoding="utf-8", errors="replace")
    cursor = connection.cursor()
    try:
        cursor.execute(f"PRAGMA busy_timeout = {busy}")
        cursor.execute("PRAGMA journal_mode = wal")
        cursor.execute("PRAGMA synchronous = full")  # committed data survives a power cut
        cursor.execute("PRAGMA foreign_keys = on")
        cursor.execute("PRAGMA trusted_schema = off")  # a foreign schema executes nothing
        cursor.execute("PRAGMA secure_delete = on")  # overwrite deleted rows, however the library was built
    except BaseException:
        connection.close()  # no other code knows it, and its thread would never end
        raise
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # Without IMMEDIATE, SQLite refuses a write after a read if another process wrote in between.
    begin = connection.get_execution_options().get(BEGIN_OPTION, "BEGIN IMMEDIATE")
    if begin is not None:
        connection.exec_driver_sql(begin)


def insert_into(table: Table, dialect: str) -> sqlite.Insert | postgresql.Insert:
    """Return an INSERT of the dialect of this name, which has SQLAlchemy's `on_conflict_...` methods."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def insert_unless_there(table: Table, dialect: str) -> sqlite.Insert | postgresql.Insert:
    """Return an INSERT that skips rows that violate a unique key."""
    return insert_into(table, dialect).on_conflict_do_nothing()


async def insert_if_missing(connection: AsyncConnection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless another one has its unique key; return whether it was inserted."""
    added = insert_unless_there(table, connection.dialect.name).values(row)
    return (await connection.execute(added)).rowcount == 1


async def upsert(
    connection: AsyncConnection,
    table: Table,
    key: Mapping[str, Any],
    new: Mapping[str, Any],
    changed: Mapping[str, Any],
) -> None:
    """Change the row with this key by `changed`; if there is none, insert `new` and `changed`."""
    added = insert_into(table, connection.dialect.name).values({**key, **new, **changed})
    await connection.execute(added.on_conflict_do_update(index_elements=list(key), set_=dict(changed)))
