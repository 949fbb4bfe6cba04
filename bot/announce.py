"""The one writer of public messages: the board, the line that calls the next player, the ends of rounds and matches.

What has to be said stands in the store before it is sent: a board is behind when `shown_seq < seq`, everything else is
an outbox row. So nothing is lost by a crash in between, and sending again does no harm.
"""

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import discord

from bot.service.tables import Table, Tables
from bot.sheets import Sheets
from data.store import Head, OutboxRow, Store

log = logging.getLogger(__name__)

FAR: Final = 15
"""Messages below the board after which it is posted afresh."""

UNKNOWN_CHANNEL: Final = 10003
THREAD_ARCHIVED: Final = 50083


@dataclass(slots=True)
class Trouble:
    """A table whose channel could not be written to, and when to try again (UTC epoch ms)."""

    attempts: int
    again_at: int


class Announcer:
    """Brings every table's public messages to the head of its log, one writer a table."""

    def __init__(
        self,
        client: discord.Client,
        store: Store,
        tables: Tables,
        sheets: Sheets,
        now: Callable[[], int],
    ) -> None:
        self._client = client
        self._store = store
        self._tables = tables
        self._sheets = sheets
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}
        self._again: set[int] = set()
        self._troubles: dict[int, Trouble] = {}
        self._below: defaultdict[int, deque[int]] = defaultdict(lambda: deque(maxlen=FAR))
        self._counted: set[int] = set()

    def noticed(self, message: discord.Message) -> None:
        """A message appeared in a channel; it may push a board up."""
        if message.channel.id in self._counted:
            self._below[message.channel.id].append(message.id)

    async def vanished(self, channel_id: int, message_id: int) -> None:
        """A message was deleted. Where it was a board, the table gets another one."""
        below = self._below.get(channel_id, ())
        if message_id in below:
            self._below[channel_id].remove(message_id)
        for head in await self._store.heads_in_channel(channel_id):
            if head.board_message_id == message_id and await self._store.board_lost(head.match_id, message_id):
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

    async def sweep(self) -> None:
        """Send what an earlier failure or a crash has left behind."""
        waiting = {row.match_id for row in await self._store.due_outbox(self._now(), limit=1000)}
        after = 0
        # Page by page: tables whose channels are gone must not hide the others behind them.
        while heads := await self._store.heads_dirty(limit=50, after=after):
            waiting |= {head.match_id for head in heads}
            after = heads[-1].match_id
        for match_id in waiting:
            trouble = self._troubles.get(match_id)
            if trouble is None or trouble.again_at <= self._now():
                self.refresh(match_id)

    async def _keep_up(self, match_id: int) -> None:
        try:
            while True:
                self._again.discard(match_id)
                try:
                    await self._publish(match_id)
                except discord.HTTPException as error:
                    if error.code != THREAD_ARCHIVED:
                        raise
                    await self._open_thread(match_id)
                    await self._publish(match_id)
                if match_id not in self._again:
                    break
            self._troubles.pop(match_id, None)
        except discord.HTTPException as error:
            self._put_off(match_id, error)
        except Exception:
            log.exception("table %s could not be shown", match_id)
            self._put_off(match_id, None)
        finally:
            self._running.pop(match_id, None)

    def _put_off(self, match_id: int, error: discord.HTTPException | None) -> None:
        attempts = self._troubles[match_id].attempts + 1 if match_id in self._troubles else 1
        wait = min(3600, 5 * 2**attempts) * 1000
        self._troubles[match_id] = Trouble(attempts, self._now() + wait)
        if error is not None:
            log.warning(
                "table %s cannot be shown now (%s %s); again in %s s", match_id, error.code, error.text, wait // 1000
            )

    async def _publish(self, match_id: int) -> None:
        # The rows first: a table read before them could be older than what they call for.
        rows = await self._store.due_outbox(self._now(), limit=20, match_id=match_id)
        table = await self._tables.load(match_id)
        for row in rows:
            if row.kind != "turn":
                await self._post(table, row)
        if table.head.dirty:
            await self._board(table)
        for row in rows:
            if row.kind == "turn":
                await self._call(table, row)
        if table.head.turn is None and table.head.turn_message_id is not None:
            await self._forget_call(table.head)

    async def _open_thread(self, match_id: int) -> None:
        """A quiet week archives a thread. Sending opens it again by itself, editing and deleting do not."""
        table = await self._tables.load(match_id)
        thread = await self._client.fetch_channel(table.head.channel_id)
        if isinstance(thread, discord.Thread):
            await thread.edit(archived=False)

    def _channel(self, channel_id: int, guild_id: int) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(channel_id, guild_id=guild_id)

    async def _board(self, table: Table) -> None:
        head = table.head
        channel = self._channel(head.channel_id, head.guild_id)
        sheet = await self._sheets.public(table)
        old = head.board_message_id
        if old is not None and not await self._is_far_up(channel, old):
            try:
                await channel.get_partial_message(old).edit(view=sheet.view, attachments=sheet.files)
            except discord.NotFound as error:
                if error.code == UNKNOWN_CHANNEL:
                    raise
                sheet, old = await self._sheets.public(table), None
            else:
                await self._store.shown(head.match_id, seq=head.seq, message_id=old)
                return
        message = await channel.send(view=sheet.view, files=sheet.files, nonce=_board_nonce(head))
        await self._store.shown(head.match_id, seq=head.seq, message_id=message.id)
        self._below[head.channel_id].clear()
        self._counted.add(head.channel_id)
        if old is not None:
            await self._shrink(channel, old, message)

    async def _is_far_up(self, channel: discord.PartialMessageable, board: int) -> bool:
        if channel.id not in self._counted:
            # Once a channel and start of the bot; after that `noticed` counts along.
            try:
                found = [message.id async for message in channel.history(limit=FAR)]
            except discord.Forbidden:
                found = []
            self._below[channel.id].extend(reversed(found))
            self._counted.add(channel.id)
        below = self._below[channel.id]
        return len(below) == FAR and all(message > board for message in below)

    async def _shrink(self, channel: discord.PartialMessageable, old: int, new: discord.Message) -> None:
        """Leave a link where the board was."""
        view = self._sheets.moved(new.jump_url)
        try:
            await channel.get_partial_message(old).edit(view=view, attachments=[])
        except discord.NotFound:
            log.info("the old board of channel %s is gone", channel.id)

    async def _post(self, table: Table, row: OutboxRow) -> None:
        then = await self._tables.earlier(row.match_id, int(row.body["seq"]))
        if row.kind == "round":
            sheet = await self._sheets.round_end(then, int(row.body["opener"]))
        else:
            sheet = await self._sheets.match_end(then)
        channel = self._channel(table.head.channel_id, table.head.guild_id)
        message = await channel.send(view=sheet.view, files=sheet.files, nonce=row.nonce)
        await self._store.mark_sent(row.id, message.id)

    async def _call(self, table: Table, row: OutboxRow) -> None:
        """Tell the next player; the call before goes away."""
        user_id = table.turn_user()
        if user_id is None or table.head.turn is None or table.head.turn.seat != row.body["seat"]:
            await self._store.drop(row.id)
            return
        # Where the table is now: it may have been brought to another channel since the row was written.
        channel = self._channel(table.head.channel_id, table.head.guild_id)
        content, view = self._sheets.call(table, user_id)
        message = await channel.send(
            content,
            view=view,
            nonce=row.nonce,
            allowed_mentions=discord.AllowedMentions(users=[discord.Object(user_id)]),
        )
        await self._store.mark_sent(row.id, message.id)
        old = await self._store.turn_shown(row.match_id, message_id=message.id)
        if old is not None and old != message.id:
            await self._delete(channel, old)

    async def _forget_call(self, head: Head) -> None:
        old = await self._store.turn_shown(head.match_id, message_id=None)
        if old is not None:
            await self._delete(self._channel(head.channel_id, head.guild_id), old)

    async def _delete(self, channel: discord.PartialMessageable, message_id: int) -> None:
        try:
            await channel.get_partial_message(message_id).delete()
        except discord.NotFound:
            log.info("message %s was gone already", message_id)


def _board_nonce(head: Head) -> str:
    """Unlike any other board's, of another database too, in Discord's 25 characters."""
    return f"b{head.match_id:x}-{head.seq:x}-{head.created_at // 1000:x}"
