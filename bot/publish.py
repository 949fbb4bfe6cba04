"""What one table has to say in public: the board, the line that calls the next player, the ends of rounds and matches.

What has to be said stands in the store before it is sent: a board is behind when `shown_seq < seq`, everything else is
an outbox row. So nothing is lost by a crash in between, and sending again does no harm.
"""

from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import Final

import discord

from bot.letters import Letter, Postman
from bot.logs import logger
from bot.scroll import Scroll
from bot.service.tables import Table, Tables
from bot.sheets import Sheets
from bot.trouble import UNKNOWN_CHANNEL, is_closed, wait_after
from bot.views.marks import mark_of, marks
from data.store import RECALL, REMOVE, SHRINK, TURN, Head, OutboxRow, Store

log = logger(__name__)

Writer = Callable[[Table, OutboxRow], Awaitable[Letter | None]]
"""Makes the letter of a post; None where it has lost its sense and is dropped."""

ROWS: Final = 20
"""Posts of one table that are sent in one go."""

LATE: Final = (TURN, RECALL, REMOVE, SHRINK)
"""Kinds that come after the board."""


class Publisher:
    """Brings the public messages of a table to the head of its log. One at a time for each table."""

    def __init__(
        self, postman: Postman, store: Store, tables: Tables, sheets: Sheets, scroll: Scroll, now: Callable[[], int]
    ) -> None:
        self._postman = postman
        self._store = store
        self._tables = tables
        self._sheets = sheets
        self._scroll = scroll
        self._now = now
        self.writers: dict[str, Writer] = {"round": self._round_end, "end": self._match_end}
        """Who writes the posts of each kind that go to the channel of the table."""

    async def publish(self, match_id: int) -> None:
        """Say all there is to say. Raises what went wrong; the post that failed is put off."""
        # The rows first: a table read before them could be older than what they call for.
        rows = await self._store.due_outbox(self._now(), limit=ROWS, match_id=match_id)
        table = await self._tables.load(match_id)
        for row in rows:
            if row.kind not in LATE:
                await self._trying(row, self._post, table)
        if table.head.dirty:
            table = await self._show(table)
        for row in rows:
            if row.kind == TURN:
                await self._trying(row, self._call, table)
        if table.turn_user() is None and table.head.turn_message_id is not None:
            # Nobody is called: the match is over, or a computer is to move.
            await self._remove(table.head, await self._store.turn_shown(match_id, message_id=None, now=self._now()))
        for row in rows:
            if row.kind in (RECALL, REMOVE, SHRINK):
                await self._trying(row, self._retire, table)

    async def _trying(
        self, row: OutboxRow, deliver: Callable[[Table, OutboxRow], Awaitable[None]], table: Table
    ) -> None:
        try:
            await deliver(table, row)
        except Exception as error:
            # Whatever it was, a post that fails waits longer each time.
            if not is_closed(error):
                await self._store.put_off(row.id, self._now() + wait_after(error, row.attempts))
            raise

    # -- the board

    async def _show(self, table: Table) -> Table:
        """Bring the board to the head; returns the table it then shows.

        Another process may show the same table, and an older picture may arrive after a newer one. Whoever looks once
        more after showing, and shows again what is newer, cannot leave an old one behind.
        """
        while True:
            await self._board(table)
            log.info("shown", match=table.head.match_id, seq=table.head.seq, server=table.head.guild_id)
            now = await self._tables.load(table.head.match_id)
            if now.head.seq <= table.head.seq:
                return now
            table = now

    async def _board(self, table: Table) -> None:
        head = table.head
        channel = self._postman.channel(head.channel_id, head.guild_id)
        old = head.board_message_id
        if old is not None and not await self._scroll.is_far_up(channel, channel.id, old):
            if await self._edited(table, channel, old):
                await self._store.shown(head.match_id, seq=head.seq, message_id=old)
                return
            old = None
        message = await self._posted(table, channel)
        if message is None:
            return
        old = None if old == message.id else old
        await self._store.shown(head.match_id, seq=head.seq, message_id=message.id, replaces=old, now=self._now())
        self._scroll.posted(channel.id)
        if old is not None:
            await self._shrink(head, old, message.id)

    async def _posted(self, table: Table, channel: discord.PartialMessageable) -> discord.Message | None:
        """A new board, or the one of an earlier attempt that nobody heard of."""
        head, nonce = table.head, _board_nonce(table.head)
        # A new table has nothing in its channel yet that could be found, which saves a request.
        since = head.created_at if head.board_message_id is None and head.shown_seq == 0 else 0
        message = await self._postman.send(channel, await self._face(table), nonce=nonce, since=since, version=head.seq)
        if message is None:
            # It was deleted, and Discord remembers the nonce for some minutes.
            fresh = f"{nonce[:-4]}{head.seq & 0xFFFF:04x}"
            return await self._postman.send(channel, await self._face(table), nonce=fresh, since=self._now())
        if mark_of(nonce, head.seq) not in marks(message):
            # It shows what was then.
            await self._edited(table, channel, message.id)
        return message

    async def _face(self, table: Table) -> Letter:
        sheet = await self._sheets.public(table)
        return Letter(sheet.view, files=sheet.files)

    async def _edited(self, table: Table, channel: discord.PartialMessageable, message_id: int) -> bool:
        """Show the table in a message. False when the message is not there any more."""
        sheet = await self._sheets.public(table)
        try:
            await channel.get_partial_message(message_id).edit(view=sheet.view, attachments=sheet.files)
        except discord.NotFound as error:
            if error.code == UNKNOWN_CHANNEL:
                raise
            return False
        return True

    async def _retire(self, table: Table, row: OutboxRow) -> None:
        """Do what a crash or a failure has left undone."""
        if row.kind == RECALL:
            await self._recall(table, row)
            return
        message_id, board = int(row.body["message"]), table.head.board_message_id
        if row.kind == SHRINK and board is not None:
            await self._shrink(table.head, message_id, board)
        else:
            await self._remove(table.head, message_id)

    async def _shrink(self, head: Head, old: int, board: int) -> None:
        """Leave a link where the board was."""
        channel = self._postman.channel(head.channel_id, head.guild_id)
        view = self._sheets.moved(channel.get_partial_message(board).jump_url)
        try:
            await channel.get_partial_message(old).edit(view=view, attachments=[])
        except discord.NotFound:
            log.info("the old board is gone")
        await self._store.retired(old)

    # -- posts

    async def _round_end(self, table: Table, row: OutboxRow) -> Letter:
        then = await self._tables.earlier(row.match_id, int(row.body["seq"]))
        sheet = await self._sheets.round_end(then, int(row.body["opener"]))
        return Letter(sheet.view, files=sheet.files)

    async def _match_end(self, table: Table, row: OutboxRow) -> Letter:
        then = await self._tables.earlier(row.match_id, int(row.body["seq"]))
        sheet = await self._sheets.match_end(then)
        return Letter(sheet.view, files=sheet.files)

    async def _post(self, table: Table, row: OutboxRow) -> None:
        writer = self.writers.get(row.kind)
        letter = None if writer is None else await writer(table, row)
        message = None if letter is None else await self._deliver(table, row, letter)
        if message is None:
            await self._store.drop(row.id)
        else:
            await self._store.mark_sent(row.id, message.id)

    async def _deliver(self, table: Table, row: OutboxRow, letter: Letter) -> discord.abc.Snowflake | None:
        """Send a letter to the person it is for, or to where the table is now: it may have moved since."""
        if letter.direct is not None:
            told = await self._postman.send_direct(letter.direct, letter, nonce=row.nonce, since=row.created_at)
            if told is not None:
                return told
        channel = self._postman.channel(table.head.channel_id, table.head.guild_id)
        return await self._postman.send(channel, letter, nonce=row.nonce, since=row.created_at)

    # -- the call

    async def _call(self, table: Table, row: OutboxRow) -> None:
        """Tell the next player, the way they want it; the call before goes away."""
        user_id, head = table.turn_user(), table.head
        if user_id is None or head.turn is None or head.turn.seat != row.body["seat"]:
            await self._store.drop(row.id)
            return
        pings = (await self._store.person(user_id)).pings
        if pings == "none":
            await self._store.drop(row.id)
            await self._remove(head, await self._store.turn_shown(head.match_id, message_id=None, now=self._now()))
            return
        told: discord.abc.Snowflake | None = None
        if pings == "dm":
            alone = Letter(*self._sheets.direct_call(table))
            told = await self._postman.send_direct(user_id, alone, nonce=row.nonce, since=row.created_at)
        if told is not None:
            old = await self._store.called(row, sent_as=told.id, shown_as=None, now=self._now())
        else:
            content, view = self._sheets.call(table, user_id)
            message = await self._deliver(table, row, Letter(view, content, rings=user_id))
            if message is None:
                await self._store.drop(row.id)
                return
            old = await self._store.called(row, sent_as=message.id, shown_as=message.id, now=self._now())
        await self._remove(head, old)

    async def _recall(self, table: Table, row: OutboxRow) -> None:
        """Take back a call that somebody may have sent just before it lost its sense."""
        channel = self._postman.channel(table.head.channel_id, table.head.guild_id)
        found = await self._postman.find(channel, row.nonce)
        if found is not None:
            await self._remove(table.head, found.id)
        await self._store.drop(row.id)

    async def _remove(self, head: Head, message_id: int | None) -> None:
        """Delete a message of the table that has had its time."""
        if message_id is None:
            return
        channel = self._postman.channel(head.channel_id, head.guild_id)
        try:
            await channel.get_partial_message(message_id).delete()
        except discord.NotFound:
            log.info("a message to delete was gone already")
        await self._store.retired(message_id)


def _board_nonce(head: Head) -> str:
    """The same for every attempt to post the board that follows the one which is shown, and for no other board."""
    name = f"{head.match_id}/{head.created_at}/{head.board_message_id}"
    return "b" + blake2b(name.encode(), digest_size=12).hexdigest()
