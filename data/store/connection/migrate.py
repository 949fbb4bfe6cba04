"""Brings a database to the schema of this version, once, however many processes start at the same moment."""

import asyncio
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, create_engine, insert, inspect, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connection.engines import BEGIN
from data.store.connection.hooks import registered
from data.store.connection.schema import metadata
from data.store.connection.tables import RECENT, facts, spans

MIGRATIONS: Final = Path(__file__).parents[1] / "migrations"


@cache
def revisions() -> tuple[str, ...]:
    """Those that this program knows: `0030_baseline.py` makes the first."""
    return tuple(sorted(file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("[0-9]*_*.py")))


def newest() -> str:
    """The name of the last migration that this program has."""
    return revisions()[-1]


def is_known(revision: str) -> bool:
    """Whether this version of the program can read and migrate a database of that revision."""
    return revision in revisions()


def why_unknown(revision: str | None) -> str:
    """Return what to say of a database whose revision this version does not know: why, and what to do."""
    if revision is None or (revision.isdecimal() and revision > newest()):
        return "was written by a newer version of Boneyard; update the program."
    return (
        f"has a schema that this version cannot read ({revision}, from before 1.0); open it once with the last version "
        "0.1 and then with this one, or restore a later backup."
    )


def is_laid(connection: Connection) -> bool:
    """Whether a database has been ours before."""
    return inspect(connection).has_table("alembic_version")


def revision_of(connection: Connection) -> str | None:
    """The version that a database has; None where it has none yet."""
    return connection.scalar(text("SELECT version_num FROM alembic_version")) if is_laid(connection) else None


if TYPE_CHECKING:
    from alembic.config import Config

OWNER: Final = "application"
"""The fact that says whose a database is."""

PATIENCE: Final = 60.0
"""Seconds that a new database on a server is waited for which another process lays out at this moment."""
PAUSE: Final = 0.2
"""Seconds until it is looked at again."""
_ANOTHER: Final = ("42P07", "42710", "23505", "40001", "40P01")
"""What a server says to the second of two who make the same tables at once: duplicate_table, duplicate_object,
unique_violation, or serialization_failure and deadlock_detected.
"""

Schema = frozenset[tuple[str, str, str, str | None]]
"""The tables and indexes of a database: type, name, table, definition."""


class UnknownSchema(Exception):  # noqa: N818
    """The database was written by a newer version of the program, or by one from before the first migration. The text
    says which, and what to do.
    """


def config() -> "Config":
    """Alembic's settings, without a file. Alembic is imported where it is needed: most starts do without."""
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return settings


async def migrate(engine: AsyncEngine, *, unless_owned: bool = False) -> bool:
    """All missing migrations, in one transaction. With `unless_owned` a database that is behind and belongs to somebody
    is left as it is, and the answer is False. Raises UnknownSchema.
    """
    registered()  # the tables of the features, too
    until = monotonic() + PATIENCE
    while True:
        try:
            return await _migrated(engine, unless_owned=unless_owned)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _ANOTHER or monotonic() > until:
                raise
        # Another process is at the same. It may be done by now.
        await asyncio.sleep(PAUSE)


async def _migrated(engine: AsyncEngine, *, unless_owned: bool) -> bool:
    sqlite = engine.dialect.name == "sqlite"
    async with engine.execution_options(**{BEGIN: None}).connect() as connection:
        if sqlite:
            # Rebuilding a table drops the old one, which would delete all that refers to it. This can
            # be switched outside a transaction only, so the transaction begins after it.
            await connection.exec_driver_sql("PRAGMA foreign_keys = off")
            await connection.exec_driver_sql("BEGIN IMMEDIATE")
        elif await connection.run_sync(is_laid):
            # One process after the other; of those that lay out a new database the others are refused, and come again.
            await connection.execute(text("SELECT version_num FROM alembic_version FOR UPDATE"))
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
    if _known_revision(connection) == newest() or not inspect(connection).has_table(facts.name):
        return False
    return connection.execute(select(facts).where(facts.c.name == OWNER)).first() is not None


def _known_revision(connection: Connection) -> str | None:
    revision = revision_of(connection)
    if revision is not None and not is_known(revision):
        raise UnknownSchema(why_unknown(revision))
    return revision


def _upgrade(connection: Connection) -> bool:
    """Whether there was anything to do."""
    if _known_revision(connection) == newest():
        return False
    from alembic import command

    settings = config()
    settings.attributes["connection"] = connection
    if connection.dialect.name == "sqlite" or is_laid(connection):
        command.upgrade(settings, "head")
    else:
        # A server that speaks PostgreSQL may refuse to change a table in the transaction that makes it.
        metadata.create_all(connection, checkfirst=False)
        connection.execute(insert(spans).values(name=RECENT, since=0))
        command.stamp(settings, "head")
    return True


@cache
def made_by(revision: str) -> Schema:
    """What the migrations up to this one make of an empty SQLite database."""
    from alembic import command

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
