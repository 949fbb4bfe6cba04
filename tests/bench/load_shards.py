"""Very many servers: how long processes take to hear of all of them, what they need, and what they do when it is quiet.

`python -m tests.bench.load_shards` has 10,000 servers of 60 channels, two processes and no open table. With
`--tables 100000` so many matches are open, of which half have a clock that runs: what is idle then is the scheduler.
With `--away 60` an hour is given back to those clocks meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from aiohttp import web

import bot.playground.gateway
from bot.playground import shapes
from bot.playground.events import whole_guild
from bot.playground.faults import Faults
from bot.playground.rates import Rates
from bot.playground.rest import A_SHARD
from bot.playground.server import LocalDiscord
from bot.playground.session import Session
from bot.playground.world import World
from tests.bench.load_bots import ROOT, BotProcess
from tests.bench.load_start import MINUTE, with_open_matches

PATIENCE: Final = 900.0
"""Seconds that all of them have to hear of all servers."""
QUIET: Final = 20.0
"""Seconds without work before it is measured what a process does by itself: caches fill, memory is given back."""


@dataclass
class Sharded:
    """A process with some of the shards, whose standard output says which are ready."""

    bot: BotProcess
    numbers: Sequence[int]
    ready_after: list[float] = field(default_factory=list)
    channels: int = 0
    """Channels that it knows by then."""

    @classmethod
    async def started(
        cls, discord: LocalDiscord, folder: Path, database: str, count: int, numbers: Sequence[int]
    ) -> Sharded:
        """A new process."""
        arguments = ["-m", "tests.bench.load_shards", "bot", discord.url, str(count), ",".join(map(str, numbers))]
        environment = os.environ | {"DISCORD_TOKEN": discord.token, "BONEYARD_DATABASE_URL": database}
        process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, cwd=ROOT, env=environment, stdin=PIPE, stdout=PIPE
        )
        return cls(BotProcess(process, folder), numbers)

    async def ready(self, began: float) -> None:
        """Wait until it hears all its shards."""
        process: Process = self.bot.process
        assert process.stdout is not None
        while len(self.ready_after) < len(self.numbers):
            line = await process.stdout.readline()
            if not line:
                raise RuntimeError("a bot ended before it was ready")
            if line.startswith(b"ready"):
                self.ready_after.append(time.perf_counter() - began)
                self.channels = int(line.split()[2])


@dataclass(slots=True)
class Counted(Faults):
    """No faults; how often Discord was told of the commands."""

    registered: int = 0

    async def before(self, request: web.Request) -> web.Response | None:
        self.registered += request.method == "PUT" and request.path.endswith("/commands")
        # Not super(): a dataclass with slots is another class than the one that was written.
        return await Faults.before(self, request)


def be_a_bot(url: str, count: str, numbers: str) -> None:
    """`boneyard run` with these shards, which says on standard output when one is ready."""
    from bot.base.environment import from_environment
    from bot.operating.client import Boneyard
    from bot.operating.run import run
    from bot.operating.sharding import division

    heard = Boneyard.on_shard_ready

    async def on_shard_ready(client: Boneyard, number: int) -> None:
        await heard(client, number)
        print("ready", number, sum(len(guild.channels) for guild in client.guilds), flush=True)

    Boneyard.on_shard_ready = on_shard_ready  # type: ignore[method-assign]
    raise SystemExit(run(from_environment(), local=url, shards=division(int(count), numbers)))


def furnished(discord: LocalDiscord, servers: int, channels: int) -> None:
    """So many servers with so many channels each, which come to be when a bot is told of them."""
    world = discord.world
    while len(world.guilds) < servers:
        world.add_guild(f"Server {len(world.guilds)}")

    def with_channels(world: World, guild: dict[str, Any], session: Session, _: Sequence[Any] = ()) -> dict[str, Any]:
        first = int(guild["id"]) + 1
        made = [
            shapes.text_channel(
                str(first + number), guild["id"], f"channel-{number}", number, "What this channel is for"
            )
            for number in range(channels)
        ]
        return whole_guild(world, guild, session, made)

    bot.playground.gateway.whole_guild = with_channels  # type: ignore[attr-defined]


def _spread(file: Path, guilds: list[str]) -> None:
    """The open matches are on all servers alike."""
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("CREATE TEMP TABLE places (number INTEGER PRIMARY KEY, guild INTEGER)")
        base.executemany("INSERT INTO places VALUES (?, ?)", enumerate(map(int, guilds)))
        base.execute(
            f"UPDATE matches SET guild_id = (SELECT guild FROM places WHERE number = match_id % {len(guilds)})"
        )


async def measured(servers: int, channels: int, processes: int, tables: int, seconds: float, away: int) -> None:
    """Start them, wait until all is heard, then watch them doing nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder, file = Path(name), Path(name) / "boneyard.db"
        database, faults = f"sqlite:///{file}", Counted()
        async with LocalDiscord(None, port=0, rates=Rates(), faults=faults) as discord:
            furnished(discord, servers, channels)
            if tables:
                await with_open_matches(file, tables, away=away * MINUTE)
                await asyncio.to_thread(_spread, file, list(discord.world.guilds))
            shards = max(processes, -(-servers // A_SHARD))
            parts = [range(number, shards, processes) for number in range(processes)]
            began = time.perf_counter()
            bots = [await Sharded.started(discord, folder, database, shards, list(part)) for part in parts]
            try:
                async with asyncio.timeout(PATIENCE):
                    await asyncio.gather(*(one.ready(began) for one in bots))
                for one in bots:
                    print(
                        f"{len(one.numbers)} of {shards} shards of {servers:,} servers, {one.channels:,} channels: "
                        f"the first after {one.ready_after[0]:.0f} s, all after {one.ready_after[-1]:.0f} s, "
                        f"{one.bot.cpu:.1f} s CPU, {one.bot.memory:.0f} MiB",
                        flush=True,
                    )
                print(f"commands registered: {faults.registered} times", flush=True)
                await asyncio.sleep(QUIET)
                before = [one.bot.cpu for one in bots]
                await asyncio.sleep(seconds)
                for one, cpu in zip(bots, before, strict=True):
                    idle = (one.bot.cpu - cpu) / seconds
                    print(f"idle with {tables:,} open tables: {100 * idle:.2f} % of a core, {one.bot.memory:.0f} MiB")
            finally:
                await asyncio.gather(*(one.bot.stop() for one in bots))


def main(
    servers: Annotated[int, typer.Option(help="Servers.")] = 10_000,
    channels: Annotated[int, typer.Option(help="Channels of each.")] = 60,
    processes: Annotated[int, typer.Option(help="Processes that share them.")] = 2,
    tables: Annotated[int, typer.Option(help="Open tables, half of them with a clock.")] = 0,
    seconds: Annotated[float, typer.Option(help="How long they are watched when all is quiet.")] = 60,
    away: Annotated[int, typer.Option(help="Minutes that no bot was there: from three on they are given back.")] = 1,
) -> None:
    """Let processes share very many servers."""
    asyncio.run(measured(servers, channels, processes, tables, seconds, away))


if __name__ == "__main__":
    if sys.argv[1:2] == ["bot"]:
        be_a_bot(*sys.argv[2:])
    else:
        typer.run(main)
