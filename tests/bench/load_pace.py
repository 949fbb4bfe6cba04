"""When the people at many tables move: as fast as the bot can, or so many a second at random moments."""

from __future__ import annotations

import asyncio
from random import Random


class Pace:
    """Tables wait here for their next turn. With a `rate`, turns begin at random moments, so many a second on average,
    however slow the bot is; else `at_once` turns are always under way."""

    def __init__(self, rng: Random, *, at_once: int = 1) -> None:
        self._rng = rng
        self.at_once = at_once
        self.rate: float | None = None
        self.unserved = 0
        """Moments at which no table was ready to move."""
        self._under_way = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._beating: asyncio.Task[None] | None = None

    def set_rate(self, rate: float | None) -> None:
        """Another pace from now on."""
        self.rate, self.unserved = rate, 0
        if self._beating is not None:
            self._beating.cancel()
            self._beating = None
        if rate is None:
            self._fill()
        else:
            self._beating = asyncio.create_task(self._beat(rate))

    async def turn(self) -> None:
        """Wait until it is time to move."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(ready)
        self._fill()
        await ready

    def over(self) -> None:
        """A turn has ended."""
        self._under_way -= 1
        self._fill()

    def _fill(self) -> None:
        while self.rate is None and self._waiting and self._under_way < self.at_once:
            self._begin()

    async def _beat(self, rate: float) -> None:
        loop = asyncio.get_running_loop()
        at = loop.time()
        while True:
            at += self._rng.expovariate(rate)  # by the clock: a late wake-up does not slow the rate down
            await asyncio.sleep(max(0.0, at - loop.time()))
            if self._waiting:
                self._begin()
            else:
                self.unserved += 1

    def _begin(self) -> None:
        ready = self._waiting.pop(self._rng.randrange(len(self._waiting)))
        self._under_way += 1
        if not ready.done():
            ready.set_result(None)
