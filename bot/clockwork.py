"""What happens without anybody asking: computers move, lobbies expire, unsent messages are sent again.

Everything due stands in the store (`due_at`, the outbox, `shown_seq`), so a restart forgets nothing.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from bot.announce import Announcer
from bot.service.computers import Computers
from bot.service.lobby import Lobby
from bot.service.refusals import Refused
from data.store import Head, Store

log = logging.getLogger(__name__)

BATCH: Final = 50


class Clockwork:
    """Does what is due."""

    def __init__(
        self, store: Store, lobby: Lobby, computers: Computers, announcer: Announcer, now: Callable[[], int]
    ) -> None:
        self._store = store
        self._lobby = lobby
        self._computers = computers
        self._announcer = announcer
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}

    def soon(self, match_id: int) -> None:
        """Let the computers of a table move, if it is their turn. They need not wait for the next sweep."""
        running = self._running.get(match_id)
        if running is None or running.done():
            self._running[match_id] = asyncio.create_task(self._computers_move(match_id))

    async def sweep(self) -> None:
        """Do everything that is due and not being done."""
        for head in await self._store.heads_due(self._now(), limit=BATCH):
            await self._act(head)
        await self._announcer.sweep()

    async def _act(self, head: Head) -> None:
        assert head.due is not None
        if head.due.kind == "computer":
            self.soon(head.match_id)
            return
        try:
            await self._lobby.expire(head.match_id)
        except Refused:
            log.info("table %s was not a lobby any more", head.match_id)
            return
        self._announcer.refresh(head.match_id)

    async def _computers_move(self, match_id: int) -> None:
        async def shown(match_id: int) -> None:
            self._announcer.refresh(match_id)

        try:
            await self._computers.play(match_id, shown)
        except Exception:
            log.exception("the computers of table %s could not move", match_id)
        finally:
            self._running.pop(match_id, None)
