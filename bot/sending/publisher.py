"""The public messages of a table: the board, the call of the next player, the ends of rounds and matches.

The store has everything to send before it is sent: a board is outdated while `shown_seq < seq`, the rest are outbox
rows. A crash therefore loses nothing. One process at a time leases the rows, and the next one first looks what has
arrived. The outcomes are written in the transaction that leases the next rows.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
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
from data.store.outbox import outbox_values
from data.store.outbox.outbox import PLAIN
from data.store.outbox.outbox_values import BOARD, PASSING, RECALL, REMOVE, SHRINK, Batch, Fate, OutboxRow
from data.store.store import Store
from engine.table.refusals import Refused
from engine.table.table_events import is_sealed
from engine.table.table_posts import INVITATION, TURN
from engine.table.table_state import TableState
from engine.table.terms import Terms

log = logger(__name__)

Writer = Callable[[Table, OutboxRow], Awaitable[Outgoing | None]]
"""Makes the message of a post; None if the post is outdated and dropped."""

CHORES: Final = (RECALL, REMOVE, SHRINK)  # clean-up, which comes last
SOON: Final = 5_000  # ms after which a call needs fresh data: another process may have acted on the table
LATER: Final = (BOARD, TURN, INVITATION, *CHORES)


@dataclass(eq=False, repr=False)
class Publisher:
    """Updates the public messages of a table, one run at a time for each table."""

    _sender: Sender
    _store: Store
    _tables: Tables
    _languages: Languages
    _scroll: Scroll
    live_hands: LiveHands
    _now: Callable[[], int]

    def __post_init__(self) -> None:
        self._boards = Boards(self._sender, self._scroll)
        # By the kinds of posts that go to the channel of the table.
        self.writers: dict[str, Writer] = {"round": self._round_end, "end": self._match_end}

    async def publish(self, match_id: int, looks: Callable[[], None] = lambda: None) -> None:
        """Send everything that is pending. Raises the failure, after postponing its post.

        `looks` is called before each read of the pending rows.
        """
        became: list[Fate] = []
        while True:
            looks()
            batch = await self._store.outbox.take_posts(match_id, became, nonce=new_nonce(), now=self._now())
            if batch is None:
                return
            became = await self._deliver_batch(batch)

    async def _deliver_batch(self, batch: Batch) -> list[Fate]:
        """Return the outcomes of a batch; they are written before a failure is raised."""
        taken_at = self._now()
        failed: Exception | None = None
        async with kept(self._store, batch.rows, batch.until, self._now) as held:
            try:
                await self._send_rows(await self._table(batch.head), batch, held, taken_at)
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
        # The log is unreadable, so only the head is known.
        return Table(head, TableState(terms=Terms(game=head.game, seats=1, target=1, by_hand=False)), None)

    async def _send_rows(self, table: Table, batch: Batch, held: Held, taken_at: int) -> None:
        rows, head = batch.rows, batch.head
        if table.state.seq != table.head.seq:
            # The log was just quarantined: send only the posts about that, and the clean-up.
            rows = tuple(row for row in rows if row.kind in PLAIN)
        else:
            # Private messages are updated at the same time as public ones.
            self.live_hands.follow(self._tables.newest(table))
        for row in rows:
            if row.kind not in LATER and await self._try(row, self._post, table, held) is None:
                break  # another process handles these and all later ones
        messages = await self._languages.messages_for(batch.guild)
        for row in rows:
            if row.kind == BOARD:
                # If the table has changed since, one picture shows both changes.
                table = self._tables.newest(table)
                if isinstance(
                    await self._try(row, partial(self._show, messages=messages), table, held), outbox_values.Cleared
                ):
                    return  # it needs another nonce, and comes before the call
        for row in rows:
            if row.kind == TURN:
                if self._tables.moved_on(head) or self._now() >= taken_at + SOON:
                    return  # the call may be outdated
                await self._try(row, partial(self._call, batch=batch, messages=messages), table, held)
            elif row.kind == INVITATION:
                # The call has a link to the board, which exists by now.
                await self._try(row, self._post, table, held)
        for row in rows:
            if row.kind in CHORES:
                await self._try(row, partial(self._clean_up, messages=messages), table, held)

    async def _try(
        self, row: OutboxRow, deliver: Callable[[Table, OutboxRow], Awaitable[Fate]], table: Table, held: Held
    ) -> Fate | None:
        """Return the outcome; None if another process handles the post."""
        try:
            with held.only(row):
                fate = await deliver(table, row)
        except TooLate:
            log.info("a post is left to who has it by now", kind=row.kind, match=row.match_id)
            held.leave(row)
            return None
        except Exception as error:
            if isinstance(error, discord.HTTPException) and is_refused(error, row.attempts + 1):
                # Later posts must not wait forever.
                log.warning("a post is given up", kind=row.kind, code=code_of(error), server=table.head.guild_id)
                fate = outbox_values.Unwanted(row, table.head, error.code)
            else:
                # Every failure waits longer; the announcer decides when to retry a board.
                wait = 0 if row.kind == BOARD else put_off_after(error, row.attempts)
                held.settle(outbox_values.PutOff(row, self._now() + wait))
                raise
        held.settle(fate)
        return fate

    async def _show(self, table: Table, row: OutboxRow, *, messages: MessageBuilder) -> Fate:
        """Update the board to the head of the log.

        Another process may skip the board because this one is updating it. Showing newer changes before the outcome is
        written ensures that no outdated board remains.
        """
        # One may have been posted but not recorded before the table moved.
        await self._delete_earlier(table, row, str(row.body["nonce"]))
        fate = await self._boards.show(table, row, messages)
        if isinstance(fate, outbox_values.Shown):
            log.info("shown", match=table.head.match_id, seq=table.head.seq, server=table.head.guild_id)
        return fate

    async def _clean_up(self, table: Table, row: OutboxRow, *, messages: MessageBuilder) -> Fate:
        """Delete an outdated message, or what a crash or failure has left."""
        if row.kind == RECALL:
            return await self._recall(table, row)
        old, board = int(row.body["message"]), table.head.board_message_id
        channel = self._sender.channel(row.channel_id, table.head.guild_id)
        if row.channel_id != table.head.channel_id:
            with suppress(discord.Forbidden):  # the table left a channel that the bot cannot write to
                await self._sender.delete(channel, old)
        elif row.kind == SHRINK and board is not None:
            await self._boards.shrink(table.head, old, board, messages)
        else:
            await self._sender.delete(channel, old)
        return outbox_values.Cleared(row)

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
            return outbox_values.Dropped(row)
        # Later edits and deletions need the actual channel, which the table may have left.
        where = message.channel.id if isinstance(message, discord.Message) else None
        return outbox_values.Sent(row, message.id, passing=row.kind in PASSING, channel_id=where)

    async def _deliver(self, table: Table, row: OutboxRow, outgoing: Outgoing) -> discord.abc.Snowflake | None:
        """Send a message directly to its user, or to the table's current channel."""
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
        """Return channels that the table has left, where an earlier attempt may have sent a post."""
        if row.attempts == 0:
            return []
        places = {row.channel_id, *await self._store.matches.channels_moved_to(row.match_id)} - {table.head.channel_id}
        return [self._sender.channel(place, table.head.guild_id) for place in sorted(places)]

    async def _delete_earlier(self, table: Table, row: OutboxRow, nonce: str) -> None:
        """Delete what an earlier attempt may have sent to a channel that the table has left."""
        for place in await self._earlier_places(table, row):
            if (found := await self._find(place, row, nonce)) is not None:
                await self._sender.delete(place, found.id)

    async def _find(self, place: discord.PartialMessageable, row: OutboxRow, nonce: str) -> discord.Message | None:
        try:
            return await self._sender.find(place, nonce, since=row.created_at)
        except discord.NotFound:
            return None  # the channel is deleted

    async def _call(self, table: Table, row: OutboxRow, *, batch: Batch, messages: MessageBuilder) -> Fate:
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
                return outbox_values.Called(row, sent_as=told.id, shown_as=None)
        content, view = messages.call(table, user_id)
        message = await self._deliver(table, row, Outgoing(view, content, rings=user_id))
        return (
            outbox_values.Dropped(row)
            if message is None
            else outbox_values.Called(row, sent_as=message.id, shown_as=message.id)
        )

    async def _recall(self, table: Table, row: OutboxRow) -> Fate:
        """Delete an outdated post that an earlier attempt may have sent."""
        if row.tried_since is not None:
            channel = self._sender.channel(table.head.channel_id, table.head.guild_id)
            if (found := await self._sender.find(channel, row.nonce, since=row.tried_since)) is not None:
                await self._sender.delete(channel, found.id)
            await self._delete_earlier(table, row, row.nonce)
        return outbox_values.Dropped(row)
