"""Computer seats: they see what their seat may see and act through the same way in as people."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Final

from bot.service.acts import Acts, Now
from bot.service.tables import Table, Tables
from bot.service.thinking import Chooser
from bot.service.workers import Ended
from engine.seen import see
from engine.table import No, Refused
from engine.table.commands import ActFor

UNHURRIED: Final = 700, 1600
"""Between so many ms a computer's move comes after what it answers, where several people play: they see what was done
before it changes again, and how long a computer thinks says nothing about its hand. Several computers in a row are
waited for once.
"""
AT_ONCE: Final = 0, 0


class Computers:
    """Plays the seats that belong to a computer."""

    def __init__(
        self,
        tables: Tables,
        acts: Acts,
        thinking: Chooser,
        now: Now,
        rng: Random,
        *,
        pace: tuple[int, int] = AT_ONCE,
    ) -> None:
        self._tables = tables
        self._acts = acts
        self._thinking = thinking
        self._now = now
        self._rng = rng
        self._pace = pace
        self._ended = asyncio.Event()

    async def play(self, match_id: int, shown: Callable[[int], Awaitable[None]]) -> Table:
        """Let computers move until a person is to act, as the table then is; `shown` is told of each move.

        Raises Ended where the bot ends before one has made up its mind: its turn stands in the store.
        """
        table = await self._tables.load(match_id)
        pause = self._rng.randint(*self._pace)
        while True:
            head = table.head
            if head.state != "open" or head.turn is None or head.turn.user is not None or table.clock.time.paused:
                return table
            # Who stands in for a person has no name of its own.
            name, whose = table.seats[head.turn.seat].computer, head.host_id or head.guild_id
            action = await self._thinking.choose(name, see(table.match, table.match.turn), whose=whose)
            if pause and not table.state.practice:
                await self._wait(table.clock.watch.began + pause - self._now())
                pause = 0
            try:
                table = (await self._acts.act(match_id, ActFor(action, table.state.seq), seen=table)).table
            except Refused as refused:
                if refused.why is not No.STALE:
                    raise
                table = await self._tables.load(match_id)
            await shown(match_id)

    async def _wait(self, ms: int) -> None:
        try:
            async with asyncio.timeout(max(0, min(ms, self._pace[1])) / 1000):
                await self._ended.wait()
        except TimeoutError:
            return
        raise Ended

    async def end(self) -> None:
        """Nobody thinks or waits any more."""
        self._ended.set()
        await self._thinking.end()
