"""Several connections to Discord, and several processes: which shards are this one's, and when each may begin."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import discord

from bot.core.logs import logger
from data.store.connection.shards import Shards
from data.store.connection.store_errors import StoreClosed
from data.store.store import Store

log = logger(__name__)

GAP: Final = 5_500
"""In ms. Discord lets one shard of a group say who it is in five seconds; requests take some time, and not the same."""
SCARCE: Final = 100
"""With so few starts left for the day, Discord is asked before each one how many there are."""
AGAIN: Final = 5.0
"""Seconds until starting shards is tried again where that failed for a reason nobody thought of."""
PATIENCE: Final = 5.0
"""Seconds that the store may take to say whose turn it is."""


@dataclass(frozen=True, slots=True)
class Division:
    """What whoever runs the bot says of shards: how many there are, and which ones this process has.

    None is as many as Discord recommends, and all of them.
    """

    count: int | None = None
    numbers: frozenset[int] | None = None

    @property
    def shards(self) -> Shards | None:
        """The shards of this process; None where Discord has yet to say how many there are."""
        if self.count is None:
            return None
        return Shards.all_of(self.count) if self.numbers is None else Shards(self.count, self.numbers)


MOST_SHARDS: Final = 100_000
"""With 2,500 servers each, for 250 million. A number that was mistyped takes no memory until none is left."""
AUTOMATIC: Final = Division()
"""As many as Discord recommends, all of them in this process."""
ONE: Final = Division(1)
"""All servers over one connection."""


def division(count: int | None, numbers: str) -> Division:
    """What `--shards` and `--shard-ids` say, as `16` and `0-3,8`. Raises ValueError with what to tell."""
    if count is not None and count < 1:
        raise ValueError("There is at least one shard: --shards 1, or leave it out.")
    if count is not None and count > MOST_SHARDS:
        raise ValueError(f"No bot has more than {MOST_SHARDS} shards: look at --shards, or leave it out.")
    if not numbers.strip():
        return Division(count)
    if count is None:
        raise ValueError("With --shard-ids, say with --shards how many there are in all; the same in every process.")
    found: set[int] = set()
    for part in numbers.split(","):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError("--shard-ids are numbers and ranges, such as 0-3 or 0,2,5-7.")
        begin, end = int(first), int(last) if dash else int(first)
        if not begin <= end < count:
            raise ValueError(f"--shard-ids go from 0 to {count - 1} with --shards {count}, and ranges go up.")
        found |= set(range(begin, end + 1))
    return Division(count, frozenset(found))


class Starts:
    """When a shard may say who it is. Shards of one group take turns, whichever process they are of."""

    def __init__(
        self,
        http: Any,
        store: Store,
        now: Callable[[], int],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._http = http
        self._sleep = sleep
        self._store = store
        self._now = now
        self._groups = 1
        self._left = 0

    async def may(self, number: int) -> None:
        """Wait until this shard may. Where that cannot be found out, a while."""
        wait = await self._wait(number % self._groups)
        while wait:
            await asyncio.sleep(wait / 1000)
            wait = await self._wait(number % self._groups)
        self._left -= 1

    async def groups(self) -> int:
        """How many shards may say who they are at the same time: Discord's `max_concurrency`."""
        await self.allowed()
        return self._groups

    async def allowed(self) -> None:
        """Wait until there may be a start at all: Discord counts those of a day, and takes a token away that makes too
        many. To be asked before there is a connection, which would not last as long.
        """
        while self._left <= SCARCE:
            try:
                _, _, limits = await self._http.get_bot_gateway()
            except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
                log.warning("Discord does not say how many starts are left", why=type(error).__name__)
                return
            self._groups, self._left = max(1, limits["max_concurrency"]), limits["remaining"]
            if self._left > 0:
                return
            wait = limits["reset_after"] / 1000
            log.error("Discord allows no further start today; the bot waits and starts by itself", seconds=round(wait))
            await self._sleep(wait)

    async def _wait(self, group: int) -> int:
        try:
            async with asyncio.timeout(PATIENCE):
                return min(GAP, await self._store.operations.identify(group, gap=GAP, now=self._now()))
        except StoreClosed:
            raise
        except Exception as error:
            # discord.py's own way: what is lost is some time, not the start.
            log.warning("the database does not say whose turn it is to start", error=type(error).__name__)
            await asyncio.sleep(GAP / 1000)
            return 0


class ShardedClient(discord.AutoShardedClient):
    """A client whose shards start beside one another as far as Discord lets them, and one by one else.

    Those that are there are served while the others start; one that cannot be reached keeps none of them waiting.
    """

    starts: Starts | None = None
    """None where anybody may start at any time."""
    _launching: "asyncio.Task[None] | None" = None

    async def launch_shards(self) -> None:
        """Begin to start them. `connect` goes on at once, so that a shard that is lost meanwhile comes back."""
        if not self.is_closed():
            self._launching = asyncio.create_task(self._until_launched())

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait for this shard's turn."""
        if self.starts is not None:
            await self.starts.may(shard_id or 0)

    async def close(self) -> None:
        """Start no more of them."""
        if self._launching is not None:
            self._launching.cancel()
        await super().close()

    async def _until_launched(self) -> None:
        """Nobody else looks whether they have been started."""
        while True:
            try:
                await self._launch_all()
            except StoreClosed:
                return
            except Exception:
                log.exception("shards could not be started; it is tried again")
                await asyncio.sleep(AGAIN)
            else:
                return

    async def _launch_all(self) -> None:
        numbers = [number for number in self.shard_ids or () if number not in self.shards]
        together = max(1, len(numbers)) if self.starts is None else await self.starts.groups()
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for number in numbers:
            groups[number % together].append(number)
        async with asyncio.TaskGroup() as tasks:
            for group in groups.values():
                tasks.create_task(self._launch(group))

    async def _launch(self, group: list[int]) -> None:
        for number in group:
            if self.starts is not None:
                await self.starts.allowed()
            await self.launch_shard(discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY, number)
