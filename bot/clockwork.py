"""What happens without anybody asking: computers move, lobbies expire, reminders and deadlines fall due, unsent
messages are sent again.

Everything due stands in the store (`due_at`, the outbox, `shown_seq`), so a restart forgets nothing. So does the pulse,
by which the bot knows for how long nobody could play, and gives that time back.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from bot.announce import Announcer
from bot.logs import logger
from bot.service.absence import Absence
from bot.service.computers import Computers
from bot.service.lobby import Lobby
from bot.service.refusals import Refused
from data.store import Head, Outage, Store

log = logger(__name__)

BATCH: Final = 50

PULSE: Final = "bot"
BEAT: Final = 30_000
"""Between two notes that the bot is there, in ms."""
OUTAGE: Final = 120_000
"""A longer silence of the bot is given back to everybody whose clock ran, in ms."""


class Clockwork:
    """Does what is due."""

    def __init__(
        self,
        store: Store,
        lobby: Lobby,
        absence: Absence,
        computers: Computers,
        announcer: Announcer,
        now: Callable[[], int],
    ) -> None:
        self._store = store
        self._absence = absence
        self._lobby = lobby
        self._computers = computers
        self._announcer = announcer
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}
        self._beat_at: int | None = None
        self.connected = True
        """Whether Discord can be heard. While it cannot, no time runs out: nobody could play."""

    def soon(self, match_id: int) -> None:
        """Let the computers of a table move, if it is their turn. They need not wait for the next sweep."""
        running = self._running.get(match_id)
        if running is None or running.done():
            self._running[match_id] = asyncio.create_task(self._computers_move(match_id))

    async def sweep(self) -> None:
        """Do everything that is due and not being done."""
        if not self.connected:
            return
        await self.beat()
        # Before anything falls due: what the store says is due does not know of an outage yet.
        given = await self._absence.outages.settle(self._now())
        if given:
            log.info("time of an outage given back", clocks=len(given))
        for head in await self._store.heads_due(self._now(), limit=BATCH):
            try:
                await self._act(head)
            except Exception:
                # One table that cannot be served must not stop the clocks of the others.
                log.exception("what is due at a table could not be done", match=head.match_id)
        await self._announcer.sweep()

    async def beat(self) -> None:
        """Note that the bot is there. Where it was not for a while, that is kept in the same transaction: from then on
        everybody who looks at a clock finds that time given back.
        """
        now = self._now()
        if self._beat_at is not None and 0 <= now - self._beat_at < BEAT:
            return
        last = (await self._store.pulses()).get(PULSE)
        if last is not None and now - last > OUTAGE:
            if await self._store.note_outage(PULSE, Outage(start=last, end=now)):
                log.info("an outage is to be given back", seconds=(now - last) // 1000)
        else:
            await self._store.pulse(PULSE, now=now)
        await self._absence.outages.look()
        self._beat_at = now

    async def _act(self, head: Head) -> None:
        assert head.due is not None
        match head.due.kind:
            case "computer":
                self.soon(head.match_id)
                return
            case "expire":
                try:
                    await self._lobby.expire(head.match_id)
                except Refused:
                    log.info("a table was not a lobby any more", match=head.match_id)
                    return
            case _:
                if not await self._absence.due(head):
                    return
                self.soon(head.match_id)
        self._announcer.refresh(head.match_id)

    async def _computers_move(self, match_id: int) -> None:
        async def shown(match_id: int) -> None:
            self._announcer.refresh(match_id)

        try:
            await self._computers.play(match_id, shown)
        except Exception:
            log.exception("the computers of a table could not move", match=match_id)
        finally:
            self._running.pop(match_id, None)
