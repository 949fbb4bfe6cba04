"""Computer seats: they see what their seat may see and act through the same door as people."""

from collections.abc import Awaitable, Callable
from random import Random

from bot.service.matches import Matches, head_is_computers
from bot.service.refusals import No, Refused
from bot.service.tables import Tables
from engine.players import greedy
from engine.seen import see


class Computers:
    """Plays the seats that belong to a computer."""

    def __init__(self, tables: Tables, matches: Matches, rng: Random) -> None:
        self._tables = tables
        self._matches = matches
        self._rng = rng

    async def play(self, match_id: int, shown: Callable[[int], Awaitable[None]]) -> None:
        """Let computers move until a person is to act; `shown` is told of each move."""
        while True:
            table = await self._tables.load(match_id)
            if not head_is_computers(table.head) or table.face.time.paused:
                return
            match = table.match
            action = greedy.choose(see(match, match.turn), self._rng)
            try:
                await self._matches.act_for_computer(table, action)
            except Refused as refused:
                if refused.why is not No.STALE:
                    raise
            await shown(match_id)
