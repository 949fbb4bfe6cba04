"""What one table has to say in public: the board, the line that calls the next player, the ends of rounds and matches.

What has to be said stands in the store before it is sent: a board is behind when `shown_seq < seq`, everything else is
an outbox row. So nothing is lost by a crash in between. Rows are taken before they are dealt with, by one process at a
time, and whoever takes up what another has begun looks first what has become of it. What became of them is noted
together, in the transaction that takes what there is to say by then.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final

import discord

from bot.core.discord_errors import TooLate, code_of, is_refused, put_off_after
from bot.core.languages import Languages
from bot.core.logs import logger
from bot.sending.boards import Boards, new_nonce
from bot.sending.live_hands import LiveHands
from bot.sending.post_lease import Held, kept
from bot.sending.scroll import Scroll
from bot.sending.sender import Outgoing, Sender
from bot.tables.end_views import sealed_end_view, sealed_round_view
from bot.tables.messages import MessageBuilder
from bot.tables.service import Table, Tables
from data.store.log.match_values import Head
from data.store.outbox.outbox import PLAIN
from data.store.outbox.outbox_values import (
    BOARD,
    PASSING,
    RECALL,
    REMOVE,
    SHRINK,
    Batch,
    Called,
    Cleared,
    Dropped,
    Fate,
    OutboxRow,
    PutOff,
    Sent,
    Shown,
    Unwanted,
)
from data.store.store import Store
from engine.table.refusals import Refused
from engine.table.table_events import is_sealed
from engine.table.table_posts import INVITATION, TURN
from engine.table.table_state import TableState
from engine.table.terms import Terms

log = logger(__name__)

Writer = Callable[[Table, OutboxRow], Awaitable[Outgoing | None]]
"""Makes the message of a post; None where it has lost its sense and is dropped."""

CHORES: Final = (RECALL, REMOVE, SHRINK)
"""Kinds that stand for something to clear away, which comes last."""

SOON: Final = 5_000
"""Ms after which nobody is called by what was read before: while Discord asked for patience, another process may have
acted on the table.
"""

LATER: Final = (BOARD, TURN, INVITATION, *CHORES)
"""Kinds that come after the other posts."""


class Publisher:
    """Brings the public messages of a table to the head of its log. One at a time for each table."""

    def __init__(
        self,
        sender: Sender,
        store: Store,
        tables: Tables,
        languages: Languages,
        scroll: Scroll,
        live_hands: LiveHands,
        now: Callable[[], int],
    ) -> None:
        self._sender = sender
        self._store = store
        self._tables = tables
        self._languages = languages
        self._boards = Boards(sender, scroll)
        self.live_hands = live_hands
        self._now = now
        self.writers: dict[str, Writer] = {"round": self._round_end, "end": self._match_end}
        """Who writes the posts of each kind that go to the channel of the table."""

    async def publish(self, match_id: int, looks: Callable[[], None] = lambda: None) -> None:
        """Say all there is to say; `looks` is told each time before it is found out what that is. Raises what went
        wrong; the post that failed is put off.
        """
        became: list[Fate] = []
        while True:
            looks()
            batch = await self._store.outbox.take_posts(match_id, became, nonce=new_nonce(), now=self._now())
            if batch is None:
                return
            became = await self._dealt_with(batch)

    async def _dealt_with(self, batch: Batch) -> list[Fate]:
        """What became of all that was taken. Where something goes wrong, that is noted before it is raised."""
        taken_at = self._now()
        failed: Exception | None = None
        async with kept(self._store, batch.rows, batch.until, self._now) as held:
            try:
                await self._say(await self._table(batch.head), batch, held, taken_at)
            except Exception as error:
                failed = error
        if failed is not None:
            await self._store.outbox.note(held.became(), now=self._now())
            raise failed
        return held.became()

    async def _table(self, head: Head) -> Table:
        try:
            return await self._tables.standing(head)
        except Refused:
            if await self._store.quarantine.quarantine_of(head.match_id) is None:
                raise
        # It cannot be read, and nothing is known of it but what stands outside its log.
        return Table(head, TableState(terms=Terms(game=head.game, seats=1, target=1, by_hand=False)), None)

    async def _say(self, table: Table, batch: Batch, held: Held, taken_at: int) -> None:
        rows, head = batch.rows, batch.head
        if table.state.seq != table.head.seq:
            # Its log cannot be read: it has just been set aside: that is told, and what had its time is cleared away.
            rows = tuple(row for row in rows if row.kind in PLAIN)
        else:
            # Each sees in private what everybody sees, and at the same time.
            self.live_hands.follow(self._tables.newest(table))
        for row in rows:
            if row.kind not in LATER and await self._trying(row, self._post, table, held) is None:
                break  # another process is at it, and those behind it come after it
        messages = await self._languages.messages_for(batch.guild)
        for row in rows:
            if row.kind == BOARD:
                # Somebody may have acted since: then one picture shows both.
                table = self._tables.newest(table)
                if isinstance(await self._trying(row, partial(self._show, messages=messages), table, held), Cleared):
                    return  # it needs another nonce, and comes before the call
        for row in rows:
            if row.kind == TURN:
                if self._tables.moved_on(head) or self._now() >= taken_at + SOON:
                    return  # nobody is called by what may not be so any more
                await self._trying(row, partial(self._call, batch=batch, messages=messages), table, held)
            elif row.kind == INVITATION:
                # It leads to the table, which is there by now.
                await self._trying(row, self._post, table, held)
        for row in rows:
            if row.kind in CHORES:
                await self._trying(row, partial(self._retire, messages=messages), table, held)

    async def _trying(
        self, row: OutboxRow, deliver: Callable[[Table, OutboxRow], Awaitable[Fate]], table: Table, held: Held
    ) -> Fate | None:
        """What became of it; None where somebody else deals with it, or has."""
        try:
            with held.only(row):
                fate = await deliver(table, row)
        except TooLate:
            log.info("a post is left to who has it by now", kind=row.kind, match=row.match_id)
            held.leave(row)
            return None
        except Exception as error:
            if isinstance(error, discord.HTTPException) and is_refused(error, row.attempts + 1):
                # What comes after it need not wait for ever.
                log.warning("a post is given up", kind=row.kind, code=code_of(error), server=table.head.guild_id)
                fate = Unwanted(row, table.head, error.code)
            else:
                # Whatever it was, a post that fails waits longer each time. When a board is tried again, the announcer
                # says.
                wait = 0 if row.kind == BOARD else put_off_after(error, row.attempts)
                held.settle(PutOff(row, self._now() + wait))
                raise
        held.settle(fate)
        return fate

    # -- the board

    async def _show(self, table: Table, row: OutboxRow, *, messages: MessageBuilder) -> Fate:
        """Bring the board to the head.

        Another process may leave it alone because this one is at it. Whoever looks once more when it is noted, and
        shows again what is newer, cannot leave an old one behind.
        """
        await self._take_down(table, row, str(row.body["nonce"]))  # one that was posted and not noted, before it moved
        fate = await self._boards.show(table, row, messages)
        if isinstance(fate, Shown):
            log.info("shown", match=table.head.match_id, seq=table.head.seq, server=table.head.guild_id)
        return fate

    async def _retire(self, table: Table, row: OutboxRow, *, messages: MessageBuilder) -> Fate:
        """Clear away what has had its time, or what a crash or a failure has left undone."""
        if row.kind == RECALL:
            return await self._recall(table, row)
        old, board = int(row.body["message"]), table.head.board_message_id
        channel = self._sender.channel(row.channel_id, table.head.guild_id)
        if row.channel_id != table.head.channel_id:
            with suppress(discord.Forbidden):  # the table left because nobody lets the bot in there any more
                await self._sender.delete(channel, old)
        elif row.kind == SHRINK and board is not None:
            await self._boards.shrink(table.head, old, board, messages)
        else:
            await self._sender.delete(channel, old)
        return Cleared(row)

    # -- posts

    async def _round_end(self, table: Table, row: OutboxRow) -> Outgoing:
        then = await self._tables.earlier(row.match_id, int(row.body["seq"]))
        messages = await self._languages.messages_at(table.head.guild_id)
        if is_sealed(table.state):
            return Outgoing(sealed_round_view(then, then.match.round, messages.words))
        content = await messages.round_end(then, int(row.body["opener"]))
        return Outgoing(content.view, files=content.files)

    async def _match_end(self, table: Table, row: OutboxRow) -> Outgoing:
        then = await self._tables.earlier(row.match_id, int(row.body["seq"]))
        messages = await self._languages.messages_at(table.head.guild_id)
        if is_sealed(table.state):
            return Outgoing(sealed_end_view(then, messages.words))
        content = await messages.match_end(then)
        return Outgoing(content.view, files=content.files)

    async def _post(self, table: Table, row: OutboxRow) -> Fate:
        writer = self.writers.get(row.kind)
        outgoing = None if writer is None else await writer(table, row)
        if outgoing is None:
            return await self._recall(table, row)
        message = await self._deliver(table, row, outgoing)
        if message is None:
            return Dropped(row)
        # Whoever changes or deletes it one day looks for it where it is, and not where the table was.
        where = message.channel.id if isinstance(message, discord.Message) else None
        return Sent(row, message.id, passing=row.kind in PASSING, channel_id=where)

    async def _deliver(self, table: Table, row: OutboxRow, outgoing: Outgoing) -> discord.abc.Snowflake | None:
        """Send a message to the person it is for, or to where the table is now: it may have moved since."""
        if outgoing.direct is not None:
            told = await self._sender.send_direct(outgoing.direct, outgoing, nonce=row.nonce, since=row.tried_since)
            if told is not None:
                return told
        for place in await self._earlier_places(table, row):
            if (sent := await self._find(place, row, row.nonce)) is not None:
                return sent
        channel = self._sender.channel(table.head.channel_id, table.head.guild_id)
        return await self._sender.send(channel, outgoing, nonce=row.nonce, since=row.tried_since)

    async def _earlier_places(self, table: Table, row: OutboxRow) -> list[discord.PartialMessageable]:
        """Where an earlier attempt may have sent a post that the table is no more: each goes to where it is by then."""
        if row.attempts == 0:
            return []
        places = {row.channel_id, *await self._store.matches.channels_moved_to(row.match_id)} - {table.head.channel_id}
        return [self._sender.channel(place, table.head.guild_id) for place in sorted(places)]

    async def _take_down(self, table: Table, row: OutboxRow, nonce: str) -> None:
        """Where the table is no more nothing stays that an earlier attempt may have sent there."""
        for place in await self._earlier_places(table, row):
            if (found := await self._find(place, row, nonce)) is not None:
                await self._sender.delete(place, found.id)

    async def _find(self, place: discord.PartialMessageable, row: OutboxRow, nonce: str) -> discord.Message | None:
        try:
            return await self._sender.find(place, nonce, since=row.created_at)
        except discord.NotFound:
            return None  # that channel is gone, and all that stood there

    # -- the call

    async def _call(self, table: Table, row: OutboxRow, *, batch: Batch, messages: MessageBuilder) -> Fate:
        """Tell the next player, the way they want it."""
        user_id, turn = table.turn_user(), table.head.turn
        if batch.called is None or user_id is None or turn is None or turn.seat != row.body["seat"]:
            return await self._recall(table, row)
        pings = batch.called.pings
        if pings == "none":
            return await self._recall(table, row)
        if pings == "dm":
            own = self._languages.messages_alone(batch.called, messages)
            alone = Outgoing(*own.direct_call(table))
            told = await self._sender.send_direct(user_id, alone, nonce=row.nonce, since=row.tried_since)
            if told is not None:
                return Called(row, sent_as=told.id, shown_as=None)
        content, view = messages.call(table, user_id)
        message = await self._deliver(table, row, Outgoing(view, content, rings=user_id))
        return Dropped(row) if message is None else Called(row, sent_as=message.id, shown_as=message.id)

    async def _recall(self, table: Table, row: OutboxRow) -> Fate:
        """A post has lost its sense; where somebody may have sent it before, it is looked for and deleted."""
        if row.tried_since is not None:
            channel = self._sender.channel(table.head.channel_id, table.head.guild_id)
            if (found := await self._sender.find(channel, row.nonce, since=row.tried_since)) is not None:
                await self._sender.delete(channel, found.id)
            await self._take_down(table, row, row.nonce)
        return Dropped(row)
