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

from bot.core.discord_errors import LeaseLost, compute_post_delay, format_error_code, is_content_rejected
from bot.core.languages import Languages
from bot.core.logs import get_logger
from bot.sending.boards import Boards, create_nonce
from bot.sending.live_hands import LiveHands
from bot.sending.post_lease import PostLease, open_lease
from bot.sending.scroll import ScrollCounter
from bot.sending.sender import Outgoing, Sender
from bot.tables.end_views import build_sealed_end_view, build_sealed_round_view
from bot.tables.messages import MessageBuilder
from bot.tables.service import Table, TableCache
from data.store.log.match_values import Head
from data.store.outbox import outbox_values
from data.store.outbox.outbox import STANDALONE_KINDS
from data.store.outbox.outbox_values import BOARD, RECALL, REMOVE, SHRINK, TURN_KINDS, Batch, DeliveryStatus, OutboxRow
from data.store.store import Store
from engine.table.refusals import RefusalError
from engine.table.table_events import is_sealed
from engine.table.table_posts import INVITATION, TURN
from engine.table.table_state import TableState
from engine.table.terms import Terms

log = get_logger(__name__)

Writer = Callable[[Table, OutboxRow], Awaitable[Outgoing | None]]
"""Makes the message of a post; None if the post is outdated and dropped."""

CLEANUP_KINDS: Final = (RECALL, REMOVE, SHRINK)  # clean-up, which comes last
CALL_MAX_AGE: Final = 5_000  # ms after which a call needs fresh data: another process may have acted on the table
LATE_KINDS: Final = (BOARD, TURN, INVITATION, *CLEANUP_KINDS)


@dataclass(eq=False, repr=False)
class Publisher:
    """Updates the public messages of a table, one run at a time for each table."""

    _sender: Sender
    _store: Store
    _tables: TableCache
    _languages: Languages
    _scroll: ScrollCounter
    live_hands: LiveHands
    _now: Callable[[], int]
    on_call: Callable[[int, int], None] = lambda guild_id, user_id: None  # a player is called, with guild and user id

    def __post_init__(self) -> None:
        self._boards = Boards(self._sender, self._scroll)
        # By the kinds of posts that go to the channel of the table.
        self.writers: dict[str, Writer] = {"round": self._build_round_end, "end": self._build_match_end}

    async def publish(self, match_id: int, on_read: Callable[[], None] = lambda: None) -> None:
        """Send everything that is pending. Raises the failure, after postponing its post.

        `on_read` is called before each read of the pending rows.
        """
        fates: list[DeliveryStatus] = []
        while True:
            on_read()
            batch = await self._store.outbox.lease_due_posts(match_id, fates, nonce=create_nonce(), now=self._now())
            if batch is None:
                return
            fates = await self._deliver_batch(batch)

    async def _deliver_batch(self, batch: Batch) -> list[DeliveryStatus]:
        """Return the outcomes of a batch; they are written before a failure is raised."""
        taken_at = self._now()
        failed: Exception | None = None
        async with open_lease(self._store, batch.rows, batch.until, self._now) as lease:
            try:
                await self._send_rows(await self._load_table(batch.head), batch, lease, taken_at)
            except Exception as error:
                failed = error
        if failed is not None:
            await self._store.outbox.note_statuses(lease.list_outcomes(), now=self._now())
            raise failed
        return lease.list_outcomes()

    async def _load_table(self, head: Head) -> Table:
        try:
            return await self._tables.load_with_credit(head)
        except RefusalError:
            if await self._store.quarantine.find_quarantined(head.match_id) is None:
                raise
        # The log is unreadable, so only the head is known.
        return Table(head, TableState(terms=Terms(game=head.game, seats=1, target=1, by_hand=False)), None)

    async def _send_rows(self, table: Table, batch: Batch, lease: PostLease, taken_at: int) -> None:
        rows, head = batch.rows, batch.head
        if table.state.seq != table.head.seq:
            # The log was just quarantined: send only the posts about that, and the clean-up.
            rows = tuple(row for row in rows if row.kind in STANDALONE_KINDS)
        else:
            # Private messages are updated at the same time as public ones.
            self.live_hands.follow(self._tables.choose_newest(table))
        for row in rows:
            if row.kind not in LATE_KINDS and await self._try(row, self._send_post, table, lease) is None:
                break  # another process handles these and all later ones
        messages = await self._languages.build_guild_messages(batch.guild)
        for row in rows:
            if row.kind == BOARD:
                # If the table has changed since, one picture shows both changes.
                table = self._tables.choose_newest(table)
                if isinstance(
                    await self._try(row, partial(self._show_board, messages=messages), table, lease),
                    outbox_values.RowCleared,
                ):
                    return  # it needs another nonce, and comes before the call
        for row in rows:
            if row.kind == TURN:
                if self._tables.is_outdated(head) or self._now() >= taken_at + CALL_MAX_AGE:
                    return  # the call may be outdated
                await self._try(row, partial(self._send_call, batch=batch, messages=messages), table, lease)
            elif row.kind == INVITATION:
                # The call has a link to the board, which exists by now.
                await self._try(row, self._send_post, table, lease)
        for row in rows:
            if row.kind in CLEANUP_KINDS:
                await self._try(row, partial(self._clean_up, messages=messages), table, lease)

    async def _try(
        self,
        row: OutboxRow,
        deliver: Callable[[Table, OutboxRow], Awaitable[DeliveryStatus]],
        table: Table,
        lease: PostLease,
    ) -> DeliveryStatus | None:
        """Return the outcome; None if another process handles the post."""
        try:
            with lease.guard(row):
                fate = await deliver(table, row)
        except LeaseLost:
            log.info("a post is left to who has it by now", kind=row.kind, match=row.match_id)
            lease.drop(row)
            return None
        except Exception as error:
            is_rejected = isinstance(error, discord.HTTPException) and is_content_rejected(error, row.attempts + 1)
            is_garbled = isinstance(error, LookupError) and not row.body
            if is_rejected or is_garbled:
                # Later posts must not wait forever.
                code, server = format_error_code(error), table.head.guild_id
                log.warning("a post is given up", kind=row.kind, code=code, server=server)
                fate = outbox_values.PostRejected(row, table.head, getattr(error, "code", 0))
            else:
                # Every failure waits longer; the announcer decides when to retry a board.
                wait = 0 if row.kind == BOARD else compute_post_delay(error, row.attempts)
                lease.settle(outbox_values.PostPostponed(row, self._now() + wait))
                raise
        lease.settle(fate)
        return fate

    async def _show_board(self, table: Table, row: OutboxRow, *, messages: MessageBuilder) -> DeliveryStatus:
        """Update the board to the head of the log.

        Another process may skip the board because this one is updating it. Showing newer changes before the outcome is
        written ensures that no outdated board remains.
        """
        # One may have been posted but not recorded before the table moved.
        await self._delete_earlier(table, row, str(row.body["nonce"]))
        fate = await self._boards.show(table, row, messages)
        if isinstance(fate, outbox_values.BoardShown):
            log.info("shown", match=table.head.match_id, seq=table.head.seq, server=table.head.guild_id)
        return fate

    async def _clean_up(self, table: Table, row: OutboxRow, *, messages: MessageBuilder) -> DeliveryStatus:
        """Delete an outdated message, or what a crash or failure has left."""
        if row.kind == RECALL:
            return await self._delete_outdated(table, row)
        old, board = int(row.body["message"]), table.head.board_message_id
        channel = self._sender.get_channel(row.channel_id, table.head.guild_id)
        if row.channel_id != table.head.channel_id:
            with suppress(discord.Forbidden):  # the table left a channel that the bot cannot write to
                await self._sender.delete(channel, old)
        elif row.kind == SHRINK and board is not None:
            await self._boards.shrink(table.head, old, board, messages)
        else:
            await self._sender.delete(channel, old)
        return outbox_values.RowCleared(row)

    async def _build_round_end(self, table: Table, row: OutboxRow) -> Outgoing:
        earlier_table = await self._tables.load_earlier(row.match_id, int(row.body["seq"]))
        messages = await self._languages.load_guild_messages(table.head.guild_id)
        if is_sealed(table.state):
            return Outgoing(build_sealed_round_view(earlier_table, earlier_table.match.round, messages.words))
        content = await messages.build_round_end(earlier_table, int(row.body["opener"]))
        return Outgoing(content.view, files=content.files)

    async def _build_match_end(self, table: Table, row: OutboxRow) -> Outgoing:
        earlier_table = await self._tables.load_earlier(row.match_id, int(row.body["seq"]))
        messages = await self._languages.load_guild_messages(table.head.guild_id)
        if is_sealed(table.state):
            return Outgoing(build_sealed_end_view(earlier_table, messages.words))
        content = await messages.build_match_end(earlier_table)
        return Outgoing(content.view, files=content.files)

    async def _send_post(self, table: Table, row: OutboxRow) -> DeliveryStatus:
        user_id = table.find_turn_user() if row.kind == "remind" else None
        if user_id is not None:
            self.on_call(table.head.guild_id, user_id)
        writer = self.writers.get(row.kind)
        outgoing = None if writer is None else await writer(table, row)
        if outgoing is None:
            return await self._delete_outdated(table, row)
        message = await self._deliver(table, row, outgoing)
        if message is None:
            return outbox_values.PostDropped(row)
        # Later edits and deletions need the actual channel, which the table may have left.
        where = message.channel.id if isinstance(message, discord.Message) else None
        return outbox_values.PostSent(row, message.id, ends_with_turn=row.kind in TURN_KINDS, channel_id=where)

    async def _deliver(self, table: Table, row: OutboxRow, outgoing: Outgoing) -> discord.abc.Snowflake | None:
        """Send a message directly to its user, or to the table's current channel."""
        since = row.first_attempt_at
        if outgoing.direct is not None:
            sent = await self._sender.send_direct(outgoing.direct, outgoing, nonce=row.nonce, since=since)
            if sent is not None:
                return sent
        for place in await self._list_earlier_channels(table, row):
            if (found := await self._find(place, row, row.nonce)) is not None:
                return found
        channel = self._sender.get_channel(table.head.channel_id, table.head.guild_id)
        return await self._sender.send(channel, outgoing, nonce=row.nonce, since=since)

    async def _list_earlier_channels(self, table: Table, row: OutboxRow) -> list[discord.PartialMessageable]:
        """Return channels that the table has left, where an earlier attempt may have sent a post."""
        if row.attempts == 0:
            return []
        later = await self._store.matches.list_later_channels(row.match_id)
        places = {row.channel_id, *later} - {table.head.channel_id}
        return [self._sender.get_channel(place, table.head.guild_id) for place in sorted(places)]

    async def _delete_earlier(self, table: Table, row: OutboxRow, nonce: str) -> None:
        """Delete what an earlier attempt may have sent to a channel that the table has left."""
        for place in await self._list_earlier_channels(table, row):
            if (found := await self._find(place, row, nonce)) is not None:
                await self._sender.delete(place, found.id)

    async def _find(self, place: discord.PartialMessageable, row: OutboxRow, nonce: str) -> discord.Message | None:
        try:
            return await self._sender.find(place, nonce, since=row.created_at)
        except discord.NotFound:
            return None  # the channel is deleted

    async def _send_call(
        self, table: Table, row: OutboxRow, *, batch: Batch, messages: MessageBuilder
    ) -> DeliveryStatus:
        user_id, turn = table.find_turn_user(), table.head.turn
        if batch.called_player is None or user_id is None or turn is None or turn.seat != row.body["seat"]:
            return await self._delete_outdated(table, row)
        self.on_call(table.head.guild_id, user_id)
        pings = batch.called_player.pings
        if pings == "none":
            return await self._delete_outdated(table, row)
        if pings == "dm":
            own_messages = self._languages.build_direct_messages(batch.called_player, messages)
            direct, since = Outgoing(*own_messages.build_direct_call(table)), row.first_attempt_at
            sent = await self._sender.send_direct(user_id, direct, nonce=row.nonce, since=since)
            if sent is not None:
                return outbox_values.CallSent(row, sent_as=sent.id, shown_as=None)
        content, view = messages.build_call(table, user_id)
        message = await self._deliver(table, row, Outgoing(view, content, pinged_users=user_id))
        if message is None:
            return outbox_values.PostDropped(row)
        return outbox_values.CallSent(row, sent_as=message.id, shown_as=message.id)

    async def _delete_outdated(self, table: Table, row: OutboxRow) -> DeliveryStatus:
        """Delete an outdated post that an earlier attempt may have sent."""
        if row.first_attempt_at is not None:
            channel = self._sender.get_channel(table.head.channel_id, table.head.guild_id)
            if (found := await self._sender.find(channel, row.nonce, since=row.first_attempt_at)) is not None:
                await self._sender.delete(channel, found.id)
            await self._delete_earlier(table, row, row.nonce)
        return outbox_values.PostDropped(row)
