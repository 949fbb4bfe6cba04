"""Computer seats: they get the view of their seat and act like players."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
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

# Range in ms from a move to a computer's answer, so that players see each move and thinking time reveals nothing.
UNHURRIED: Final = 700, 1600
AT_ONCE: Final = 0, 0


@dataclass(eq=False)
class Computers:
    tables: Tables
    acts: Acts
    thinking: Chooser
    programs: Programs
    now: Now
    rng: Random
    pace: tuple[int, int] = AT_ONCE
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self, match_id: int, shown: Callable[[int], Awaitable[None]]) -> Table:
        """Let computers move until a player's turn; `shown` is called after each move. Raises Ended."""
        table = await self.tables.load(match_id)
        pause, first = self.rng.randint(*self.pace), True
        while True:
            head = table.head
            if head.state != "open" or head.turn is None or head.turn.user is not None or table.clock.time.paused:
                return table
            action, instead = await self._chosen(table, head.turn.seat)
            longest = self.thinking.longest(table.seats[head.turn.seat].computer)
            if pause and (first or longest) and not table.state.practice:
                # The thinking time depends on the hand; the pause hides it.
                later = max(0, longest - self.pace[0])
                await self._wait(table.clock.watch.began + pause + later - self.now(), self.pace[1] + later)
                pause, first = self.pace[0], False
            try:
                table = (await self.acts.act(match_id, ActFor(action, table.state.seq, instead), seen=table)).table
            except Refused as refused:
                if refused.why is not No.STALE:
                    raise
                table = await self.tables.load(match_id)
            await shown(match_id)

    async def _chosen(self, table: Table, seat: int) -> tuple[Action, Stumble | None]:
        """Return the action of a seat, and why its program did not choose it, if it has one."""
        # A stand-in for a player has no level.
        name, whose = table.seats[seat].computer, table.head.host_id or table.head.guild_id
        seen, instead = view_for(table.match, table.match.turn), None
        if (program := table.state.programs.get(seat)) is not None:
            if not table.state.stumbled(seat).out:
                try:
                    return await self.programs.choose(program, seen, whose=whose), None
                except Unthought as failed:
                    instead = failed.why
            name = None
        return await self.thinking.choose(name, seen, whose=whose), instead

    async def _wait(self, ms: int, most: int) -> None:
        try:
            async with asyncio.timeout(max(0, min(ms, most)) / 1000):
                await self._ended.wait()
        except TimeoutError:
            return
        raise Ended

    async def end(self) -> None:
        self._ended.set()
        await asyncio.gather(self.thinking.end(), self.programs.workers.end())
