"""Computer seats: they see what their seat may see and act through the same way in as people."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Final

from bot.service.acts import Acts
from bot.service.tables import Table, Tables
from engine.players import greedy
from engine.seen import see
from engine.table import No, Refused
from engine.table.commands import ActFor
from engine.table.seats import GENTLE, GREEDY

PLAYERS: Final = {GREEDY: greedy.choose, GENTLE: greedy.choose_gently}
"""How the players of computer seats choose, by the names that a log has for them."""


class Computers:
    """Plays the seats that belong to a computer."""

    def __init__(self, tables: Tables, acts: Acts, rng: Random) -> None:
        self._tables = tables
        self._acts = acts
        self._rng = rng

    async def play(self, match_id: int, shown: Callable[[int], Awaitable[None]]) -> Table:
        """Let computers move until a person is to act, as the table then is; `shown` is told of each move."""
        table = await self._tables.load(match_id)
        while True:
            head = table.head
            if head.state != "open" or head.turn is None or head.turn.user is not None or table.clock.time.paused:
                return table
            # Who stands in for a person has no name of its own.
            choose = PLAYERS[table.seats[head.turn.seat].computer or GREEDY]
            action = choose(see(table.match, table.match.turn), self._rng)
            try:
                table = (await self._acts.act(match_id, ActFor(action, table.state.seq), seen=table)).table
            except Refused as refused:
                if refused.why is not No.STALE:
                    raise
                table = await self._tables.load(match_id)
            await shown(match_id)
