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
from bot.playground.server import LocalDiscord
from bot.tables.lobbies import TableRequest
from data.store.log.match_values import Head
from data.store.store import Store
from tests.data.store.empty import prepare_database
from tests.playground.page_user import PageUser

TIMEOUT_SECONDS = 300.0
"""Timeout in seconds for any step, with a margin for a busy machine."""


@dataclass
class BotProcess:
    client: Boneyard
    store: Store
    run_task: asyncio.Task[None]

    async def sweep(self) -> None:
        """Do all due work, and wait until it is shown."""
        services = self.client.services
        await services.scheduler.sweep()
        await services.alerts.sweep(services.presence.connected_shards)
        await services.announcer.wait_until_idle()
        await services.alerts.wait_until_idle()

    async def stop(self) -> None:
        self.client._sweeper.cancel()
        await self.client.close()
        with suppress(asyncio.CancelledError):
            await self.run_task


@dataclass
class ShardPair:
    """A German guild in one shard and the practice guild in the other, in either order."""

    discord: LocalDiscord
    url: str
    ada: PageUser
    clock_offset: list[int]
    """The offset of the clocks, in milliseconds."""
    left_guild: str = ""
    right_guild: str = ""
    channel_ids: dict[str, str] = field(default_factory=dict)
    """One channel of each guild."""

    def read_clock(self) -> int:
        return int(time.time() * 1000) + self.clock_offset[0]

    def advance_clock(self, *, seconds: float) -> None:
        self.clock_offset[0] += int(seconds * 1000)

    @asynccontextmanager
    async def run_process(self, *numbers: int, count: int | None = 2, ready: bool = True) -> AsyncIterator[BotProcess]:
        """Run a bot with these shards. With `ready`, wait until all of them are connected."""
        store = await Store.open(await prepare_database(self.url))
        division = ShardAssignment(count, frozenset(numbers) if numbers else None)
        client = build(store, clock=self.read_clock, division=division)
        client.playground = True
        process = BotProcess(client, store, asyncio.create_task(client.start(self.discord.token)))
        try:
            if ready:
                await wait_until(lambda: client.is_ready(), process)
            yield process
        finally:
            await client.services.announcer.wait_until_idle()
            await process.stop()
            await store.close()

    async def open_table(self, store: Store, guild: str, **terms: Any) -> Head:
        client = build(store, clock=self.read_clock)
        options: Any = {"game": "triominoes", "seats": 2, **terms}
        channel_id = self.channel_ids[guild]
        invitation = TableRequest(guild_id=int(guild), channel_id=int(channel_id), host_id=int(self.ada.id), **options)
        table = await client.services.acts.open(invitation, request=next(REQUEST_IDS))
        return table.head

    def has_connected_shards(self, process: BotProcess, *numbers: int) -> bool:
        presence = process.client.services.presence
        return presence.own_shards.count > 1 and presence.connected_shards.numbers == set(numbers)

    async def list_messages(self, guild: str) -> list[dict[str, Any]]:
        """Return the messages of the bot in the channel of a guild."""
        found = self.discord.world.messages.timelines[self.channel_ids[guild]].list_posts()
        return [post.body for post in found if post.body["author"]["id"] == self.discord.world.bot["id"]]

    async def count_messages(self, guild: str) -> int:
        return len(await self.list_messages(guild))


REQUEST_IDS = itertools.count(1)
"""Ids of simulated interactions."""


async def assert_eventually(read: Callable[[], Awaitable[object]], expected: object) -> None:
    """Wait until the condition is true."""
    value = await read()
    with suppress(TimeoutError):
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while value != expected:
                await asyncio.sleep(0.02)
                value = await read()
    assert value == expected


async def wait_until(condition: Callable[[], bool], process: BotProcess | None = None) -> None:
    """Wait for an awaitable. Raises the error that ended the process, if there is one."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not condition():
            if process is not None and process.run_task.done():
                process.run_task.result()
            await asyncio.sleep(0.02)


@asynccontextmanager
async def run_shard_pair(url: str) -> AsyncIterator[ShardPair]:
    """Provide a Discord with two guilds in two shards, before any bot starts."""
    clock_offset = [0]
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(
            LocalDiscord(None, port=0, now=lambda: time.time() + clock_offset[0] / 1000, answer_within=TIMEOUT_SECONDS)
        )
        stack.callback(redirect_clients(discord.url))
        ada = await stack.enter_async_context(PageUser(discord.address, "Ada"))
        shard_pair = ShardPair(discord, url, ada, clock_offset)
        guilds = {(int(guild) >> 22) % 2: guild for guild in discord.world.guilds}
        while len(guilds) < 2:
            guild = discord.world.add_guild("Nebenan")["id"]
            guilds.setdefault((int(guild) >> 22) % 2, guild)
        shard_pair.left_guild, shard_pair.right_guild = guilds[0], guilds[1]
        for guild in guilds.values():
            shard_pair.channel_ids[guild] = discord.world.add_channel("tische", guild_id=guild)["id"]
        yield shard_pair
        assert discord.replies.bot_errors == []
