"""Faults of a database server during play: closed connections, hangs, restarts and failover."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

from tests.postgres.servers import ServerPair

PAUSE = (0.6, 2.0)  # Minimum and maximum seconds between two faults
HANG_SECONDS = (0.5, 4.0)  # Minimum and maximum seconds that a server hangs: about two minutes on the clock of the bots


@dataclass
class ServerFaults:
    """Causes one fault after another from a seed, cycling through all kinds and starting with the worst."""

    servers: ServerPair
    rng: Random
    fault_counts: Counter[str] = field(default_factory=Counter)  # The number of faults of each kind
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def cause_faults(self) -> AsyncIterator[None]:
        """Cause faults until the block ends. Then the servers are up, and the replica has all commits."""
        task = asyncio.create_task(self._run_faults())
        try:
            yield
        finally:
            self._stop.set()
            await task

    async def _run_faults(self) -> None:
        kinds: dict[str, Callable[[], Awaitable[None]]] = {
            "failovers": self._fail_over,
            "cuts": self._cut_connections,
            "restarts": self._restart_server,
            "hangs": self._hang_server,
        }
        while True:
            for name, cause_fault in kinds.items():
                if await self._wait_for_stop(self.rng.uniform(*PAUSE)):
                    return
                await cause_fault()
                self.fault_counts[name] += 1
            # The next cycle uses another random order.
            kinds = dict(self.rng.sample(list(kinds.items()), len(kinds)))

    async def _wait_for_stop(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def _fail_over(self) -> None:
        await self.servers.fail_over()
        await self._wait_for_stop(self.rng.uniform(*PAUSE))
        await self.servers.attach_replica()

    async def _cut_connections(self) -> None:
        await self.servers.primary.close_connections()

    async def _restart_server(self) -> None:
        await self.servers.primary.stop(self.rng.choice((signal.SIGINT, signal.SIGQUIT)))
        await self.servers.primary.start()

    async def _hang_server(self) -> None:
        self.servers.primary.freeze()
        await self._wait_for_stop(self.rng.uniform(*HANG_SECONDS))
        self.servers.primary.thaw()
