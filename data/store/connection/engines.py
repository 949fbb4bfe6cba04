"""From a database URL to an engine that is set up the way the store needs it."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from platformdirs import user_data_path
from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from data.store.connection.postgres import addresses_of, make_server_engine, with_addresses
from data.store.connection.store_errors import StoreUnavailable

BUSY: Final = 10_000
"""Ms that a SQLite connection waits for others."""

BEGIN: Final = "boneyard_begin"
"""The execution option that says how a SQLite transaction begins; PostgreSQL ignores it."""

_DRIVERS: Mapping[str, str] = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
UNFIT: Final = (TypeError, ValueError, OverflowError)
"""What drivers raise for an option or a port that they cannot use. Their words may repeat a part of the URL."""
WHY_UNFIT: Final = "an option or the port in its URL is not one that the driver takes"

_HINT = "write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME in BONEYARD_DATABASE_URL"


def parse_url(url: str | None) -> URL:
    """The URL with the driver the store uses; None is a file in the user's data directory.

    Raises StoreUnavailable for what is no URL, or one of a database that is not served.
    """
    if url is None:
        folder = user_data_path("boneyard", appauthor=False)
        return URL.create("sqlite+aiosqlite", database=str(folder / "boneyard.db"))
    try:
        parsed = make_url(with_addresses(url.strip()))
        if "\0" in (parsed.database or ""):
            raise ValueError(parsed.database)
        addresses_of(parsed)
    except (ArgumentError, ValueError):
        # The text is not repeated: a mistyped URL may well hold a password.
        raise StoreUnavailable(f"The database URL cannot be read; {_HINT}.") from None
    driver = _DRIVERS.get(parsed.drivername)
    if driver is None:
        raise StoreUnavailable(f"Databases of the kind {parsed.drivername} are not supported; {_HINT}.")
    if driver.startswith("sqlite") and parsed.database in (None, "", ":memory:"):
        raise StoreUnavailable(f"A database in memory would keep nothing; {_HINT}.")
    return parsed.set(drivername=driver)


def without_password(url: URL) -> str:
    """The URL as it may be shown: without password and options."""
    if url.get_backend_name() == "postgresql" and "host" in url.query:
        user = "" if url.username is None else f"{quote(url.username, safe='')}@"
        return f"postgresql://{user}{','.join(map(str, addresses_of(url)))}/{url.database or ''}"
    shown = URL.create(
        url.get_backend_name(), username=url.username, host=url.host, port=url.port, database=url.database
    )
    return shown.render_as_string()


def make_engine(url: URL, *, patient: bool = False) -> AsyncEngine:
    """An engine that has not connected yet. On a server, a statement of one that is `patient` may take its time.

    Raises StoreUnavailable where the driver is not installed, or does not take an option of the URL.
    """
    try:
        if url.get_backend_name() == "sqlite":
            # One connection: writers queue in order instead of polling a lock.
            engine = create_async_engine(url, pool_size=1, max_overflow=0, pool_timeout=60)
            event.listen(engine.sync_engine, "connect", _set_up_sqlite)
            event.listen(engine.sync_engine, "begin", _begin_sqlite)
            return engine
        return make_server_engine(url, patient=patient)
    except ModuleNotFoundError as missing:
        raise StoreUnavailable(
            f"The database {without_password(url)} needs the Python package {missing.name}, which is not installed; "
            "install boneyard[postgres]."
        ) from None
    except UNFIT:
        raise StoreUnavailable(
            f"The database {without_password(url)} cannot be opened: {WHY_UNFIT}; {_HINT}."
        ) from None


def make_thread_engine(url: URL, busy: int = BUSY) -> Engine:
    """An engine whose SQLite connections are used in threads and wait `busy` ms for others. Its user begins each
    transaction with a statement.
    """
    engine = create_engine(url.set(drivername="sqlite"))
    event.listen(engine, "connect", partial(_set_up_sqlite, busy=busy))
    return engine


def _set_up_sqlite(connection: Any, _record: object, *, busy: int = BUSY) -> None:
    connection.isolation_level = None  # transactions begin where we say
    cursor = connection.cursor()
    try:
        cursor.execute(f"PRAGMA busy_timeout = {busy}")
        cursor.execute("PRAGMA journal_mode = wal")
        cursor.execute("PRAGMA synchronous = full")  # what was acknowledged survives a power cut
        cursor.execute("PRAGMA foreign_keys = on")
        cursor.execute("PRAGMA trusted_schema = off")  # a schema that somebody else wrote runs nothing
        cursor.execute("PRAGMA secure_delete = on")  # what is deleted is overwritten, however the library was built
    except BaseException:
        connection.close()  # nobody else knows of it yet, and its thread would never end
        raise
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later would be refused at once when another
    # process wrote in between; IMMEDIATE waits its turn instead.
    begin = connection.get_execution_options().get(BEGIN, "BEGIN IMMEDIATE")
    if begin is not None:
        connection.exec_driver_sql(begin)


def insert_into(table: Table, dialect: str) -> sqlite.Insert | postgresql.Insert:
    """New rows, of which can be said what happens where one is there: SQLAlchemy's `on_conflict_...`.

    `dialect` is the name that a connection's dialect has.
    """
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def insert_unless_there(table: Table, dialect: str) -> sqlite.Insert | postgresql.Insert:
    """New rows, but for those whose key, or whatever else is unique about them, is there."""
    return insert_into(table, dialect).on_conflict_do_nothing()


async def upsert(
    connection: AsyncConnection,
    table: Table,
    key: Mapping[str, Any],
    new: Mapping[str, Any],
    changed: Mapping[str, Any],
) -> None:
    """Change the row with this key by `changed`; where there is none, make one of `new` changed so."""
    added = insert_into(table, connection.dialect.name).values({**key, **new, **changed})
    await connection.execute(added.on_conflict_do_update(index_elements=list(key), set_=dict(changed)))
