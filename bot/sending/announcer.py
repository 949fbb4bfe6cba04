"""When the public messages of the tables are brought up to date: soon after each act, again after a failure, and not
at all while the bot may not write to a channel.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import discord

from bot.core.discord_errors import (
    FAILURES,
    THREAD_ARCHIVED,
    UNKNOWN_CHANNEL,
    code_of,
    is_closed,
    is_over,
    is_passing,
    wait_after,
)
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
    """A table that could not be shown, since when, and when to try again (UTC epoch ms)."""

    attempts: int
    began: int
    again_at: int
    gets_through: bool = True
    """False where Discord or the way to it failed: then it is not about this table."""


class Announcer:
    """Lets every table's public messages be brought to the head of its log, one task a table."""

    def __init__(
        self,
        publisher: Publisher,
        sender: Sender,
        store: Store,
        languages: Languages,
        scroll: Scroll,
        now: Callable[[], int],
    ) -> None:
        self.publisher = publisher
        self._sender = sender
        self._store = store
        self._host_notices = HostNotices(sender, store, languages, now)
        self._scroll = scroll
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}
        self.finished = 0
        """How often a table was looked after to the end, whatever there was to say."""
        self._again: set[int] = set()
        self._troubles: dict[int, Trouble] = {}
        self._closed: dict[int, int] = {}
        """The channel of each match that is closed to the bot, as the store last said."""
        self._probing: set[int] = set()
        self._silenced: dict[int, int] = {}
        """Until when (UTC epoch ms) a moderator has timed the bot out, by server."""
        self._served = UNDIVIDED

    def noticed(self, message: discord.Message) -> None:
        """A message appeared in a channel; it may push a board up."""
        self._scroll.came(message.channel.id, message.id)

    async def vanished(self, channel_id: int, message_id: int) -> None:
        """A message was deleted. Where it was a board, the table gets another one."""
        self._scroll.went(channel_id, message_id)
        if self._sender.has_deleted(message_id):
            return  # a call, and no board
        for head in await self._store.matches.heads_in_channel(channel_id):
            if head.board_message_id == message_id and await self._store.outbox.board_lost(head.match_id, message_id):
                self.refresh(head.match_id)

    def refresh(self, match_id: int) -> asyncio.Task[None]:
        """Bring a table's messages up to date soon. Many calls in a row make one board."""
        task = self._running.get(match_id)
        if task is not None and not task.done():
            self._again.add(match_id)
            return task
        self._again.discard(match_id)
        task = self._running[match_id] = asyncio.create_task(self._keep_up(match_id))
        return task

    async def sweep(self, of: Shards = UNDIVIDED) -> None:
        """Send what an earlier failure or a crash has left behind on the servers of these shards."""
        self._served = of
        await self._look_at_closed()
        self._look_at_silenced()
        # A post that failed says itself when it is due again; a board that did, is remembered here.
        rows = await self._store.outbox.due_outbox(self._now(), limit=1000, of=of)
        waiting = {row.match_id for row in rows if row.kind != BOARD or self._is_time(row.match_id)}
        after = 0
        # Page by page: tables whose channels are gone must not hide the others behind them.
        while heads := await self._store.matches.heads_dirty(limit=50, after=after, of=of):
            waiting |= {head.match_id for head in heads if self._is_time(head.match_id)}
            after = heads[-1].match_id
        for match_id in self._chosen(waiting - self._closed.keys()):
            self.refresh(match_id)

    def _chosen(self, waiting: set[int]) -> Iterable[int]:
        """All of them; where nothing gets through, one now and then: that whose last attempt is longest ago."""
        if not self.deliveries.ill or not waiting:
            return waiting
        if not self.deliveries.may_probe():
            return ()
        return [min(waiting, key=lambda match_id: self._troubles.get(match_id, Trouble(0, 0, 0)).again_at)]

    @property
    def deliveries(self) -> Deliveries:
        """Whether anything gets through."""
        return self._sender.deliveries

    @property
    def at_work(self) -> int:
        """How many tables are being brought up to date."""
        return len(self._running)

    async def waiting(self) -> int:
        """How many tables have something to say that is not said, and no trouble of their own that keeps them from it,
        such as a closed channel.
        """
        now = self._now()
        rows = await self._store.outbox.due_outbox(now, limit=1000, of=self._served)
        dirty = await self._store.matches.heads_dirty(limit=1000, of=self._served)
        found = {row.match_id for row in rows} | {head.match_id for head in dirty}
        # Whose time to try again is over is among these, or somebody else has shown it.
        put_off = {match_id: one for match_id, one in self._troubles.items() if not self._is_time(match_id)}
        found -= {match_id for match_id, trouble in put_off.items() if trouble.gets_through}
        found |= {match_id for match_id, trouble in put_off.items() if not trouble.gets_through}
        return len((found | self._running.keys()) - self._closed.keys())

    def abandon(self) -> None:
        """Cancel what is being sent. Another client sends it, and looks for what may have arrived."""
        for task in self._running.values():
            task.cancel()

    def _is_time(self, match_id: int) -> bool:
        trouble = self._troubles.get(match_id)
        return trouble is None or is_over(trouble.began, trouble.again_at, self._now())

    async def idle(self) -> None:
        """Wait until nothing is being published, in private either, and no host is being told."""
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
                    # The store has said why, and has what is due: the next sweep goes on.
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
            # Whoever asked for it before is served by this look.
            self._again.discard(match_id)

        while True:
            looks()
            if match_id in self._closed and not await self._moved(match_id):
                return
            try:
                await self.publisher.publish(match_id, looks)
            except discord.HTTPException as error:
                if error.code != THREAD_ARCHIVED:
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
        """A quiet week archives a thread. Sending opens it again by itself, editing and deleting do not."""
        head = await self._store.matches.head(match_id)
        assert head is not None
        thread = await self._sender.fetch(head.channel_id)
        if isinstance(thread, discord.Thread):
            await thread.edit(archived=False)

    # -- channels that are closed to the bot

    async def _close(self, match_id: int, error: Exception) -> None:
        """Nothing can be said at a table until somebody lets the bot in again. Its host is told, once."""
        self._probing.discard(match_id)
        self._troubles.pop(match_id, None)
        head = await self._store.matches.head(match_id)
        assert head is not None
        assert isinstance(error, discord.HTTPException)
        if error.code == UNKNOWN_CHANNEL and head.state in ("done", "void"):
            # Nobody will bring it elsewhere.
            log.info("a table that is over has lost its channel")
            await self._store.outbox.give_up(match_id)
            return
        self._closed[match_id] = head.channel_id
        if await self._store.outbox.block(match_id, head.channel_id, error.code, now=self._now()):
            log.warning("the channel is closed to the bot", code=code_of(error))
            await self._look_at_closed()

    async def _moved(self, match_id: int) -> bool:
        """Whether a table has left the channel that is closed."""
        head = await self._store.matches.head(match_id)
        if head is None or head.channel_id == self._closed.get(match_id):
            return False
        self._closed.pop(match_id, None)
        return True

    async def _look_at_closed(self) -> None:
        """Learn from the store which channels are closed, tell the hosts who do not know, try those it is time for."""
        rows = await self._store.outbox.blocked(of=self._served)
        before = self._closed
        self._closed = {row.match_id: row.channel_id for row in rows if row.match_id not in self._probing}
        # What somebody else has closed, or this bot before it was started, may have been opened since unheard of.
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
        """Whether the bot cannot write to the channel of a table."""
        return match_id in self._closed

    def is_shut(self, channel_id: int) -> bool:
        """Whether the bot could not write to a channel when it last tried."""
        return channel_id in self._closed.values()

    def reopened(self, channel_ids: Iterable[int]) -> None:
        """These channels can be written to, as far as one knows: go on with the tables in them."""
        wanted = set(channel_ids)
        for match_id in [match_id for match_id, channel_id in self._closed.items() if channel_id in wanted]:
            self._probe(match_id)

    def _look_at_silenced(self) -> None:
        """Go on where the bot was timed out and is not any more."""
        for guild_id in [guild_id for guild_id, until in self._silenced.items() if until <= self._now()]:
            del self._silenced[guild_id]
            guild = self._sender.guild(guild_id)
            if guild is not None:
                self.look_again(guild)

    def look_again(self, guild: discord.Guild) -> None:
        """Something about the permissions of a server has changed."""
        if guild.me.timed_out_until is not None and guild.me.is_timed_out():
            # Nobody tells when that is over.
            self._silenced[guild.id] = int(guild.me.timed_out_until.timestamp() * 1000)
        closed = [one for one in set(self._closed.values()) if guild.get_channel_or_thread(one) is not None]
        self.reopened([channel_id for channel_id in closed if self._sender.may_write(channel_id)])
