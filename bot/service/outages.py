"""Time in which nobody could play, because the bot or Discord was away, is given back."""

from dataclasses import replace
from typing import Final

from bot.service.clockhand import Clockhand, Note
from bot.service.clocks import credited
from bot.service.matches import TRIES
from bot.service.tables import Tables
from data.store import Store

EVER: Final = 2**62
"""Later than anything is due."""
ALL: Final = 1_000_000
"""More tables than one bot has."""


class Outages:
    """Gives it back."""

    def __init__(self, store: Store, tables: Tables, hand: Clockhand) -> None:
        self._store = store
        self._tables = tables
        self._hand = hand

    async def credit(self, start: int, end: int) -> list[int]:
        """Nobody could play from `start` to `end`: every running clock gets that back. Which matches did.

        Each match remembers what it was given, so a crash half way, or another process at it too, does no harm.
        """
        given = []
        for head in await self._store.heads_due(EVER, limit=ALL):
            ticking = head.state == "open" and head.due is not None and head.due.kind != "computer"
            if ticking and await self._credit(head.match_id, start, end):
                given.append(head.match_id)
        return given

    async def _credit(self, match_id: int, start: int, end: int) -> bool:
        for _ in range(TRIES):
            table = await self._tables.load(match_id)
            if table.head.state != "open":
                return False
            face = table.face
            time = credited(face.time, start, end)
            if time == face.time:
                return False
            until = face.watch.until
            if until is not None:
                until += end - max(start, face.time.credited)
            face = replace(face, time=time, watch=replace(face.watch, until=until))
            note = Note(kind="credited", facts={"start": start, "end": end})
            if await self._hand.tried(self._hand.write(table, face, note)):
                return True
        return False
