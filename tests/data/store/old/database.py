"""The old database, written where a test wants it: into a file, or on a server."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from alembic import command
from sqlalchemy import Boolean, Connection, MetaData, Table, delete, insert, make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connect import make_engine, parse_url
from data.store.migrate import config

REVISION: Final = "0005"
SCRIPT: Final = Path(__file__).parent / "boneyard-0005.sql.gz"
NUMBERED: Final = {"matches": "match_id", "outbox": "id"}
"""The tables whose rows a server numbers by itself."""


async def write_old(url: str) -> None:
    """Put all of the old database into an empty one."""
    script = gzip.decompress(SCRIPT.read_bytes()).decode()
    if make_url(url).get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(make_url(url).database))) as connection:
            connection.executescript(script)
        return
    engine = make_engine(parse_url(url))
    with closing(sqlite3.connect(":memory:")) as source:
        source.executescript(script)
        async with engine.begin() as target:
            await target.run_sync(_copy, source)
    await engine.dispose()


def _copy(target: Connection, source: sqlite3.Connection) -> None:
    settings = config()
    settings.attributes["connection"] = target
    command.upgrade(settings, REVISION)
    tables = MetaData()
    tables.reflect(target)
    known = [table for table in tables.sorted_tables if table.name != "alembic_version"]
    for table in reversed(known):
        target.execute(delete(table))
    for table in known:
        if rows := _rows(source, table):
            target.execute(insert(table), rows)
    for name, column in NUMBERED.items():
        last = source.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)).fetchone()[0]
        sequence = text("SELECT setval(pg_get_serial_sequence(:name, :column), :last)")
        target.execute(sequence, {"name": name, "column": column, "last": last})


def _rows(source: sqlite3.Connection, table: Table) -> list[dict[str, Any]]:
    names = [column.name for column in table.columns]
    truths = {column.name for column in table.columns if isinstance(column.type, Boolean)}
    found = source.execute(f"SELECT {', '.join(names)} FROM {table.name}").fetchall()
    rows = [dict(zip(names, row, strict=True)) for row in found]
    return [{name: bool(value) if name in truths else value for name, value in row.items()} for row in rows]


async def contents(engine: AsyncEngine) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, in a certain order."""

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
