"""The database of a release, written into a file or to a server."""

import gzip
import json
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Final

from alembic import command
from sqlalchemy import Boolean, Connection, MetaData, Table, delete, insert, make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connection.engines import make_engine, parse_url
from data.store.connection.migrate import build_config

FOLDER: Final = Path(__file__).parent
VERSION: Final = "0.1"
"""The newest release that has a database here."""
KEY: Final = "the key of every database here"
"""BONEYARD_PRIVACY_KEY of the fingerprints in these databases."""
NUMBERED_TABLES: Final = {
    "matches": "match_id",
    "deals": "deal_id",
    "seasons": "season_id",
    "season_messages": "number",
}
"""The tables whose row numbers the server generates."""


def get_script_path(version: str) -> Path:
    return FOLDER / f"boneyard-{version}.sql.gz"


def get_expected_path(version: str) -> Path:
    return FOLDER / f"boneyard-{version}.json"


@cache
def read_script(version: str) -> str:
    """Return the database of a release as SQL."""
    return gzip.decompress(get_script_path(version).read_bytes()).decode()


@cache
def read_expected(version: str = VERSION) -> dict[str, Any]:
    """Return what the release showed of its database."""
    found: dict[str, Any] = json.loads(get_expected_path(version).read_text(encoding="utf-8"))
    return found


async def write_released(url: str, version: str = VERSION) -> None:
    """Write the database of a release into an empty one."""
    if make_url(url).get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(make_url(url).database))) as connection:
            connection.executescript(read_script(version))
        return
    engine = make_engine(parse_url(url))
    with closing(sqlite3.connect(":memory:")) as source:
        source.executescript(read_script(version))
        async with engine.begin() as target:
            await target.run_sync(_copy_rows, source)
    await engine.dispose()


def _copy_rows(target: Connection, source: sqlite3.Connection) -> None:
    settings = build_config()
    settings.attributes["connection"] = target
    command.upgrade(settings, source.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    tables = MetaData()
    tables.reflect(target)
    known = [table for table in tables.sorted_tables if table.name != "alembic_version"]
    for table in reversed(known):
        target.execute(delete(table))
    for table in known:
        if rows := _read_rows(source, table):
            target.execute(insert(table), rows)
    for name, column in NUMBERED_TABLES.items():
        last = source.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)).fetchone()[0]
        sequence = text("SELECT setval(pg_get_serial_sequence(:name, :column), :last)")
        target.execute(sequence, {"name": name, "column": column, "last": last})


def _read_rows(source: sqlite3.Connection, table: Table) -> list[dict[str, Any]]:
    names = [column.name for column in table.columns]
    boolean_columns = {column.name for column in table.columns if isinstance(column.type, Boolean)}
    found = source.execute(f"SELECT {', '.join(names)} FROM {table.name}").fetchall()
    rows = [dict(zip(names, row, strict=True)) for row in found]
    return [
        {name: bool(value) if name in boolean_columns and value is not None else value for name, value in row.items()}
        for row in rows
    ]


async def read_contents(engine: AsyncEngine) -> dict[str, list[tuple[Any, ...]]]:

    def read(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
        tables = MetaData()
        tables.reflect(connection)
        found = {}
        for table in tables.sorted_tables:
            rows = connection.execute(text(f"SELECT * FROM {table.name}"))
            names = sorted(rows.keys())
            found[f"{table.name} {' '.join(names)}"] = sorted(
                [tuple(row._mapping[name] for name in names) for row in rows], key=repr
            )
        return found

    async with engine.connect() as connection:
        return await connection.run_sync(read)
