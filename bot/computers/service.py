"""Computer seats: they see what their seat may see and act through the same way in as people."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Final

from bot.computers.external_players import Programs
from bot.computers.player_names import Unthought
from bot.computers.thinking import Chooser
from bot.computers.worker_pool import Ended
from bot.tables.acts import Acts, Now
from bot.tables.service import Table, Tables
from engine.match.actions import Action
from engine.match.player_view import view_for
from engine.table.commands import ActFor
from engine.table.refusals import No, Refused
from engine.table.table_state import Stumble

UNHURRIED: Final = 700, 1600
"""Between so many ms a computer's move comes after what it answers, where several people play: they see what was done
before it changes again, and how long a computer thinks says nothing about its hand: whoever thinks for long comes later
by as much as it may take. Of several in a row only those are waited for again who think for long.
"""
AT_ONCE: Final = 0, 0


class Computers:
    """Plays the seats that belong to a computer."""

    def __init__(
        self,
        tables: Tables,
        acts: Acts,
        thinking: Chooser,
        programs: Programs,
        now: Now,
        rng: Random,
        *,
        pace: tuple[int, int] = AT_ONCE,
    ) -> None:
        self._tables = tables
        self._acts = acts
        self._thinking = thinking
        self._programs = programs
        self._now = now
        self._rng = rng
        self._pace = pace
        self._ended = asyncio.Event()

    async def play(self, match_id: int, shown: Callable[[int], Awaitable[None]]) -> Table:
        """Let computers move until a person is to act, as the table then is; `shown` is told of each move.

        Raises Ended where the bot ends before one has made up its mind: its turn stands in the store.
        """
        table = await self._tables.load(match_id)
        pause, first = self._rng.randint(*self._pace), True
        while True:
            head = table.head
            if head.state != "open" or head.turn is None or head.turn.user is not None or table.clock.time.paused:
                return table
            action, instead = await self._chosen(table, head.turn.seat)
            longest = self._thinking.longest(table.seats[head.turn.seat].computer)
            if pause and (first or longest) and not table.state.practice:
                # The more moves a hand has, the longer they are thought about: all of it happens within the pause.
                later = max(0, longest - self._pace[0])
                await self._wait(table.clock.watch.began + pause + later - self._now(), self._pace[1] + later)
                pause, first = self._pace[0], False
            try:
                table = (await self._acts.act(match_id, ActFor(action, table.state.seq, instead), seen=table)).table
            except Refused as refused:
                if refused.why is not No.STALE:
                    raise
                table = await self._tables.load(match_id)
            await shown(match_id)

    async def _chosen(self, table: Table, seat: int) -> tuple[Action, Stumble | None]:
        """What a seat does, and why its program did not, where it has one that was asked in vain."""
        # Who stands in for a person has no name of its own.
        name, whose = table.seats[seat].computer, table.head.host_id or table.head.guild_id
        seen, instead = view_for(table.match, table.match.turn), None
        if (program := table.state.programs.get(seat)) is not None:
            if not table.state.stumbled(seat).out:
                try:
                    return await self._programs.choose(program, seen, whose=whose), None
                except Unthought as failed:
                    instead = failed.why
            name = None
        return await self._thinking.choose(name, seen, whose=whose), instead

    async def _wait(self, ms: int, most: int) -> None:
        try:
            async with asyncio.timeout(max(0, min(ms, most)) / 1000):
                await self._ended.wait()
        except TimeoutError:
            return
        raise Ended

    async def end(self) -> None:
        """Nobody thinks or waits any more."""
        self._ended.set()
        await asyncio.gather(self._thinking.end(), self._programs.workers.end())
