"""Brings a database to the schema of this version, once, however many processes start at the same moment."""

from functools import cache
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, create_engine, inspect, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connect import BEGIN
from data.store.tables import facts

OWNER: Final = "application"
"""The fact that says whose a database is."""

_LOCK: Final = 0x626F6E65  # any number that nothing else in the database uses: "bone"


Schema = frozenset[tuple[str, str, str, str | None]]
"""The tables and indexes of a database: type, name, table, definition."""


class NewerSchema(Exception):  # noqa: N818
    """The database was written by a newer version of the program."""


def config() -> Config:
    """Alembic's settings, without a file."""
    settings = Config()
    folder = str(Path(__file__).parent / "migrations")
    settings.set_main_option("script_location", folder.replace("%", "%%"))
    return settings


async def migrate(engine: AsyncEngine, *, unless_owned: bool = False) -> bool:
    """All missing migrations, in one transaction. With `unless_owned` a database that is behind and belongs to somebody
    is left as it is, and the answer is False. Raises NewerSchema when it is ahead.
    """
    sqlite = engine.dialect.name == "sqlite"
    async with engine.execution_options(**{BEGIN: None}).connect() as connection:
        if sqlite:
            # Rebuilding a table drops the old one, which would delete all that refers to it. This can
            # be switched outside a transaction only, so the transaction begins after it.
            await connection.exec_driver_sql("PRAGMA foreign_keys = off")
            await connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        waits = unless_owned and await connection.run_sync(_is_behind_and_owned)
        if not waits and await connection.run_sync(_upgrade) and sqlite:
            # Every row is looked at, which a start of the bot need not wait for.
            broken = (await connection.exec_driver_sql("PRAGMA foreign_key_check")).first()
            if broken is not None:
                raise RuntimeError(f"the migration left a row of {broken[0]} that refers to nothing")
        await connection.commit()
        if sqlite:
            await connection.exec_driver_sql("PRAGMA foreign_keys = on")
        return not waits


def _is_behind_and_owned(connection: Connection) -> bool:
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision == newest() or not inspect(connection).has_table(facts.name):
        return False
    return connection.execute(select(facts).where(facts.c.name == OWNER)).first() is not None


def _upgrade(connection: Connection) -> bool:
    """Whether there was anything to do."""
    if MigrationContext.configure(connection).get_current_revision() == newest():
        return False
    settings = config()
    settings.attributes["connection"] = connection
    try:
        command.upgrade(settings, "head")
    except CommandError as error:
        # Alembic does not know the revision it found: a later version of the program made it.
        raise NewerSchema(str(error)) from error
    return True


@cache
def made_by(revision: str) -> Schema:
    """What the migrations up to this one make of an empty SQLite database."""
    engine = create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            settings = config()
            settings.attributes["connection"] = connection
            command.upgrade(settings, revision)
            found = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_schema")
            return frozenset((kind, name, table, sql) for kind, name, table, sql in found)
    finally:
        engine.dispose()


@cache
def newest() -> str:
    """The name of the last migration that this program has."""
    return ScriptDirectory.from_config(config()).get_current_head() or ""
