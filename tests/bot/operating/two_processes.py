"""Two bot processes that share a database and the guilds of a local Discord, each with its own shard."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from bot.app import build
from bot.client import Boneyard
from bot.operating.sharding import ShardAssignment
from bot.playground.launch import redirect_clients
from bot.playground.person import PageUser
from bot.playground.server import LocalDiscord
from bot.tables.lobbies import TableRequest
from data.store.log.match_values import Head
from data.store.store import Store
from tests.data.store.empty import laid

PATIENCE = 300.0
"""Timeout in seconds for any step, with a margin for a busy machine."""


@dataclass
class Process:
    client: Boneyard
    store: Store
    running: asyncio.Task[None]

    async def sweep(self) -> None:
        """Do all due work, and wait until it is shown."""
        services = self.client.services
        await services.scheduler.sweep()
        await services.alerts.sweep(services.presence.connected_shards)
        await services.announcer.wait_until_idle()
        await services.alerts.wait_until_idle()

    async def vanish(self) -> None:
        self.client._sweeper.cancel()
        await self.client.close()
        with suppress(asyncio.CancelledError):
            await self.running


@dataclass
class Pair:
    """A German guild in one shard and the practice guild in the other, in either order."""

    discord: LocalDiscord
    url: str
    ada: PageUser
    skipped: list[int]
    """The offset of the clocks, in milliseconds."""
    left_guild: str = ""
    right_guild: str = ""
    places: dict[str, str] = field(default_factory=dict)
    """One channel of each guild."""

    def now(self) -> int:
        return int(time.time() * 1000) + self.skipped[0]

    def skip(self, *, seconds: float) -> None:
        self.skipped[0] += int(seconds * 1000)

    @asynccontextmanager
    async def process(self, *numbers: int, count: int | None = 2, ready: bool = True) -> AsyncIterator[Process]:
        """Run a bot with these shards. With `ready`, wait until all of them are connected."""
        store = await Store.open(await laid(self.url))
        division = ShardAssignment(count, frozenset(numbers) if numbers else None)
        client = build(store, clock=self.now, division=division)
        client.playground = True
        process = Process(client, store, asyncio.create_task(client.start(self.discord.token)))
        try:
            if ready:
                await until(lambda: client.is_ready(), process)
            yield process
        finally:
            await client.services.announcer.wait_until_idle()
            await process.vanish()
            await store.close()

    async def opened(self, store: Store, guild: str, **terms: Any) -> Head:
        client = build(store, clock=self.now)
        asked: Any = {"game": "triominoes", "seats": 2, **terms}
        place = self.places[guild]
        invitation = TableRequest(guild_id=int(guild), channel_id=int(place), host_id=int(self.ada.id), **asked)
        table = await client.services.acts.open(invitation, request=next(REQUESTS))
        return table.head

    def hears(self, process: Process, *numbers: int) -> bool:
        presence = process.client.services.presence
        return presence.own_shards.count > 1 and presence.connected_shards.numbers == set(numbers)

    async def said(self, guild: str) -> list[dict[str, Any]]:
        """Return the messages of the bot in the channel of a guild."""
        found = self.discord.world.messages.timelines[self.places[guild]].list_posts()
        return [post.body for post in found if post.body["author"]["id"] == self.discord.world.bot["id"]]

    async def posts(self, guild: str) -> int:
        return len(await self.said(guild))


REQUESTS = itertools.count(1)
"""Ids of simulated interactions."""


async def eventually(look: Callable[[], Awaitable[object]], wanted: object) -> None:
    """Wait until the condition is true."""
    found = await look()
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            while found != wanted:
                await asyncio.sleep(0.02)
                found = await look()
    assert found == wanted


async def until(happened: Callable[[], bool], process: Process | None = None) -> None:
    """Wait for an awaitable. Raises the error that ended the process, if there is one."""
    async with asyncio.timeout(PATIENCE):
        while not happened():
            if process is not None and process.running.done():
                process.running.result()
            await asyncio.sleep(0.02)


@asynccontextmanager
async def pair(url: str) -> AsyncIterator[Pair]:
    """Provide a Discord with two guilds in two shards, before any bot starts."""
    skipped = [0]
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(
            LocalDiscord(None, port=0, now=lambda: time.time() + skipped[0] / 1000, answer_within=PATIENCE)
        )
        stack.callback(redirect_clients(discord.url))
        ada = await stack.enter_async_context(PageUser(discord.address, "Ada"))
        found = Pair(discord, url, ada, skipped)
        guilds = {(int(guild) >> 22) % 2: guild for guild in discord.world.guilds}
        while len(guilds) < 2:
            guild = discord.world.add_guild("Nebenan")["id"]
            guilds.setdefault((int(guild) >> 22) % 2, guild)
        found.left_guild, found.right_guild = guilds[0], guilds[1]
        for guild in guilds.values():
            found.places[guild] = discord.world.add_channel("tische", guild_id=guild)["id"]
        yield found
        assert discord.bot_errors == []
