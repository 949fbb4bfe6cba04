"""Storage of the world: an SQLite file with JSON objects and the bytes of attachments.

A worker thread writes in batches, so a request never waits for the disk, and a killed process loses only the last
moments. The bot's own data is stored elsewhere.
"""

import asyncio
import logging
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from bot.playground.payloads import Json, encode
from data.private import create_private_database, create_private_folder, restrict_database

log = logging.getLogger(__name__)

WRITE_DELAY = 0.05  # seconds that writes are collected


@dataclass(slots=True)
class _Batch:
    objects: dict[tuple[str, str], Json | None] = field(default_factory=dict)
    blobs: dict[str, bytes | None] = field(default_factory=dict)


class WorldStorageError(OSError):
    """The file cannot be used. The message says why and what to do."""


class WorldStorage:
    """Objects by kind and id, and blobs by id, in `file` (None: in memory).

    Only one process can use the file. Raises `WorldStorageError` if another process uses it or if it cannot be opened.
    """

    def __init__(self, file: Path | None) -> None:
        self._connection = _open_database(file)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="world-storage")
        self._pending = _Batch()
        self._writing = _Batch()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    def load(self) -> dict[str, list[Json]]:
        """Every stored object by kind, each kind in the order of its ids."""
        found: dict[str, list[Json]] = {}
        rows = self._connection.execute("SELECT kind, body FROM objects ORDER BY kind, length(id), id")
        for kind, body in rows:
            found.setdefault(kind, []).append(msgspec.json.decode(body))
        return found

    def keep_only_blobs(self, wanted: set[str]) -> None:
        """Delete the bytes of all other attachments."""
        stored = {row[0] for row in self._connection.execute("SELECT id FROM attachments")}
        self._connection.executemany("DELETE FROM attachments WHERE id = ?", [(one,) for one in stored - wanted])

    def put(self, kind: str, key: str, body: Json | None) -> None:
        """Store an object, or delete it with None. Changes until the next write are included."""
        self._pending.objects[kind, key] = body
        self.schedule_write()

    def put_blob(self, key: str, data: bytes | None) -> None:
        """Store the bytes of an attachment, or delete them with None."""
        self._pending.blobs[key] = data
        self.schedule_write()

    async def load_blob(self, key: str) -> bytes | None:
        for batch in (self._pending, self._writing):
            if key in batch.blobs:
                return batch.blobs[key]
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._read, key)

    async def close(self) -> None:
        """Write what is pending, then close the file."""
        if self._closed:
            return
        if self._task is not None:
            await self._task
        await self._flush()
        self._closed = True
        self._worker.shutdown()
        self._connection.close()

    def schedule_write(self) -> None:
        if self._task is None and not self._closed:
            try:
                self._task = asyncio.get_running_loop().create_task(self._store_soon())
            except RuntimeError:
                return  # no loop yet: the first write inside one stores this as well

    async def _store_soon(self) -> None:
        await asyncio.sleep(WRITE_DELAY)
        try:
            await self._flush()
        except sqlite3.Error:
            log.exception("the local Discord could not store its last messages")
        finally:
            self._task = None
        if self._pending.objects or self._pending.blobs:
            self.schedule_write()

    async def _flush(self) -> None:
        self._writing, self._pending = self._pending, _Batch()
        # Encoded in the event loop's thread, so that no object changes during the write.
        objects = [
            (kind, key, None if body is None else encode(body)) for (kind, key), body in self._writing.objects.items()
        ]
        blobs = list(self._writing.blobs.items())
        await asyncio.get_running_loop().run_in_executor(self._worker, self._write, objects, blobs)
        self._writing = _Batch()

    def _write(self, objects: list[tuple[str, str, bytes | None]], blobs: list[tuple[str, bytes | None]]) -> None:
        with self._connection as connection:  # commits, or rolls back after an error
            connection.execute("BEGIN IMMEDIATE")
            for kind, key, body in objects:
                if body is None:
                    connection.execute("DELETE FROM objects WHERE kind = ? AND id = ?", (kind, key))
                else:
                    connection.execute("INSERT OR REPLACE INTO objects VALUES (?, ?, ?)", (kind, key, body))
            for key, data in blobs:
                if data is None:
                    connection.execute("DELETE FROM attachments WHERE id = ?", (key,))
                else:
                    connection.execute("INSERT OR REPLACE INTO attachments VALUES (?, ?)", (key, data))

    def _read(self, key: str) -> bytes | None:
        row = self._connection.execute("SELECT data FROM attachments WHERE id = ?", (key,)).fetchone()
        return None if row is None else row[0]


SCHEMA = """
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS objects(
    kind TEXT NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS attachments(id TEXT PRIMARY KEY, data BLOB NOT NULL);
"""


def _open_database(file: Path | None) -> sqlite3.Connection:
    """Open a connection that no other process can share, and create the tables."""
    if file is not None:
        create_private_folder(file.parent, is_ours=False)
        create_private_database(file)
    try:
        # The event loop's thread and one worker use the connection, never at the same time.
        connection = sqlite3.connect(file or ":memory:", check_same_thread=False, isolation_level=None, timeout=0.5)
    except sqlite3.Error as error:
        raise WorldStorageError(f"{file} cannot be opened: {error}.") from error
    try:
        connection.executescript(SCHEMA)
        if file is not None:
            restrict_database(file)
    except sqlite3.Error as error:
        connection.close()
        if "locked" in str(error):
            raise WorldStorageError(
                f"another playground has {file} open; close that one, or use another folder."
            ) from error
        raise WorldStorageError(f"{file} cannot be used: {error}.") from error
    return connection
