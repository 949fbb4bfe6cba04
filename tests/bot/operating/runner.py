"""Run `boneyard run` as a subprocess and capture its standard error."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bot.playground.server import LocalDiscord
from tests.data.store.empty import laid

PATIENCE = 300.0
"""Timeout in seconds for any step, with a margin for a busy machine."""


@dataclass
class Running:
    """A running bot process."""

    process: Process
    lines: list[str] = field(default_factory=list)
    """The standard error output so far."""
    _more: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.lines.append(line.decode().rstrip("\n"))
            async with self._more:
                self._more.notify_all()

    async def said(self, event: str, times: int = 1) -> dict[str, Any]:
        def found() -> list[str]:
            return [line for line in self.lines if event in line]

        async with asyncio.timeout(PATIENCE), self._more:
            await self._more.wait_for(lambda: len(found()) >= times)
        told: dict[str, Any] = json.loads(found()[times - 1])
        return told

    async def ended(self) -> int:
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()

    async def stopped(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await self.ended()


@asynccontextmanager
async def running(
    url: str,
    discord: LocalDiscord,
    *,
    token: str = "",
    hurry: str = "",
    seconds: float = 2.0,
    within: Sequence[str] = (),
    players: str = "",
) -> AsyncIterator[Running]:
    """Run the bot on this database until the block ends.

    `hurry` names constants of the bot that are set to `seconds`. `within` is a command that wraps the bot command.
    `players` is the file with external programs. A missing database file is created empty.
    """
    known = {name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD"))}
    await laid(url)
    made_shorter = "".join(f"import {name.rpartition('.')[0]}\n{name} = {seconds}\n" for name in hurry.split())
    environment = known | {
        "DISCORD_TOKEN": token or discord.token,
        "BONEYARD_DATABASE_URL": url,
        "BONEYARD_PLAYERS": players,
    }
    begins = f"{made_shorter}from bot.__main__ import main\nmain()"
    process = await asyncio.create_subprocess_exec(
        *(*within, sys.executable, "-c", begins, "run", "--local", discord.url),
        env=environment,
        stdin=PIPE,
        stderr=PIPE,
    )
    bot = Running(process)
    reading = asyncio.create_task(bot.read())
    try:
        yield bot
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await reading


async def started(url: str, discord: LocalDiscord, token: str = "") -> tuple[int | None, list[str]]:
    async with running(url, discord, token=token) as bot:
        status = await bot.ended()
    return status, bot.lines
