"""Schedule the public messages of tables: soon after each act, again after a failure, and not while the bot cannot
write to a channel.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import discord
from structlog.contextvars import bound_contextvars

from bot.core import discord_errors
from bot.core.discord_errors import (
    REQUEST_ERRORS,
    compute_retry_delay,
    format_error_code,
    is_channel_error,
    is_transient,
    is_wait_over,
)
from bot.core.languages import Languages
from bot.core.logs import get_logger
from bot.sending.deliveries import Deliveries
from bot.sending.host_notices import PROBE_INTERVAL, HostNotices
from bot.sending.publisher import Publisher
from bot.sending.scroll import ScrollCounter
from bot.sending.sender import Sender
from data.store.connection.faults import is_database_down
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.store_errors import StoreClosed
from data.store.outbox.outbox_values import BOARD
from data.store.store import Store
from engine.table.refusals import RefusalError

log = get_logger(__name__)


@dataclass(slots=True)
class PublishFailure:
    """A table that could not be shown: since when, and when to retry (UTC epoch ms)."""

    attempts: int
    began: int
    retry_at: int
    is_discord_reachable: bool = True  # False if Discord or the connection failed: then it is not about this table


@dataclass(eq=False, repr=False)
class Announcer:
    """Updates every table's public messages, with one task for each table."""

    publisher: Publisher
    _sender: Sender
    _store: Store
    _languages: Languages
    _scroll: ScrollCounter
    _now: Callable[[], int]

    def __post_init__(self) -> None:
        self._host_notices = HostNotices(self._sender, self._store, self._languages, self._now)
        self._running: dict[int, asyncio.Task[None]] = {}
        self.finished = 0  # completed updates
        self._rerun: set[int] = set()
        self._failures: dict[int, PublishFailure] = {}
        self._closed: dict[int, int] = {}  # channels closed to the bot, by match, as last read
        self._probing: set[int] = set()
        self._timeouts: dict[int, int] = {}  # end of the bot's timeout (UTC epoch ms), by server
        self._served = UNSHARDED

    def note_message(self, message: discord.Message) -> None:
        self._scroll.note_message(message.channel.id, message.id)

    async def handle_deletion(self, channel_id: int, message_id: int) -> None:
        self._scroll.note_deletion(channel_id, message_id)
        if self._sender.has_deleted(message_id):
            return  # a call, not a board
        for head in await self._store.matches.list_heads_in_channel(channel_id):
            if head.board_message_id == message_id and await self._store.outbox.note_board_lost(
                head.match_id, message_id
            ):
                self.refresh(head.match_id)

    def refresh(self, match_id: int) -> asyncio.Task[None]:
        """Update a table's messages soon. Several calls make one update."""
        task = self._running.get(match_id)
        if task is not None and not task.done():
            self._rerun.add(match_id)
            return task
        self._rerun.discard(match_id)
        task = self._running[match_id] = asyncio.create_task(self._keep_up(match_id))
        return task

    async def sweep(self, shards: Shards = UNSHARDED) -> None:
        """Send what an earlier failure or crash has left on the servers of these shards."""
        self._served = shards
        await self._check_closed()
        self._check_timeouts()
        # Posts store when to retry; for boards this process remembers it.
        rows = await self._store.outbox.list_due(self._now(), limit=1000, of=shards)
        waiting = {row.match_id for row in rows if row.kind != BOARD or self._is_time(row.match_id)}
        after = 0
        # Read page by page: tables without a channel must not hide the others.
        while heads := await self._store.matches.list_outdated_heads(limit=50, after=after, of=shards):
            waiting |= {head.match_id for head in heads if self._is_time(head.match_id)}
            after = heads[-1].match_id
        for match_id in self._choose_tables(waiting - self._closed.keys()):
            self.refresh(match_id)

    def _choose_tables(self, waiting: set[int]) -> Iterable[int]:
        """Return all tables; while nothing gets through, at most the longest waiting."""
        if not self.deliveries.is_down or not waiting:
            return waiting
        if not self.deliveries.may_probe():
            return ()
        return [min(waiting, key=lambda match_id: self._failures.get(match_id, PublishFailure(0, 0, 0)).retry_at)]

    @property
    def deliveries(self) -> Deliveries:
        return self._sender.deliveries

    @property
    def running_count(self) -> int:
        return len(self._running)

    async def count_waiting(self) -> int:
        """Return how many tables have unsent messages, except tables that have a separate problem."""
        now = self._now()
        rows = await self._store.outbox.list_due(now, limit=1000, of=self._served)
        dirty = await self._store.matches.list_outdated_heads(limit=1000, of=self._served)
        found = {row.match_id for row in rows} | {head.match_id for head in dirty}
        # Tables of due retries count only by their unsent rows: another process may have shown them.
        put_off = {match_id: one for match_id, one in self._failures.items() if not self._is_time(match_id)}
        found -= {match_id for match_id, trouble in put_off.items() if trouble.is_discord_reachable}
        found |= {match_id for match_id, trouble in put_off.items() if not trouble.is_discord_reachable}
        return len((found | self._running.keys()) - self._closed.keys())

    def abandon(self) -> None:
        """Cancel all updates. Another client sends them, and looks for messages that may have arrived."""
        for task in self._running.values():
            task.cancel()

    def _is_time(self, match_id: int) -> bool:
        trouble = self._failures.get(match_id)
        return trouble is None or is_wait_over(trouble.began, trouble.retry_at, self._now())

    async def wait_until_idle(self) -> None:
        """Wait until all updates, private messages and host notices are finished."""
        while running := [
            task for task in (*self._running.values(), *self._host_notices.running_tasks) if not task.done()
        ]:
            await asyncio.wait(running)
        await self.publisher.live_hands.wait_until_idle()

    async def _keep_up(self, match_id: int) -> None:
        with bound_contextvars(match=match_id):
            try:
                await self._try(match_id)
            except StoreClosed:
                log.info("the table is shown after the next start")
            except RefusalError:
                self._failures.pop(match_id, None)
                log.info("the table was thrown away while it was being shown, or cannot be read")
            except Exception as error:
                if is_database_down(error):
                    # The store has logged the cause and keeps what is due for the next sweep.
                    log.info("the table is shown when the database works again")
                    return
                log.exception("the table could not be shown")
                self._put_off(match_id, None, is_discord_reachable=error is not self.deliveries.last_failure)
            finally:
                if self._running.get(match_id) is asyncio.current_task():
                    del self._running[match_id]

    async def _try(self, match_id: int) -> None:
        try:
            await self._publish(match_id)
        except REQUEST_ERRORS as error:
            if is_channel_error(error):
                await self._close(match_id, error)
            else:
                if is_transient(error):
                    self.deliveries.note_failure(error)
                self._put_off(match_id, error, is_discord_reachable=not is_transient(error))

    async def _publish(self, match_id: int) -> None:
        def on_read() -> None:
            # This update also serves earlier requests.
            self._rerun.discard(match_id)

        while True:
            on_read()
            if match_id in self._closed and not await self._has_moved(match_id):
                return
            try:
                await self.publisher.publish(match_id, on_read)
            except discord.HTTPException as error:
                if error.code != discord_errors.THREAD_ARCHIVED:
                    raise
                await self._open_thread(match_id)
                await self.publisher.publish(match_id, on_read)
            if match_id not in self._rerun:
                break
        self._failures.pop(match_id, None)
        self.finished += 1
        if match_id in self._probing:
            self._probing.discard(match_id)
            await self._store.outbox.reopen_channel(match_id)
            log.info("the channel can be written to again")

    def _put_off(self, match_id: int, error: Exception | None, *, is_discord_reachable: bool) -> None:
        self._probing.discard(match_id)
        attempts = self._failures[match_id].attempts if match_id in self._failures else 0
        wait = compute_retry_delay(error, attempts)
        now = self._now()
        self._failures[match_id] = PublishFailure(attempts + 1, now, now + wait, is_discord_reachable)
        if error is not None:
            log.warning("the table cannot be shown now", code=format_error_code(error), seconds=wait // 1000)

    async def _open_thread(self, match_id: int) -> None:
        """Reopen an archived thread. Sending does so automatically, but editing and deleting do not."""
        head = await self._store.matches.find_head(match_id)
        assert head is not None
        thread = await self._sender.fetch_channel(head.channel_id)
        if isinstance(thread, discord.Thread):
            await thread.edit(archived=False)

    async def _close(self, match_id: int, error: Exception) -> None:
        """Record that the channel is closed to the bot. The host is notified once."""
        self._probing.discard(match_id)
        self._failures.pop(match_id, None)
        head = await self._store.matches.find_head(match_id)
        assert head is not None
        assert isinstance(error, discord.HTTPException)
        if error.code == discord_errors.UNKNOWN_CHANNEL and head.state in ("done", "void"):
            # A finished table is never moved.
            log.info("a table that is over has lost its channel")
            await self._store.outbox.give_up(match_id)
            return
        self._closed[match_id] = head.channel_id
        if await self._store.outbox.block(match_id, head.channel_id, error.code, now=self._now()):
            log.warning("the channel is closed to the bot", code=format_error_code(error))
            await self._check_closed()

    async def _has_moved(self, match_id: int) -> bool:
        head = await self._store.matches.find_head(match_id)
        if head is None or head.channel_id == self._closed.get(match_id):
            return False
        self._closed.pop(match_id, None)
        return True

    async def _check_closed(self) -> None:
        rows = await self._store.outbox.list_blocked(of=self._served)
        before = self._closed
        self._closed = {row.match_id: row.channel_id for row in rows if row.match_id not in self._probing}
        # A channel that was closed by another process or before the start may have been reopened unnoticed.
        newly_closed = [channel_id for match_id, channel_id in self._closed.items() if match_id not in before]
        self.resume_channels([channel_id for channel_id in newly_closed if self._sender.can_write(channel_id)])
        for row in rows:
            if row.next_at is None or row.next_at > self._now():
                continue
            if row.attempts == 0:
                self._host_notices.start_notice(row)
            else:
                await self._store.outbox.lease(row, now=self._now(), until=self._now() + PROBE_INTERVAL)
                self._probe(row.match_id)

    def _probe(self, match_id: int) -> None:
        self._closed.pop(match_id, None)
        self._probing.add(match_id)
        self.refresh(match_id)

    def is_closed(self, match_id: int) -> bool:
        return match_id in self._closed

    def is_channel_closed(self, channel_id: int) -> bool:
        return channel_id in self._closed.values()

    def resume_channels(self, channel_ids: Iterable[int]) -> None:
        """Continue the tables in these channels, which seem to be writable."""
        wanted = set(channel_ids)
        for match_id in [match_id for match_id, channel_id in self._closed.items() if channel_id in wanted]:
            self._probe(match_id)

    def _check_timeouts(self) -> None:
        for guild_id in [guild_id for guild_id, until in self._timeouts.items() if until <= self._now()]:
            del self._timeouts[guild_id]
            guild = self._sender.find_guild(guild_id)
            if guild is not None:
                self.recheck_guild(guild)

    def recheck_guild(self, guild: discord.Guild) -> None:
        if guild.me.timed_out_until is not None and guild.me.is_timed_out():
            # Discord sends no event at the end of a timeout.
            self._timeouts[guild.id] = int(guild.me.timed_out_until.timestamp() * 1000)
        closed = [one for one in set(self._closed.values()) if guild.get_channel_or_thread(one) is not None]
        self.resume_channels([channel_id for channel_id in closed if self._sender.can_write(channel_id)])
