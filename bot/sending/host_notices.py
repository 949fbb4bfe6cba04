"""One direct message to the host of a table whose channel is closed to the bot."""

import asyncio
from collections.abc import Callable
from typing import Final

from structlog.contextvars import bound_contextvars

from bot.core.discord_errors import REQUEST_ERRORS, compute_retry_delay, format_error_code
from bot.core.languages import Languages
from bot.core.logs import get_logger
from bot.sending.sender import Outgoing, Sender
from data.store.connection.store_errors import StoreClosed
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store

log = get_logger(__name__)

PROBE_INTERVAL: Final = 24 * 3600 * 1000  # ms after which a closed channel is tried again


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
    def running_tasks(self) -> list[asyncio.Task[None]]:
        return list(self._running.values())

    def start_notice(self, row: OutboxRow) -> None:
        """Start to notify the host of the closed table of this row, unless that is running."""
        if row.match_id not in self._running:
            self._running[row.match_id] = asyncio.create_task(self._notify(row))

    async def _notify(self, row: OutboxRow) -> None:
        with bound_contextvars(match=row.match_id):
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
        except REQUEST_ERRORS as error:
            attempts = self._attempts.get(row.match_id, 0)
            self._attempts[row.match_id] = attempts + 1
            wait = compute_retry_delay(error, attempts)
            log.warning("the host could not be told yet", code=format_error_code(error), seconds=wait // 1000)
            await self._store.outbox.postpone(row, self._now() + wait, now=self._now())
        else:
            self._attempts.pop(row.match_id, None)
            await self._store.outbox.lease(row, now=self._now(), until=self._now() + PROBE_INTERVAL)

    async def _write(self, row: OutboxRow) -> None:
        head = await self._store.matches.find_head(row.match_id)
        if head is None or head.state not in ("lobby", "open"):
            return
        messages = self._languages.build_direct_messages(
            await self._store.users.load_person(head.host_id), await self._languages.load_guild_messages(head.guild_id)
        )
        outgoing = Outgoing(*messages.build_closed(head, int(row.body["code"])))
        if await self._sender.send_direct(head.host_id, outgoing, nonce=row.nonce, since=row.created_at) is None:
            log.info("the host takes no direct messages, so only /tiles games says it")
