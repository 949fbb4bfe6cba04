"""Hints: what somebody might do, found once for each position, however often they ask."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from bot.service.tables import Table
from bot.service.thinking import Chooser
from engine.players.hints import Hint, hint
from engine.seen import see

KEPT: Final = 1_000
"""Hints that are remembered; one that is forgotten is found again."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A hint, and the level of the computer that would make this move."""

    hint: Hint
    level: str


class Hints:
    """Asks the strongest player where one is free. For each person it thinks about one position at a time."""

    def __init__(self, thinking: Chooser) -> None:
        self._thinking = thinking
        self._found: OrderedDict[tuple[int, int, int], asyncio.Task[Advice]] = OrderedDict()
        """By table, move and seat."""
        self._asking: set[int] = set()
        """For whom somebody thinks now."""

    async def of(self, table: Table, seat: int, user_id: int) -> Advice:
        """What the person on this seat, whose turn it is, might do. The same position has the same hint."""
        key = table.head.match_id, table.head.seq, seat
        task = self._found.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._found[key] = asyncio.create_task(self._advice(table, seat, user_id))
            while len(self._found) > KEPT:
                self._found.popitem(last=False)
        # Others may wait for it: it does not end with the request of the first.
        return await asyncio.shield(task)

    async def _advice(self, table: Table, seat: int, user_id: int) -> Advice:
        seen, at_once = see(table.match, seat), user_id in self._asking
        if at_once:
            level, action = await self._thinking.advise(seen, whose=user_id, seed=table.head.seq, at_once=True)
        else:
            self._asking.add(user_id)
            try:
                level, action = await self._thinking.advise(seen, whose=user_id, seed=table.head.seq, at_once=False)
            finally:
                self._asking.discard(user_id)
        return Advice(hint(seen, action), level)
