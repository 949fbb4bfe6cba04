"""Faults of a database server during play: closed connections, hangs, restarts and failover."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

from tests.postgres.servers import Pair

PAUSE = (0.6, 2.0)  # Minimum and maximum seconds between two faults
HANGS = (0.5, 4.0)  # Minimum and maximum seconds that a server hangs: about two minutes on the clock of the bots


@dataclass
class ServerFaults:
    """Causes one fault after another from a seed, cycling through all kinds and starting with the worst."""

    both: Pair
    rng: Random
    felt: Counter[str] = field(default_factory=Counter)  # The number of faults of each kind
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def shaking(self) -> AsyncIterator[None]:
        """Cause faults until the block ends. Then the servers are up, and the replica has all commits."""
        task = asyncio.create_task(self._shake())
        try:
            yield
        finally:
            self._over.set()
            await task

    async def _shake(self) -> None:
        kinds: dict[str, Callable[[], Awaitable[None]]] = {
            "failovers": self._fail_over,
            "cuts": self._cut,
            "restarts": self._restart,
            "hangs": self._hang,
        }
        while True:
            for name, quake in kinds.items():
                if await self._is_over(self.rng.uniform(*PAUSE)):
                    return
                await quake()
                self.felt[name] += 1
            # The next cycle uses another random order.
            kinds = dict(self.rng.sample(list(kinds.items()), len(kinds)))

    async def _is_over(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._over.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def _fail_over(self) -> None:
        await self.both.fail_over()
        await self._is_over(self.rng.uniform(*PAUSE))
        await self.both.attach()

    async def _cut(self) -> None:
        await self.both.primary.cut()

    async def _restart(self) -> None:
        await self.both.primary.stop(self.rng.choice((signal.SIGINT, signal.SIGQUIT)))
        await self.both.primary.start()

    async def _hang(self) -> None:
        self.both.primary.freeze()
        await self._is_over(self.rng.uniform(*HANGS))
        self.both.primary.thaw()
