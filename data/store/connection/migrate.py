"""Migrate a database to the schema of this version, once, even if several processes start at the same time."""

import asyncio
import threading
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, create_engine, insert, inspect, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connection.engines import BEGIN_OPTION
from data.store.connection.faults import DatabaseFault, DatabaseFileError
from data.store.connection.hooks import load_hooks
from data.store.connection.schema import metadata
from data.store.connection.tables import RECENT, facts, spans

MIGRATIONS: Final = Path(__file__).parents[1] / "migrations"


@cache
def list_revisions() -> tuple[str, ...]:
    return tuple(sorted(file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("[0-9]*_*.py")))


def get_newest_revision() -> str:
    return list_revisions()[-1]


def check_revision(revision: object) -> str:
    """Return a revision that this version knows. Raises DatabaseFileError for any other."""
    if not isinstance(revision, str) or not revision.isdecimal():
        raise DatabaseFileError(DatabaseFault.UNVERSIONED)
    if revision not in list_revisions():
        is_newer = revision > get_newest_revision()
        raise DatabaseFileError(DatabaseFault.NEWER if is_newer else DatabaseFault.OLDER, revision)
    return revision


def has_schema(connection: Connection) -> bool:
    return inspect(connection).has_table("alembic_version")


def load_revision(connection: Connection) -> str | None:
    """Return the revision of a database; None if it is empty. Raises DatabaseFileError if it is unknown."""
    if not has_schema(connection):
        if inspect(connection).has_table(facts.name):
            raise DatabaseFileError(DatabaseFault.UNVERSIONED)
        return None
    return check_revision(connection.scalar(text("SELECT version_num FROM alembic_version")))


if TYPE_CHECKING:
    from alembic.config import Config

OWNER_FACT: Final = "application"
"""The fact with the application that owns the database."""
MIGRATION_WAIT: Final = 60.0
"""Seconds to wait for another process that creates the tables on a server."""
LOCK_WAIT: Final = 10.0
"""Seconds to wait for a file that another program locks."""
PAUSE: Final = 0.1
_CONCURRENT_STATES: Final = ("42P07", "42710", "23505", "40001", "40P01")
"""SQLSTATEs for the second of two processes that create the same tables: duplicate_table, duplicate_object,
unique_violation, serialization_failure, deadlock_detected.
"""

_ALEMBIC_LOCK: Final = threading.Lock()
"""Alembic has one context in each process."""
Schema = frozenset[tuple[str, str, str, str | None]]
"""Tables and indexes of a database: type, name, table, definition."""


def build_config() -> "Config":
    """Return Alembic's settings. Alembic is imported late: most starts do not need it."""
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return settings


async def migrate(engine: AsyncEngine, *, unless_owned: bool = False) -> bool:
    """Run missing migrations at once; with `unless_owned`, not on an owned database. Raises DatabaseFileError."""
    load_hooks()  # include the tables of the features
    until = monotonic() + (LOCK_WAIT if engine.dialect.name == "sqlite" else MIGRATION_WAIT)
    while True:
        try:
            return await _migrate_once(engine, unless_owned=unless_owned)
        except DBAPIError as error:
            # SQLite refuses immediately while another process switches a new file to WAL.
            is_locked = "database is locked" in str(error.orig)
            is_concurrent = is_locked or getattr(error.orig, "sqlstate", None) in _CONCURRENT_STATES
            if not is_concurrent or monotonic() > until:
                raise
        # Another process does the same and may finish soon.
        await asyncio.sleep(PAUSE)


async def _migrate_once(engine: AsyncEngine, *, unless_owned: bool) -> bool:
    sqlite = engine.dialect.name == "sqlite"
    async with engine.execution_options(**{BEGIN_OPTION: None}).connect() as connection:
        if sqlite:
            # Rebuilding a table drops the old one, which would delete all rows that refer to it. This pragma only works
            # outside a transaction.
            await connection.exec_driver_sql("PRAGMA foreign_keys = off")
            await connection.exec_driver_sql("BEGIN IMMEDIATE")
        elif await connection.run_sync(has_schema):
            # Processes take turns; on a new database, the others fail and retry.
            await connection.execute(text("SELECT version_num FROM alembic_version FOR UPDATE"))
        is_deferred = unless_owned and await connection.run_sync(_is_behind_and_owned)
        if not is_deferred and await connection.run_sync(_upgrade) and sqlite:
            broken = (await connection.exec_driver_sql("PRAGMA foreign_key_check")).first()
            if broken is not None:
                raise RuntimeError(f"the migration left a row of {broken[0]} that refers to nothing")
        await connection.commit()
        if sqlite:
            await connection.exec_driver_sql("PRAGMA foreign_keys = on")
        return not is_deferred


def _is_behind_and_owned(connection: Connection) -> bool:
    if load_revision(connection) == get_newest_revision() or not inspect(connection).has_table(facts.name):
        return False
    return connection.execute(select(facts).where(facts.c.name == OWNER_FACT)).first() is not None


def _upgrade(connection: Connection) -> bool:
    if load_revision(connection) == get_newest_revision():
        return False
    from alembic import command

    settings = build_config()
    settings.attributes["connection"] = connection
    if connection.dialect.name == "sqlite" or has_schema(connection):
        command.upgrade(settings, "head")
    else:
        # Some servers refuse to change a table in the transaction that creates it.
        metadata.create_all(connection, checkfirst=False)
        connection.execute(insert(spans).values(name=RECENT, since=0))
        command.stamp(settings, "head")
    return True


@cache
def build_schema(revision: str) -> Schema:
    """Return the schema that the migrations up to this revision make in an empty SQLite database."""
    from alembic import command

    engine = create_engine("sqlite://")
    try:
        with _ALEMBIC_LOCK, engine.begin() as connection:
            settings = build_config()
            settings.attributes["connection"] = connection
            command.upgrade(settings, revision)
            found = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_schema")
            return frozenset((kind, name, table, sql) for kind, name, table, sql in found)
    finally:
        engine.dispose()
