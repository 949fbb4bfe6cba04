"""Run `boneyard run` as a subprocess and capture its standard error."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from typer.testing import CliRunner

from bot.__main__ import app
from bot.playground.server import LocalDiscord
from data.store.store import Store
from tests.data.store.empty import prepare_database

PATIENCE = 300.0
"""Timeout in seconds for any step, with a margin for a busy machine."""


@dataclass
class BotProcess:
    """A running bot process."""

    process: Process
    lines: list[str] = field(default_factory=list)
    """The standard error output so far."""
    _lines_changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def read_lines(self) -> None:
        async for line in self.process.stderr:
            self.lines.append(line.decode().rstrip("\n"))
            async with self._lines_changed:
                self._lines_changed.notify_all()

    async def wait_for_log(self, event: str, times: int = 1) -> dict[str, Any]:
        def list_entries() -> list[str]:
            return [line for line in self.lines if event in line]

        async with asyncio.timeout(PATIENCE), self._lines_changed:
            await self._lines_changed.wait_for(lambda: len(list_entries()) >= times)
        entry: dict[str, Any] = json.loads(list_entries()[times - 1])
        return entry

    async def wait_for_exit(self) -> int:
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()

    async def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await self.wait_for_exit()


@asynccontextmanager
async def run_bot_process(
    url: str,
    discord: LocalDiscord,
    *,
    token: str = "",
    shortened_timeouts: str = "",
    seconds: float = 2.0,
    wrapper: Sequence[str] = (),
    **environment: str,
) -> AsyncIterator[BotProcess]:
    """Run the bot on this database until the block ends.

    `shortened_timeouts` names constants of the bot that are set to `seconds`. `wrapper` is a command that wraps the bot
    command. A missing database file is created empty.
    """
    await prepare_database(url)
    assignments = "".join(
        f"import {name.rpartition('.')[0]}\n{name} = {seconds}\n" for name in shortened_timeouts.split()
    )
    process = await asyncio.create_subprocess_exec(
        *(
            *wrapper,
            sys.executable,
            "-c",
            f"{assignments}from bot.__main__ import main\nmain()",
            "run",
            "--local",
            discord.url,
        ),
        env=build_environment(DISCORD_TOKEN=token or discord.token, BONEYARD_DATABASE_URL=url, **environment),
        stdin=PIPE,
        stderr=PIPE,
    )
    bot = BotProcess(process)
    reader = asyncio.create_task(bot.read_lines())
    try:
        yield bot
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await reader


def build_environment(**variables: str) -> dict[str, str]:
    """Return these variables and those of the tests, without settings of the bot."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD"))}
    return inherited | variables


async def run_until_exit(url: str, discord: LocalDiscord, token: str = "") -> tuple[int | None, list[str]]:
    async with run_bot_process(url, discord, token=token) as bot:
        status = await bot.wait_for_exit()
    return status, bot.lines


def run_command(*words: object, **environment: str) -> tuple[int, str]:
    """Run a command of `boneyard` in this process; return its status and output."""
    result = CliRunner().invoke(app, [*map(str, words)], env=environment)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


async def change_database(url: str, act: Callable[[Store], Awaitable[object]]) -> None:
    """Change the database as a stopped bot would."""
    store = await Store.open(url)
    await act(store)
    await store.close()
