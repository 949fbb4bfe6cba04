"""Bot processes on one database that are started, killed and restarted."""

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Self

from tests.crash.fast_clock import read_fast_clock, read_real_clock

ROOT = Path(__file__).parents[2]
CLOCK_FILE = "clock"  # The file with the clock error of the bots
STOP_TIMEOUT = 120.0  # Seconds within which a bot stops after a stop signal, on a busy machine


@cache
def connect_fork_server(module: str) -> socket.socket:
    """A socket to this module's fork server, which ends with this process."""
    parent_socket, child_socket = socket.socketpair()
    with child_socket:
        process = subprocess.Popen([sys.executable, "-m", module], cwd=ROOT, stdin=child_socket)

    def end() -> None:
        parent_socket.close()
        process.wait()

    atexit.register(end)
    return parent_socket


@dataclass
class BotProcesses:
    """A number of bots that share a token, a database and the events, as an async context manager."""

    url: str
    token: str
    database: str
    folder: Path
    rng: Random
    size: int = 2
    mutant: str = ""
    shards: int | None = None
    process_ids: list[int] = field(default_factory=list)  # Ids of running bot processes, oldest first
    kills: int = 0
    crash_statuses: list[int] = field(default_factory=list)  # Exit statuses of bots that ended without a kill
    deploys: int = 0  # How often a bot was stopped while another one took over its shards
    _shard_groups: dict[int, int] = field(default_factory=dict)  # The group of shards of each bot, by process id
    _fork_server: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    _request_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def __aenter__(self) -> Self:
        await self._open()
        for share in range(self.size):
            await self.start(share)
        return self

    async def __aexit__(self, *_: object) -> None:
        for bot in self.process_ids:
            os.kill(bot, signal.SIGKILL)
        await self._close()

    async def start(self, share: int = 0) -> None:
        bot = await self._spawn(self._format_shard_ids(share))
        self._shard_groups[bot] = share
        self.process_ids.append(bot)

    def _format_shard_ids(self, share: int) -> str:
        """Return the shards of a group as `--shard-ids` takes them; empty if all bots receive all events."""
        return "" if self.shards is None else ",".join(map(str, range(share, self.shards, self.size)))

    def kill_bot(self) -> int:
        bot = self.process_ids[0] if self.rng.random() < 0.7 else self.rng.choice(self.process_ids)
        self.process_ids.remove(bot)
        os.kill(bot, signal.SIGKILL)
        self.kills += 1
        return bot

    async def replace(self, bot: int) -> None:
        status = await self._reap(bot)
        if status != -signal.SIGKILL:
            self.crash_statuses.append(status)
        await self.start(self._shard_groups.pop(bot))

    async def deploy(self, pause: float) -> None:
        old = self.process_ids[0]
        await self.start(self._shard_groups[old])
        await asyncio.sleep(pause)
        if old in self.process_ids:  # a kill may have happened in between
            self.process_ids.remove(old)
            os.kill(old, signal.SIGTERM)
            async with asyncio.timeout(STOP_TIMEOUT):
                status = await self._reap(old)
            self._shard_groups.pop(old)
            self.deploys += 1
            if status not in (0, -signal.SIGTERM):
                self.crash_statuses.append(status)

    async def stop(self) -> list[int]:
        """Send SIGTERM to all, as a deployment does, and return their exit statuses. Raises TimeoutError."""
        for bot in self.process_ids:
            os.kill(bot, signal.SIGTERM)
        async with asyncio.timeout(STOP_TIMEOUT):
            statuses = [await self._reap(bot) for bot in self.process_ids]
        self.process_ids.clear()
        self._shard_groups.clear()
        return statuses

    def read_clock(self) -> int:
        return read_fast_clock()

    def read_log(self) -> str:
        return self.log_path.read_text()

    @property
    def log_path(self) -> Path:
        return self.folder / "bots.log"

    async def _open(self) -> None:
        parent_socket, child_socket = socket.socketpair()
        with child_socket:
            socket.send_fds(connect_fork_server("tests.crash.fork_server"), [b"."], [child_socket.fileno()])
        self._fork_server = await asyncio.open_connection(sock=parent_socket)

    async def _close(self) -> None:
        await self._request({"do": "end"})
        self._fork_server[1].close()

    async def _spawn(self, shard_ids: str) -> int:
        order = {"do": "start", "url": self.url, "token": self.token, "database": self.database}
        order |= {"shards": self.shards, "shard_ids": shard_ids}
        order |= {"clock": str(self.folder / CLOCK_FILE)}
        return await self._request(order | {"log": str(self.log_path), "mutant": self.mutant})

    async def _reap(self, bot: int) -> int:
        return await self._request({"do": "bury", "pid": bot})

    async def _request(self, order: dict[str, object]) -> int:
        assert self._fork_server is not None
        responses, orders = self._fork_server
        async with self._request_lock:
            orders.write(json.dumps(order).encode() + b"\n")
            return int(await responses.readline())


@dataclass
class PlainBotProcesses(BotProcesses):
    _bots: dict[int, Process] = field(default_factory=dict)

    def read_clock(self) -> int:
        return read_real_clock()

    async def _open(self) -> None:
        """Prepare nothing."""

    async def _close(self) -> None:
        for bot in self.process_ids:
            await self._reap(bot)

    async def _spawn(self, shard_ids: str) -> int:
        environment = os.environ | {"DISCORD_TOKEN": self.token, "BONEYARD_DATABASE_URL": self.database}
        arguments = ["-m", "bot", "run", "--local", self.url]
        if self.shards is not None:
            arguments += ["--shards", str(self.shards), "--shard-ids", shard_ids]
        with self.log_path.open("ab") as log:
            bot = await asyncio.create_subprocess_exec(
                sys.executable, *arguments, cwd=ROOT, env=environment, stdin=PIPE, stdout=log, stderr=log
            )
        self._bots[bot.pid] = bot
        return bot.pid

    async def _reap(self, bot: int) -> int:
        return await self._bots.pop(bot).wait()
