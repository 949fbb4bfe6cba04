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

from tests.crash.fast_clock import hurried, true

ROOT = Path(__file__).parents[2]
CLOCK = "clock"  # The file with the clock error of the bots
DRAINED = 120.0  # Seconds within which a bot stops after a stop signal, on a busy machine


@cache
def origin_of_forks(module: str) -> socket.socket:
    """A socket to this module's fork server, which ends with this process."""
    here, there = socket.socketpair()
    with there:
        process = subprocess.Popen([sys.executable, "-m", module], cwd=ROOT, stdin=there)

    def end() -> None:
        here.close()
        process.wait()

    atexit.register(end)
    return here


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
    born: list[int] = field(default_factory=list)  # Ids of running bot processes, oldest first
    kills: int = 0
    deaths: list[int] = field(default_factory=list)  # Exit statuses of bots that ended without a kill
    deploys: int = 0  # How often a bot was stopped while another one took over its shards
    _shares: dict[int, int] = field(default_factory=dict)  # The group of shards of each bot, by process id
    _nursery: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    _orders: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def __aenter__(self) -> Self:
        await self._open()
        for share in range(self.size):
            await self.start(share)
        return self

    async def __aexit__(self, *_: object) -> None:
        for bot in self.born:
            os.kill(bot, signal.SIGKILL)
        await self._close()

    async def start(self, share: int = 0) -> None:
        bot = await self._spawn(self._numbers(share))
        self._shares[bot] = share
        self.born.append(bot)

    def _numbers(self, share: int) -> str:
        """Return the shards of a group as `--shard-ids` takes them; empty if all bots receive all events."""
        return "" if self.shards is None else ",".join(map(str, range(share, self.shards, self.size)))

    def strike(self) -> int:
        bot = self.born[0] if self.rng.random() < 0.7 else self.rng.choice(self.born)
        self.born.remove(bot)
        os.kill(bot, signal.SIGKILL)
        self.kills += 1
        return bot

    async def replace(self, bot: int) -> None:
        status = await self._bury(bot)
        if status != -signal.SIGKILL:
            self.deaths.append(status)
        await self.start(self._shares.pop(bot))

    async def deploy(self, pause: float) -> None:
        old = self.born[0]
        await self.start(self._shares[old])
        await asyncio.sleep(pause)
        if old in self.born:  # a kill may have happened in between
            self.born.remove(old)
            os.kill(old, signal.SIGTERM)
            async with asyncio.timeout(DRAINED):
                status = await self._bury(old)
            self._shares.pop(old)
            self.deploys += 1
            if status not in (0, -signal.SIGTERM):
                self.deaths.append(status)

    async def stop(self) -> list[int]:
        """Send SIGTERM to all, as a deployment does, and return their exit statuses. Raises TimeoutError."""
        for bot in self.born:
            os.kill(bot, signal.SIGTERM)
        async with asyncio.timeout(DRAINED):
            statuses = [await self._bury(bot) for bot in self.born]
        self.born.clear()
        self._shares.clear()
        return statuses

    def now(self) -> int:
        return hurried()

    def log(self) -> str:
        return self.logged.read_text()

    @property
    def logged(self) -> Path:
        return self.folder / "bots.log"

    async def _open(self) -> None:
        here, there = socket.socketpair()
        with there:
            socket.send_fds(origin_of_forks("tests.crash.fork_server"), [b"."], [there.fileno()])
        self._nursery = await asyncio.open_connection(sock=here)

    async def _close(self) -> None:
        await self._ask({"do": "end"})
        self._nursery[1].close()

    async def _spawn(self, numbers: str) -> int:
        order = {"do": "start", "url": self.url, "token": self.token, "database": self.database}
        order |= {"shards": self.shards, "shard_ids": numbers}
        order |= {"clock": str(self.folder / CLOCK)}
        return await self._ask(order | {"log": str(self.logged), "mutant": self.mutant})

    async def _bury(self, bot: int) -> int:
        return await self._ask({"do": "bury", "pid": bot})

    async def _ask(self, order: dict[str, object]) -> int:
        assert self._nursery is not None
        answers, orders = self._nursery
        async with self._orders:
            orders.write(json.dumps(order).encode() + b"\n")
            return int(await answers.readline())


@dataclass
class PlainBotProcesses(BotProcesses):
    _bots: dict[int, Process] = field(default_factory=dict)

    def now(self) -> int:
        return true()

    async def _open(self) -> None:
        """Prepare nothing."""

    async def _close(self) -> None:
        for bot in self.born:
            await self._bury(bot)

    async def _spawn(self, numbers: str) -> int:
        environment = os.environ | {"DISCORD_TOKEN": self.token, "BONEYARD_DATABASE_URL": self.database}
        arguments = ["-m", "bot", "run", "--local", self.url]
        if self.shards is not None:
            arguments += ["--shards", str(self.shards), "--shard-ids", numbers]
        with self.logged.open("ab") as log:
            bot = await asyncio.create_subprocess_exec(
                sys.executable, *arguments, cwd=ROOT, env=environment, stdin=PIPE, stdout=log, stderr=log
            )
        self._bots[bot.pid] = bot
        return bot.pid

    async def _bury(self, bot: int) -> int:
        return await self._bots.pop(bot).wait()
