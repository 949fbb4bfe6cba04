"""Sharding over connections and processes: the shards of this process, and when each may identify."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp
import discord

from bot.core.logs import get_logger
from data.store.connection.shards import Shards
from data.store.connection.store_errors import StoreClosed
from data.store.store import Store

log = get_logger(__name__)
# ms. Discord allows one identify in five seconds for a group of shards; requests vary in length.
IDENTIFY_GAP: Final = 5_500
FEW_IDENTIFIES: Final = 100  # with fewer identifies left for the day, Discord is asked before each
RETRY_SECONDS: Final = 5.0  # seconds until a retry after an unexpected failure
STORE_TIMEOUT: Final = 5.0  # seconds for the store to grant an identify


@dataclass(frozen=True, slots=True)
class ShardAssignment:
    """The configured shards: their total, and those of this process. None is Discord's recommendation, and all."""

    count: int | None = None
    numbers: frozenset[int] | None = None

    @property
    def shards(self) -> Shards | None:
        """The shards of this process; None until Discord has recommended a number."""
        if self.count is None:
            return None
        return Shards.from_count(self.count) if self.numbers is None else Shards(self.count, self.numbers)


MAX_SHARDS: Final = 100_000  # 2,500 guilds each make 250 million; a typo must not exhaust memory
AUTOMATIC: Final = ShardAssignment()  # as many as Discord recommends, all in this process
ONE_SHARD: Final = ShardAssignment(1)  # all guilds over one connection


def parse_shards(count: int | None, numbers: str) -> ShardAssignment:
    """Parse `--shards` and `--shard-ids`, such as `16` and `0-3,8`. Raises ValueError with what to print."""
    if count is not None and count < 1:
        raise ValueError("Use at least one shard: --shards 1, or leave it out.")
    if count is not None and count > MAX_SHARDS:
        raise ValueError(f"No bot has more than {MAX_SHARDS} shards: look at --shards, or leave it out.")
    if not numbers.strip():
        return ShardAssignment(count)
    if count is None:
        raise ValueError("--shard-ids needs --shards with the total number, the same in every process.")
    shard_ids: set[int] = set()
    for part in numbers.split(","):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError("--shard-ids are numbers and ranges, such as 0-3 or 0,2,5-7.")
        begin, end = int(first), int(last) if dash else int(first)
        if not begin <= end < count:
            raise ValueError(f"--shard-ids go from 0 to {count - 1} with --shards {count}, and ranges go up.")
        shard_ids |= set(range(begin, end + 1))
    return ShardAssignment(count, frozenset(shard_ids))


@dataclass(eq=False)
class IdentifyLimiter:
    """Grants identifies. Shards of one group take turns, across processes."""

    _http: Any
    _store: Store
    _now: Callable[[], int]
    _sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    _groups: int = field(default=1, init=False)
    _left: int = field(default=0, init=False)

    async def wait_to_identify(self, number: int) -> None:
        """Wait until this shard may identify, or for a while if the store does not answer."""
        wait = await self._claim_identify(number % self._groups)
        while wait:
            await asyncio.sleep(wait / 1000)
            wait = await self._claim_identify(number % self._groups)
        self._left -= 1

    async def count_groups(self) -> int:
        """Return how many shards may identify at once: Discord's `max_concurrency`."""
        await self.wait_for_daily_limit()
        return self._groups

    async def wait_for_daily_limit(self) -> None:
        """Wait for Discord's daily limit of identifies, before connecting: a connection would time out."""
        while self._left <= FEW_IDENTIFIES:
            try:
                _, _, limits = await self._http.get_bot_gateway()
            except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
                log.warning("the number of remaining starts is unknown", why=type(error).__name__)
                return
            self._groups, self._left = max(1, limits["max_concurrency"]), limits["remaining"]
            if self._left > 0:
                return
            wait = limits["reset_after"] / 1000
            log.error("Discord allows no more starts today; the bot waits and then starts", seconds=round(wait))
            await self._sleep(wait)

    async def _claim_identify(self, group: int) -> int:
        try:
            async with asyncio.timeout(STORE_TIMEOUT):
                wait = await self._store.operations.reserve_identify(group, gap=IDENTIFY_GAP, now=self._now())
                return min(IDENTIFY_GAP, wait)
        except StoreClosed:
            raise
        except Exception as error:
            # As discord.py does: this costs time, but no start.
            log.warning("the database did not grant a turn to start", error=type(error).__name__)
            await asyncio.sleep(IDENTIFY_GAP / 1000)
            return 0


class ShardedClient(discord.AutoShardedClient):
    """A client whose shards start in parallel as far as Discord allows, and serve while others start."""

    identify_limiter: IdentifyLimiter | None = None  # None: no limit
    _launching: "asyncio.Task[None] | None" = None

    async def launch_shards(self) -> None:
        """Start the shards in the background, so that `connect` can handle reconnects at once."""
        if not self.is_closed():
            self._launching = asyncio.create_task(self._launch_until_done())

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        if self.identify_limiter is not None:
            await self.identify_limiter.wait_to_identify(shard_id or 0)

    async def close(self) -> None:
        if self._launching is not None:
            self._launching.cancel()
        await super().close()

    async def _launch_until_done(self) -> None:
        while True:
            try:
                await self._launch_all()
            except StoreClosed:
                return
            except Exception:
                log.exception("shards could not be started; retrying")
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return

    async def _launch_all(self) -> None:
        numbers = [number for number in self.shard_ids or () if number not in self.shards]
        limiter = self.identify_limiter
        group_count = max(1, len(numbers)) if limiter is None else await limiter.count_groups()
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for number in numbers:
            groups[number % group_count].append(number)
        async with asyncio.TaskGroup() as tasks:
            for group in groups.values():
                tasks.create_task(self._launch(group))

    async def _launch(self, group: list[int]) -> None:
        for number in group:
            if self.identify_limiter is not None:
                await self.identify_limiter.wait_for_daily_limit()
            await self.launch_shard(discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY, number)
