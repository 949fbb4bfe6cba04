"""Move all data from a SQLite file to an empty PostgreSQL database, and compare."""

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, func, insert, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store.connection import facts
from data.store.connection.engines import make_engine, make_thread_engine, parse_url, upsert, without_password
from data.store.connection.faults import DatabaseFileError, explain
from data.store.connection.file_check import check_file
from data.store.connection.migrate import migrate
from data.store.connection.privacy_key import has_key, load_key
from data.store.connection.schema import metadata
from data.store.connection.store_errors import CopyError
from data.store.connection.tables import facts as fact_table

BATCH_ROWS: Final = 5000
PREFILLED_TABLES: Final = ("spans",)
TableSum = tuple[int, int]
"""The number of rows of a SQL table and the sum of their fingerprints, which does not depend on their order."""


@contextmanager
def lock_for_writing(file: Path) -> Iterator[sqlite3.Connection]:
    """Lock a file for writing. Raises CopyError if it is in use, not writable or missing."""
    # Opening a missing file would create it.
    try:
        check_file(file)
    except (DatabaseFileError, sqlite3.Error) as error:
        raise CopyError(f"{file} cannot be used: {explain(error) or error}.") from error
    if not os.access(file, os.R_OK | os.W_OK):
        raise CopyError(f"{file} is not yours to write to: do this as the user whose it is.")
    with closing(sqlite3.connect(file, timeout=5, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise CopyError(f"{file} is in use: {error}. Stop the bot, wait a minute, try again.") from error
        except sqlite3.DatabaseError as error:
            raise CopyError(f"{file} cannot be used: {explain(error) or error}.") from error
        try:
            yield connection
        finally:
            if connection.in_transaction:
                connection.rollback()


class Transfer:
    def __init__(self, file: Path, target: str) -> None:
        url = parse_url(target)
        if url.get_backend_name() != "postgresql":
            raise CopyError(f"{without_password(url)} is no PostgreSQL: name postgresql://USER@HOST/NAME.")
        self._file = file
        self.target_name: Final = without_password(url)
        """The target, for display."""
        self._engine: AsyncEngine = make_engine(url, unlimited=True)
        self._source = make_thread_engine(parse_url(f"sqlite:///{file.absolute()}"))

    async def copy(self) -> Mapping[str, int]:
        """Copy and compare all rows in one transaction; return the number of rows of each SQL table.

        Raises CopyError, SQLAlchemy's errors, and OSError if the server is not reachable; then nothing is written.
        """
        await migrate(self._engine)
        async with self._engine.begin() as connection:
            await self._empty_target(connection)
            plain = (await connection.get_raw_connection()).driver_connection
            with self._source.connect() as source:
                sent = {table.name: await self._copy_table(source, plain, table) for table in metadata.sorted_tables}
                await self._advance_sequences(source, connection)
            arrived = {table.name: await _compute_sum(connection, table) for table in metadata.sorted_tables}
            if wrong := [name for name in sent if sent[name] != arrived[name]]:
                raise CopyError(
                    f"{self.target_name} does not keep what it is given: {', '.join(wrong)} came out otherwise."
                )
            if has_key(self._file):
                key = {"value": load_key(self._file).hex()}
                await upsert(connection, fact_table, {"name": facts.FINGERPRINT_KEY}, {}, key)
            await connection.execute(insert(fact_table).values(name=facts.MOVING, value="not finished"))
        return {name: count for name, (count, _) in sent.items()}

    async def finish(self) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(delete(fact_table).where(fact_table.c.name.in_((facts.MOVING, facts.MOVED))))

    async def close(self) -> None:
        self._source.dispose()
        await self._engine.dispose()

    async def _empty_target(self, connection: AsyncConnection) -> None:
        """Delete what an earlier attempt left. Raises CopyError if the database is not empty."""
        begun = select(fact_table.c.value).where(fact_table.c.name == facts.MOVING)
        unfinished = (await connection.execute(begun)).scalar_one_or_none() is not None
        for table in reversed(metadata.sorted_tables):
            if unfinished or table.name in PREFILLED_TABLES:
                await connection.execute(delete(table))
            elif (await connection.execute(select(func.count()).select_from(table))).scalar_one():
                raise CopyError(f"{self.target_name} is not empty: {table.name} has rows. Name an empty database.")

    async def _copy_table(self, source: Connection, plain: Any, table: Table) -> TableSum:
        count = total = 0
        result = source.execute(select(table), execution_options={"yield_per": BATCH_ROWS})
        for part in result.partitions():
            rows = [tuple(row) for row in part]
            await plain.copy_records_to_table(table.name, records=rows, columns=[column.name for column in table.c])
            count, total = count + len(rows), total + _sum_fingerprints(rows)
        return count, total

    async def _advance_sequences(self, source: Connection, connection: AsyncConnection) -> None:
        """Advance the sequences, so that no number of a match, a season or a deal is used again."""
        on = text("SELECT setval(pg_get_serial_sequence(:name, :column), :last)")
        for name, last in source.execute(text("SELECT name, seq FROM sqlite_sequence WHERE seq > 0")):
            (column,) = metadata.tables[name].primary_key
            await connection.execute(on, {"name": name, "column": column.name, "last": last})


def note_moved(connection: sqlite3.Connection, to: str) -> None:
    """Mark a file that is `lock_for_writing` as moved: no bot starts on it any more."""
    connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (facts.MOVED, to))
    connection.commit()


def unmark_moved(file: Path) -> str | None:
    """Let a moved file be used again; return its new location, None if it was not moved. Raises CopyError."""
    with lock_for_writing(file) as connection:
        try:
            row = connection.execute("SELECT value FROM facts WHERE name = ?", (facts.MOVED,)).fetchone()
            connection.execute("DELETE FROM facts WHERE name = ?", (facts.MOVED,))
        except sqlite3.DatabaseError as error:
            raise CopyError(f"{file} cannot be used: {explain(error) or error}.") from error
        connection.commit()
    return None if row is None else str(row[0])


async def _compute_sum(connection: AsyncConnection, table: Table) -> TableSum:
    count = total = 0
    async with connection.stream(select(table), execution_options={"yield_per": BATCH_ROWS}) as result:
        async for part in result.partitions():
            rows = [tuple(row) for row in part]
            count, total = count + len(rows), total + _sum_fingerprints(rows)
    return count, total


def _sum_fingerprints(rows: Iterable[tuple[Any, ...]]) -> int:
    return sum(int.from_bytes(hashlib.sha256(repr(row).encode()).digest()) for row in rows)


SERVER_ERRORS: Final = (SQLAlchemyError, OSError)
"""Errors of a server that is not reachable or rejects a row."""
