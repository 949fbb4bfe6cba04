"""Moving all that is kept from a SQLite file to an empty database of a PostgreSQL server, row by row, and comparing."""

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, func, insert, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store.connection import facts
from data.store.connection.engines import make_engine, make_thread_engine, parse_url, upsert, without_password
from data.store.connection.migrate import migrate
from data.store.connection.privacy_key import has_key, key_of
from data.store.connection.schema import metadata
from data.store.connection.tables import facts as known
from data.store.operations.copies import CopyFailed

ROWS: Final = 5000
"""Rows that are read at once."""
MADE: Final = ("spans",)
"""The tables that have rows as soon as there are any tables."""

Sum = tuple[int, int]
"""How many rows a table has, and the sum of their fingerprints: in whatever order a server tells them."""


@contextmanager
def written_by_us(file: Path) -> Iterator[sqlite3.Connection]:
    """Nobody else writes to this file meanwhile. Raises CopyFailed where somebody does, we may not, or none is."""
    # Where there is none, opening one would make it.
    if not file.is_file():
        raise CopyFailed(f"There is no database at {file}.")
    if not os.access(file, os.R_OK | os.W_OK):
        raise CopyFailed(f"{file} is not yours to write to: do this as the user whose it is.")
    with closing(sqlite3.connect(file, timeout=5, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise CopyFailed(f"{file} is in use: {error}. Stop the bot, wait a minute, try again.") from error
        try:
            yield connection
        finally:
            if connection.in_transaction:
                connection.rollback()


class Transfer:
    """One file, and the database that all of it is to go to."""

    def __init__(self, file: Path, target: str) -> None:
        url = parse_url(target)
        if url.get_backend_name() != "postgresql":
            raise CopyFailed(f"{without_password(url)} is no PostgreSQL: name postgresql://USER@HOST/NAME.")
        self._file = file
        self.to: Final = without_password(url)
        """Where it goes, as it may be shown."""
        self._engine: AsyncEngine = make_engine(url, patient=True)
        self._source = make_thread_engine(parse_url(f"sqlite:///{file.absolute()}"))

    async def copy(self) -> Mapping[str, int]:
        """Copy every row, in one transaction, and compare; the number of rows of each table.

        Raises CopyFailed, and SQLAlchemy's own errors and OSError where the server cannot be reached; then nothing is
        there.
        """
        await migrate(self._engine)
        async with self._engine.begin() as connection:
            await self._emptied(connection)
            plain = (await connection.get_raw_connection()).driver_connection
            with self._source.connect() as source:
                sent = {table.name: await self._table(source, plain, table) for table in metadata.sorted_tables}
                await self._numbers(source, connection)
            arrived = {table.name: await _sum(connection, table) for table in metadata.sorted_tables}
            if wrong := [name for name in sent if sent[name] != arrived[name]]:
                raise CopyFailed(f"{self.to} does not keep what it is given: {', '.join(wrong)} came out otherwise.")
            if has_key(self._file):
                key = {"value": key_of(self._file).hex()}
                await upsert(connection, known, {"name": facts.FINGERPRINT_KEY}, {}, key)
            await connection.execute(insert(known).values(name=facts.MOVING, value="not finished"))
        return {name: count for name, (count, _) in sent.items()}

    async def finish(self) -> None:
        """What was copied may be used from now on."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(known).where(known.c.name.in_((facts.MOVING, facts.MOVED))))

    async def close(self) -> None:
        """Let go of both."""
        self._source.dispose()
        await self._engine.dispose()

    async def _emptied(self, connection: AsyncConnection) -> None:
        """Nothing is there, but for what an earlier attempt left."""
        begun = select(known.c.value).where(known.c.name == facts.MOVING)
        unfinished = (await connection.execute(begun)).scalar_one_or_none() is not None
        for table in reversed(metadata.sorted_tables):
            if unfinished or table.name in MADE:
                await connection.execute(delete(table))
            elif (await connection.execute(select(func.count()).select_from(table))).scalar_one():
                raise CopyFailed(f"{self.to} is not empty: {table.name} has rows. Name an empty database.")

    async def _table(self, source: Connection, plain: Any, table: Table) -> Sum:
        count = total = 0
        result = source.execute(select(table), execution_options={"yield_per": ROWS})
        for part in result.partitions():
            rows = [tuple(row) for row in part]
            await plain.copy_records_to_table(table.name, records=rows, columns=[column.name for column in table.c])
            count, total = count + len(rows), total + _fingerprints(rows)
        return count, total

    async def _numbers(self, source: Connection, connection: AsyncConnection) -> None:
        """No number of a match, a season or a deal is ever given twice, those of deleted ones neither."""
        on = text("SELECT setval(pg_get_serial_sequence(:name, :column), :last)")
        for name, last in source.execute(text("SELECT name, seq FROM sqlite_sequence WHERE seq > 0")):
            (column,) = metadata.tables[name].primary_key
            await connection.execute(on, {"name": name, "column": column.name, "last": last})


def note_moved(connection: sqlite3.Connection, to: str) -> None:
    """The file that is `written_by_us` is another database's past from now on: no bot starts on it any more."""
    connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (facts.MOVED, to))
    connection.commit()


def unmark(file: Path) -> str | None:
    """Let a file that was moved be used again; where it had gone to, None where it had not. Raises CopyFailed."""
    with written_by_us(file) as connection:
        try:
            row = connection.execute("SELECT value FROM facts WHERE name = ?", (facts.MOVED,)).fetchone()
            connection.execute("DELETE FROM facts WHERE name = ?", (facts.MOVED,))
        except sqlite3.DatabaseError as error:
            raise CopyFailed(f"{file} is no database of Boneyard, or an old one: {error}.") from error
        connection.commit()
    return None if row is None else str(row[0])


def in_words(error: Exception) -> str:
    """What a server says, on one line."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return " ".join(str(cause).split()).rstrip(".") or type(cause).__name__


async def _sum(connection: AsyncConnection, table: Table) -> Sum:
    count = total = 0
    async with connection.stream(select(table), execution_options={"yield_per": ROWS}) as result:
        async for part in result.partitions():
            rows = [tuple(row) for row in part]
            count, total = count + len(rows), total + _fingerprints(rows)
    return count, total


def _fingerprints(rows: Iterable[tuple[Any, ...]]) -> int:
    return sum(int.from_bytes(hashlib.sha256(repr(row).encode()).digest()) for row in rows)


UNREACHED: Final = (SQLAlchemyError, OSError)
"""What a server that cannot be reached, or refuses a row, leads to."""
