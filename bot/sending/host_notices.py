"""One direct message to the host of a table whose channel is closed to the bot."""

import asyncio
from collections.abc import Callable
from typing import Final

from bot.core.discord_errors import FAILURES, code_of, wait_after
from bot.core.languages import Languages
from bot.core.logs import bound, logger
from bot.sending.sender import Outgoing, Sender
from data.store.connection.store_errors import StoreClosed
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store

log = logger(__name__)

PROBE: Final = 24 * 3600 * 1000  # ms after which a closed channel is tried again


class HostNotices:
    """Writes to hosts, with one task for each table: an unreachable host delays no other host."""

    def __init__(self, sender: Sender, store: Store, languages: Languages, now: Callable[[], int]) -> None:
        self._sender = sender
        self._store = store
        self._languages = languages
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}
        self._attempts: dict[int, int] = {}

    @property
    def running(self) -> list[asyncio.Task[None]]:
        return list(self._running.values())

    def tell(self, row: OutboxRow) -> None:
        """Start to notify the host of the closed table of this row, unless that is running."""
        if row.match_id not in self._running:
            self._running[row.match_id] = asyncio.create_task(self._notify(row))

    async def _notify(self, row: OutboxRow) -> None:
        with bound(match=row.match_id):
            try:
                await self._try(row)
            except StoreClosed:
                log.info("the host is told after the next start")
            except Exception:
                log.exception("the host could not be told")
            finally:
                if self._running.get(row.match_id) is asyncio.current_task():
                    del self._running[row.match_id]

    async def _try(self, row: OutboxRow) -> None:
        """Try once. If an earlier attempt may have arrived, `send` looks for it first."""
        try:
            await self._write(row)
        except FAILURES as error:
            attempts = self._attempts.get(row.match_id, 0)
            self._attempts[row.match_id] = attempts + 1
            wait = wait_after(error, attempts)
            log.warning("the host could not be told yet", code=code_of(error), seconds=wait // 1000)
            await self._store.outbox.put_off(row, self._now() + wait, now=self._now())
        else:
            self._attempts.pop(row.match_id, None)
            await self._store.outbox.take(row, now=self._now(), until=self._now() + PROBE)

    async def _write(self, row: OutboxRow) -> None:
        head = await self._store.matches.head(row.match_id)
        if head is None or head.state not in ("lobby", "open"):
            return
        messages = self._languages.messages_alone(
            await self._store.users.person(head.host_id), await self._languages.messages_at(head.guild_id)
        )
        outgoing = Outgoing(*messages.closed(head, int(row.body["code"])))
        if await self._sender.send_direct(head.host_id, outgoing, nonce=row.nonce, since=row.created_at) is None:
            log.info("the host takes no direct messages, so only /tiles games says it")
