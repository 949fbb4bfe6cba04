"""Faults of the machine and the database during play, one at a time."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connection.engines import make_engine, parse_url
from tests.crash.discord_faults import DiscordFaults
from tests.crash.fast_clock import ClockOffset
from tests.crash.guild_faults import GuildFaults

CLOCK_AHEAD: Final = 3_600_000  # How far the clock of all bots runs ahead, in ms
FAULT_RATE: Final = 0.6  # Share of kills during a fault
BLOCK_SECONDS = (0.3, 1.2)  # Seconds for which the database is blocked
LIMIT_SECONDS = (0.2, 1.0)  # Seconds of a limit on all requests
MACHINE_KINDS: Final = ("clock", "row", "limit", "hung", "exchanged")
SERVER_KINDS: Final = ("silenced", "right lost", "doors shut", "server away", "no session")
"""Faults that moderators and Discord cause."""
FILE_KINDS: Final = ("exchanged",)  # Faults that only a database file has


@dataclass
class FaultInjector:
    """Causes random faults of the given `kinds`."""

    database: str
    discord_faults: DiscordFaults
    clock: ClockOffset
    rng: Random
    guild_faults: GuildFaults
    kinds: tuple[str, ...] = MACHINE_KINDS
    rate: float = FAULT_RATE
    fault_counts: dict[str, int] = field(default_factory=dict)  # How often each fault occurred
    _bodies: dict[tuple[int, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.fault_counts = dict.fromkeys(self.kinds, 0)
        if self.database_file is None:
            self.kinds = tuple(kind for kind in self.kinds if kind not in FILE_KINDS)

    @property
    def database_file(self) -> Path | None:
        url = parse_url(self.database)
        return Path(str(url.database)) if url.get_backend_name() == "sqlite" else None

    @asynccontextmanager
    async def maybe_inject(self) -> AsyncIterator[None]:
        faults_by_kind: dict[str, Callable[[], AbstractAsyncContextManager[None]]] = {
            "clock": self._advance_clock,
            "row": self._damage_row,
            "limit": self._limit_requests,
            "hung": self._block_database,
            "exchanged": self._replace_file,
            **self.guild_faults.faults_by_kind,
        }
        async with AsyncExitStack() as stack:
            if self.kinds and self.rng.random() < self.rate:
                kind = self.rng.choice(self.kinds)
                self.fault_counts[kind] += 1
                await stack.enter_async_context(faults_by_kind[kind]())
                await asyncio.sleep(self.rng.uniform(0.1, 0.4))
            yield

    @asynccontextmanager
    async def _advance_clock(self) -> AsyncIterator[None]:
        self.clock.set(CLOCK_AHEAD)
        try:
            yield
        finally:
            self.clock.set(0)

    @asynccontextmanager
    async def _limit_requests(self) -> AsyncIterator[None]:
        self.discord_faults.limit_everything(self.rng.uniform(*LIMIT_SECONDS))
        yield

    @asynccontextmanager
    async def _damage_row(self) -> AsyncIterator[None]:
        await self.repair_rows()
        rows = "SELECT e.match_id, e.seq, e.body FROM events e JOIN matches m ON m.match_id = e.match_id"
        async with self._engine.begin() as connection:
            found = (await connection.execute(text(f"{rows} WHERE m.state IN ('lobby', 'open')"))).all()
            if found:
                match_id, seq, body = self.rng.choice(found)
                self._bodies[match_id, seq] = body
        for (match_id, seq), body in self._bodies.items():
            await self._write(match_id, seq, body[: len(body) // 2])
        yield

    async def repair_rows(self) -> None:
        for (match_id, seq), body in self._bodies.items():
            await self._write(match_id, seq, body)
        self._bodies.clear()

    async def _write(self, match_id: int, seq: int, body: str) -> None:
        change = text("UPDATE events SET body = :body WHERE match_id = :match AND seq = :seq")
        async with self._engine.begin() as connection:
            await connection.execute(change, {"body": body, "match": match_id, "seq": seq})

    @asynccontextmanager
    async def _block_database(self) -> AsyncIterator[None]:
        holding = asyncio.create_task(self._hold_lock(self.rng.uniform(*BLOCK_SECONDS)))
        try:
            yield
        finally:
            await holding

    async def _hold_lock(self, seconds: float) -> None:
        if self.database_file is not None:
            await asyncio.to_thread(_hold_file_lock, self.database_file, seconds)
            return
        async with self._engine.connect() as connection:
            await connection.execute(text("LOCK TABLE matches IN ACCESS EXCLUSIVE MODE"))
            await asyncio.sleep(seconds)
            await connection.rollback()

    @asynccontextmanager
    async def _replace_file(self) -> AsyncIterator[None]:
        """Replace the database file by another one, then restore it with its journal files."""
        names = [self.database_file.with_name(self.database_file.name + ending) for ending in ("", "-wal", "-shm")]
        moved = [name for name in names if name.exists()]
        for name in moved:
            name.rename(name.with_name(f"{name.name}.away"))
        self.database_file.touch()
        try:
            yield
        finally:
            for name in names:
                with suppress(FileNotFoundError):
                    name.unlink()
            for name in moved:
                name.with_name(f"{name.name}.away").rename(name)

    @cached_property
    def _engine(self) -> AsyncEngine:
        return make_engine(parse_url(self.database))

    async def end(self) -> None:
        self.clock.set(0)
        self.discord_faults.clear()
        await self.repair_rows()
        await self._engine.dispose()


def _hold_file_lock(file: Path, seconds: float) -> None:
    with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        connection.execute("ROLLBACK")
