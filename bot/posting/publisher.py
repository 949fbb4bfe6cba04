"""What one table has to say in public: the board, the line that calls the next player, the ends of rounds and matches.

What has to be said stands in the store before it is sent: a board is behind when `shown_seq < seq`, everything else is
an outbox row. So nothing is lost by a crash in between. A row is taken before it is dealt with, by one process at a
time, and whoever takes up what another has begun looks first what has become of it.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import discord

from bot.base.discord_errors import code_of, is_refused, put_off_after
from bot.base.logs import logger
from bot.base.requests import TooLate
from bot.posting.boards import Boards
from bot.posting.lease import kept
from bot.posting.scroll import Scroll
from bot.posting.sending import Outgoing, Sender
from bot.service.tables import Table, Tables
from bot.views.languages import Languages
from data.store import BOARD, RECALL, REMOVE, SHRINK, TURN, Head, OutboxRow, Store
from engine.table.posts import ASIDE, INVITATION
from engine.table.refusals import Refused
from engine.table.state import TableState
from engine.table.terms import Terms

log = logger(__name__)

Writer = Callable[[Table, OutboxRow], Awaitable[Outgoing | None]]
"""Makes the message of a post; None where it has lost its sense and is dropped."""

ROWS: Final = 20
"""Posts of one table that are sent in one go."""

CHORES: Final = (RECALL, REMOVE, SHRINK)
"""Kinds that stand for something to clear away, which comes last."""

PASSING: Final = ("remind", "next_up")
"""Kinds that are good for one turn: their messages go when it ends."""

LATER: Final = (BOARD, TURN, INVITATION, *CHORES)
"""Kinds that come after the other posts."""


class Publisher:
    """Brings the public messages of a table to the head of its log. One at a time for each table."""

    def __init__(
        self, sender: Sender, store: Store, tables: Tables, languages: Languages, scroll: Scroll, now: Callable[[], int]
    ) -> None:
        self._sender = sender
        self._store = store
        self._tables = tables
        self._languages = languages
        self._boards = Boards(sender, store, languages, scroll, now)
        self._now = now
        self.writers: dict[str, Writer] = {"round": self._round_end, "end": self._match_end}
        """Who writes the posts of each kind that go to the channel of the table."""

    async def publish(self, match_id: int) -> None:
        """Say all there is to say. Raises what went wrong; the post that failed is put off."""
        # The rows first: a table read before them could be older than what they call for.
        rows = await self._store.due_outbox(self._now(), limit=ROWS, match_id=match_id)
        try:
            table = await self._tables.load(match_id)
        except Refused:
            if await self._store.aside_of(match_id) is None:
                raise
            await self._say_aside(match_id)
            return
        for row in rows:
            if row.kind not in LATER and not await self._trying(row, self._post, table):
                break  # another process is at it, and those behind it come after it
        if table.head.dirty or any(row.kind == BOARD for row in rows):
            table = await self._show(table)
        for row in rows:
            if row.kind == TURN:
                await self._trying(row, self._call, table)
            elif row.kind == INVITATION:
                # It leads to the table, which is there by now.
                await self._trying(row, self._post, table)
        for row in rows:
            if row.kind in CHORES:
                await self._trying(row, self._retire, table)

    async def _say_aside(self, match_id: int) -> None:
        """A table cannot be read and is set aside: that is told, and what had its time is cleared away."""
        head = await self._store.head(match_id)
        assert head is not None
        # Nothing is known of it but what stands outside its log.
        table = Table(head, TableState(terms=Terms(game=head.game, seats=1, target=1, by_hand=False)), None)
        for row in await self._store.due_outbox(self._now(), limit=ROWS, match_id=match_id):
            await self._trying(row, self._post if row.kind == ASIDE else self._retire, table)

    async def _trying(
        self, row: OutboxRow, deliver: Callable[[Table, OutboxRow], Awaitable[None]], table: Table
    ) -> bool:
        """False where somebody else deals with it, or has."""
        if not await self._store.take(row, now=self._now()):
            return False
        try:
            async with kept(self._store, row, self._now):
                await deliver(table, row)
        except TooLate:
            log.info("a post is left to who has it by now", kind=row.kind, match=row.match_id)
            return False
        except Exception as error:
            if isinstance(error, discord.HTTPException) and is_refused(error, row.attempts + 1):
                # What comes after it need not wait for ever.
                await self._store.refuse(row, error.code)
                log.warning("a post is given up", kind=row.kind, code=code_of(error), server=table.head.guild_id)
                return True
            # Whatever it was, a post that fails waits longer each time.
            now = self._now()
            await self._store.put_off(row, now + put_off_after(error, row.attempts), now=now)
            raise
        return True

    # -- the board

    async def _show(self, table: Table) -> Table:
        """Bring the board to the head; returns the table it then shows.

        Another process may have given up because this one is at the board. Whoever looks once more after showing, and
        shows again what is newer, cannot leave an old one behind.
        """
        while True:
            if await self._boards.show(table):
                log.info("shown", match=table.head.match_id, seq=table.head.seq, server=table.head.guild_id)
            now = await self._tables.load(table.head.match_id)
            if now.head.seq <= table.head.seq:
                return now
            table = now

    async def _retire(self, table: Table, row: OutboxRow) -> None:
        """Do what a crash or a failure has left undone."""
        if row.kind == RECALL:
            await self._recall(table, row)
        elif row.kind == SHRINK and table.head.board_message_id is not None:
            await self._boards.shrink(table.head, int(row.body["message"]), table.head.board_message_id)
        else:
            await self._remove(table.head, int(row.body["message"]))

    # -- posts

    async def _round_end(self, table: Table, row: OutboxRow) -> Outgoing:
        then = await self._tables.earlier(row.match_id, int(row.body["seq"]))
        messages = await self._languages.messages_at(table.head.guild_id)
        content = await messages.round_end(then, int(row.body["opener"]))
        return Outgoing(content.view, files=content.files)

    async def _match_end(self, table: Table, row: OutboxRow) -> Outgoing:
        then = await self._tables.earlier(row.match_id, int(row.body["seq"]))
        messages = await self._languages.messages_at(table.head.guild_id)
        content = await messages.match_end(then)
        return Outgoing(content.view, files=content.files)

    async def _post(self, table: Table, row: OutboxRow) -> None:
        writer = self.writers.get(row.kind)
        outgoing = None if writer is None else await writer(table, row)
        if outgoing is None:
            await self._recall(table, row)
            return
        message = await self._deliver(table, row, outgoing)
        if message is None:
            await self._store.drop(row)
        elif row.kind in PASSING:
            await self._store.mark_passing(row, message.id, now=self._now())
        else:
            await self._store.mark_sent(row, message.id)

    async def _deliver(self, table: Table, row: OutboxRow, outgoing: Outgoing) -> discord.abc.Snowflake | None:
        """Send a message to the person it is for, or to where the table is now: it may have moved since."""
        if outgoing.direct is not None:
            told = await self._sender.send_direct(outgoing.direct, outgoing, nonce=row.nonce, tried=row.attempts > 0)
            if told is not None:
                return told
        sent = await self._sent_before_it_moved(table, row)
        if sent is not None:
            return sent
        channel = self._sender.channel(table.head.channel_id, table.head.guild_id)
        return await self._sender.send(channel, outgoing, nonce=row.nonce, tried=row.attempts > 0)

    async def _sent_before_it_moved(self, table: Table, row: OutboxRow) -> discord.Message | None:
        """What an earlier attempt has sent to where the table was when the post was written."""
        if row.attempts == 0 or row.channel_id == table.head.channel_id:
            return None
        try:
            return await self._sender.find(self._sender.channel(row.channel_id, table.head.guild_id), row.nonce)
        except discord.NotFound:
            return None  # that channel is gone, and all that stood there

    # -- the call

    async def _call(self, table: Table, row: OutboxRow) -> None:
        """Tell the next player, the way they want it."""
        user_id, head = table.turn_user(), table.head
        if user_id is None or head.turn is None or head.turn.seat != row.body["seat"]:
            await self._recall(table, row)
            return
        pings = (await self._store.person(user_id)).pings
        if pings == "none":
            await self._recall(table, row)
            return
        messages = await self._languages.messages_at(head.guild_id)
        told: discord.abc.Snowflake | None = None
        if pings == "dm":
            alone = Outgoing(*messages.direct_call(table))
            told = await self._sender.send_direct(user_id, alone, nonce=row.nonce, tried=row.attempts > 0)
        if told is not None:
            old = await self._store.called(row, sent_as=told.id, shown_as=None, now=self._now())
        else:
            content, view = messages.call(table, user_id)
            message = await self._deliver(table, row, Outgoing(view, content, rings=user_id))
            if message is None:
                await self._store.drop(row)
                return
            old = await self._store.called(row, sent_as=message.id, shown_as=message.id, now=self._now())
        await self._remove(head, old)

    async def _recall(self, table: Table, row: OutboxRow) -> None:
        """A post has lost its sense; where somebody may have sent it before, it is looked for and deleted."""
        if row.attempts > 0:
            channel = self._sender.channel(table.head.channel_id, table.head.guild_id)
            found = await self._sender.find(channel, row.nonce)
            if found is not None:
                await self._sender.delete(channel, found.id)
            before = await self._sent_before_it_moved(table, row)
            if before is not None:
                await self._sender.delete(self._sender.channel(row.channel_id, table.head.guild_id), before.id)
        await self._store.drop(row)

    async def _remove(self, head: Head, message_id: int | None) -> None:
        """Delete a message of the table that has had its time."""
        if message_id is None:
            return
        await self._sender.delete(self._sender.channel(head.channel_id, head.guild_id), message_id)
        await self._store.retired(message_id)
