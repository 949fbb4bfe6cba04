"""Computer seats: they get the view of their seat and act like players."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from bot.computers.external_players import ExternalPlayers
from bot.computers.player_names import ComputationError
from bot.computers.thinking import MoveChooser
from bot.computers.worker_pool import ShutdownError
from bot.tables.acts import Now, TableActions
from bot.tables.service import Table, TableCache
from engine.match.actions import Action
from engine.match.player_view import view_for
from engine.table.commands import TakeComputerAction
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_state import Stumble

# Range in ms from a move to a computer's answer, so that players see each move and thinking time reveals nothing.
MOVE_DELAY: Final = 700, 1600
NO_DELAY: Final = 0, 0


@dataclass(eq=False)
class ComputerPlayers:
    tables: TableCache
    acts: TableActions
    thinking: MoveChooser
    programs: ExternalPlayers
    now: Now
    rng: Random
    delay: tuple[int, int] = NO_DELAY
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self, match_id: int, on_move: Callable[[int], Awaitable[None]]) -> Table:
        """Let computers move until a player's turn; `on_move` is called after each move. Raises ShutdownError."""
        table = await self.tables.load(match_id)
        pause, first = self.rng.randint(*self.delay), True
        while True:
            head = table.head
            if head.state != "open" or head.turn is None or head.turn.user is not None or table.clock.time.paused:
                return table
            action, stumble = await self._choose_action(table, head.turn.seat)
            time_limit = self.thinking.get_time_limit(table.seats[head.turn.seat].computer)
            if pause and (first or time_limit) and not table.state.is_practice:
                # The thinking time depends on the hand; the pause hides it.
                extra = max(0, time_limit - self.delay[0])
                await self._wait(table.clock.watch.began + pause + extra - self.now(), self.delay[1] + extra)
                pause, first = self.delay[0], False
            command = TakeComputerAction(action, table.state.seq, stumble)
            try:
                table = (await self.acts.act(match_id, command, cached_table=table)).table
            except RefusalError as refused:
                if refused.why is not Refusal.STALE:
                    raise
                table = await self.tables.load(match_id)
            await on_move(match_id)

    async def _choose_action(self, table: Table, seat: int) -> tuple[Action, Stumble | None]:
        """Return the action of a seat, and why its program did not choose it, if it has one."""
        # A stand-in for a player has no level.
        name, owner_id = table.seats[seat].computer, table.head.host_id or table.head.guild_id
        view, stumble = view_for(table.match, table.match.turn), None
        if (program := table.state.programs.get(seat)) is not None:
            if not table.state.get_stumbles(seat).is_excluded:
                try:
                    return await self.programs.choose(program, view, owner_id=owner_id), None
                except ComputationError as failed:
                    stumble = failed.why
            name = None
        return await self.thinking.choose(name, view, owner_id=owner_id), stumble

    async def _wait(self, ms: int, most: int) -> None:
        try:
            async with asyncio.timeout(max(0, min(ms, most)) / 1000):
                await self._stopped.wait()
        except TimeoutError:
            return
        raise ShutdownError

    async def end(self) -> None:
        self._stopped.set()
        await asyncio.gather(self.thinking.end(), self.programs.workers.end())
