"""Schedule the public messages of tables: soon after each act, again after a failure, and not while the bot cannot
write to a channel.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import discord

from bot.core import discord_errors
from bot.core.discord_errors import FAILURES, code_of, is_closed, is_over, is_passing, wait_after
from bot.core.languages import Languages
from bot.core.logs import bound, logger
from bot.sending.deliveries import Deliveries
from bot.sending.host_notices import PROBE, HostNotices
from bot.sending.publisher import Publisher
from bot.sending.scroll import Scroll
from bot.sending.sender import Sender
from data.store.connection.faults import is_everywhere
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.store_errors import StoreClosed
from data.store.outbox.outbox_values import BOARD
from data.store.store import Store
from engine.table.refusals import Refused

log = logger(__name__)


@dataclass(slots=True)
class Trouble:
    """A table that could not be shown: since when, and when to retry (UTC epoch ms)."""

    attempts: int
    began: int
    again_at: int
    gets_through: bool = True  # False if Discord or the connection failed: then it is not about this table


@dataclass(eq=False, repr=False)
class Announcer:
    """Updates every table's public messages, with one task for each table."""

    publisher: Publisher
    _sender: Sender
    _store: Store
    _languages: Languages
    _scroll: Scroll
    _now: Callable[[], int]

    def __post_init__(self) -> None:
        self._host_notices = HostNotices(self._sender, self._store, self._languages, self._now)
        self._running: dict[int, asyncio.Task[None]] = {}
        self.finished = 0  # completed updates
        self._again: set[int] = set()
        self._troubles: dict[int, Trouble] = {}
        self._closed: dict[int, int] = {}  # channels closed to the bot, by match, as last read
        self._probing: set[int] = set()
        self._silenced: dict[int, int] = {}  # end of the bot's timeout (UTC epoch ms), by server
        self._served = UNDIVIDED

    def noticed(self, message: discord.Message) -> None:
        self._scroll.came(message.channel.id, message.id)

    async def vanished(self, channel_id: int, message_id: int) -> None:
        self._scroll.went(channel_id, message_id)
        if self._sender.has_deleted(message_id):
            return  # a call, not a board
        for head in await self._store.matches.heads_in_channel(channel_id):
            if head.board_message_id == message_id and await self._store.outbox.board_lost(head.match_id, message_id):
                self.refresh(head.match_id)

    def refresh(self, match_id: int) -> asyncio.Task[None]:
        """Update a table's messages soon. Several calls make one update."""
        task = self._running.get(match_id)
        if task is not None and not task.done():
            self._again.add(match_id)
            return task
        self._again.discard(match_id)
        task = self._running[match_id] = asyncio.create_task(self._keep_up(match_id))
        return task

    async def sweep(self, of: Shards = UNDIVIDED) -> None:
        """Send what an earlier failure or crash has left on the servers of these shards."""
        self._served = of
        await self._look_at_closed()
        self._look_at_silenced()
        # Posts store when to retry; for boards this process remembers it.
        rows = await self._store.outbox.due_outbox(self._now(), limit=1000, of=of)
        waiting = {row.match_id for row in rows if row.kind != BOARD or self._is_time(row.match_id)}
        after = 0
        # Read page by page: tables without a channel must not hide the others.
        while heads := await self._store.matches.heads_dirty(limit=50, after=after, of=of):
            waiting |= {head.match_id for head in heads if self._is_time(head.match_id)}
            after = heads[-1].match_id
        for match_id in self._chosen(waiting - self._closed.keys()):
            self.refresh(match_id)

    def _chosen(self, waiting: set[int]) -> Iterable[int]:
        """Return all tables; while nothing gets through, at most the longest waiting."""
        if not self.deliveries.ill or not waiting:
            return waiting
        if not self.deliveries.may_probe():
            return ()
        return [min(waiting, key=lambda match_id: self._troubles.get(match_id, Trouble(0, 0, 0)).again_at)]

    @property
    def deliveries(self) -> Deliveries:
        return self._sender.deliveries

    @property
    def at_work(self) -> int:
        return len(self._running)

    async def waiting(self) -> int:
        """Return how many tables have unsent messages, except tables that have a separate problem."""
        now = self._now()
        rows = await self._store.outbox.due_outbox(now, limit=1000, of=self._served)
        dirty = await self._store.matches.heads_dirty(limit=1000, of=self._served)
        found = {row.match_id for row in rows} | {head.match_id for head in dirty}
        # Due retries still count, or another process has shown the table.
        put_off = {match_id: one for match_id, one in self._troubles.items() if not self._is_time(match_id)}
        found -= {match_id for match_id, trouble in put_off.items() if trouble.gets_through}
        found |= {match_id for match_id, trouble in put_off.items() if not trouble.gets_through}
        return len((found | self._running.keys()) - self._closed.keys())

    def abandon(self) -> None:
        """Cancel all updates. Another client sends them, and looks for messages that may have arrived."""
        for task in self._running.values():
            task.cancel()

    def _is_time(self, match_id: int) -> bool:
        trouble = self._troubles.get(match_id)
        return trouble is None or is_over(trouble.began, trouble.again_at, self._now())

    async def idle(self) -> None:
        """Wait until all updates, private messages and host notices are finished."""
        while running := [task for task in (*self._running.values(), *self._host_notices.running) if not task.done()]:
            await asyncio.wait(running)
        await self.publisher.live_hands.idle()

    async def _keep_up(self, match_id: int) -> None:
        with bound(match=match_id):
            try:
                await self._try(match_id)
            except StoreClosed:
                log.info("the table is shown after the next start")
            except Refused:
                self._troubles.pop(match_id, None)
                log.info("the table was thrown away while it was being shown, or cannot be read")
            except Exception as error:
                if is_everywhere(error):
                    # The store has logged the cause and keeps what is due for the next sweep.
                    log.info("the table is shown when the database works again")
                    return
                log.exception("the table could not be shown")
                self._put_off(match_id, None, gets_through=error is not self.deliveries.last_failure)
            finally:
                if self._running.get(match_id) is asyncio.current_task():
                    del self._running[match_id]

    async def _try(self, match_id: int) -> None:
        try:
            await self._publish(match_id)
        except FAILURES as error:
            if is_closed(error):
                await self._close(match_id, error)
            else:
                if is_passing(error):
                    self.deliveries.fail(error)
                self._put_off(match_id, error, gets_through=not is_passing(error))

    async def _publish(self, match_id: int) -> None:
        def looks() -> None:
            # This update also serves earlier requests.
            self._again.discard(match_id)

        while True:
            looks()
            if match_id in self._closed and not await self._moved(match_id):
                return
            try:
                await self.publisher.publish(match_id, looks)
            except discord.HTTPException as error:
                if error.code != discord_errors.THREAD_ARCHIVED:
                    raise
                await self._open_thread(match_id)
                await self.publisher.publish(match_id, looks)
            if match_id not in self._again:
                break
        self._troubles.pop(match_id, None)
        self.finished += 1
        if match_id in self._probing:
            self._probing.discard(match_id)
            await self._store.outbox.unblock(match_id)
            log.info("the channel can be written to again")

    def _put_off(self, match_id: int, error: Exception | None, *, gets_through: bool) -> None:
        self._probing.discard(match_id)
        attempts = self._troubles[match_id].attempts if match_id in self._troubles else 0
        wait = wait_after(error, attempts)
        now = self._now()
        self._troubles[match_id] = Trouble(attempts + 1, now, now + wait, gets_through)
        if error is not None:
            log.warning("the table cannot be shown now", code=code_of(error), seconds=wait // 1000)

    async def _open_thread(self, match_id: int) -> None:
        """Reopen an archived thread. Sending does so automatically, but editing and deleting do not."""
        head = await self._store.matches.head(match_id)
        assert head is not None
        thread = await self._sender.fetch(head.channel_id)
        if isinstance(thread, discord.Thread):
            await thread.edit(archived=False)

    async def _close(self, match_id: int, error: Exception) -> None:
        """Record that the channel is closed to the bot. The host is notified once."""
        self._probing.discard(match_id)
        self._troubles.pop(match_id, None)
        head = await self._store.matches.head(match_id)
        assert head is not None
        assert isinstance(error, discord.HTTPException)
        if error.code == discord_errors.UNKNOWN_CHANNEL and head.state in ("done", "void"):
            # A finished table is never moved.
            log.info("a table that is over has lost its channel")
            await self._store.outbox.give_up(match_id)
            return
        self._closed[match_id] = head.channel_id
        if await self._store.outbox.block(match_id, head.channel_id, error.code, now=self._now()):
            log.warning("the channel is closed to the bot", code=code_of(error))
            await self._look_at_closed()

    async def _moved(self, match_id: int) -> bool:
        head = await self._store.matches.head(match_id)
        if head is None or head.channel_id == self._closed.get(match_id):
            return False
        self._closed.pop(match_id, None)
        return True

    async def _look_at_closed(self) -> None:
        rows = await self._store.outbox.blocked(of=self._served)
        before = self._closed
        self._closed = {row.match_id: row.channel_id for row in rows if row.match_id not in self._probing}
        # A channel that was closed by another process or before the start may have been reopened unnoticed.
        heard_of = [channel_id for match_id, channel_id in self._closed.items() if match_id not in before]
        self.reopened([channel_id for channel_id in heard_of if self._sender.may_write(channel_id)])
        for row in rows:
            if row.next_at is None or row.next_at > self._now():
                continue
            if row.attempts == 0:
                self._host_notices.tell(row)
            else:
                await self._store.outbox.take(row, now=self._now(), until=self._now() + PROBE)
                self._probe(row.match_id)

    def _probe(self, match_id: int) -> None:
        self._closed.pop(match_id, None)
        self._probing.add(match_id)
        self.refresh(match_id)

    def is_closed(self, match_id: int) -> bool:
        return match_id in self._closed

    def is_shut(self, channel_id: int) -> bool:
        return channel_id in self._closed.values()

    def reopened(self, channel_ids: Iterable[int]) -> None:
        """Continue the tables in these channels, which seem to be writable."""
        wanted = set(channel_ids)
        for match_id in [match_id for match_id, channel_id in self._closed.items() if channel_id in wanted]:
            self._probe(match_id)

    def _look_at_silenced(self) -> None:
        for guild_id in [guild_id for guild_id, until in self._silenced.items() if until <= self._now()]:
            del self._silenced[guild_id]
            guild = self._sender.guild(guild_id)
            if guild is not None:
                self.look_again(guild)

    def look_again(self, guild: discord.Guild) -> None:
        if guild.me.timed_out_until is not None and guild.me.is_timed_out():
            # Discord sends no event at the end of a timeout.
            self._silenced[guild.id] = int(guild.me.timed_out_until.timestamp() * 1000)
        closed = [one for one in set(self._closed.values()) if guild.get_channel_or_thread(one) is not None]
        self.reopened([channel_id for channel_id in closed if self._sender.may_write(channel_id)])
