"""The board of a table in its channel: edited in place, and posted again at the bottom when it is out of sight."""

import secrets

import discord

from bot.core.logs import get_logger
from bot.sending.delivery_marks import compute_mark, iterate_marks, mark_view
from bot.sending.scroll import ScrollCounter
from bot.sending.sender import Outgoing, Sender
from bot.tables.messages import MessageBuilder
from bot.tables.service import Table
from data.store.log.match_values import Head
from data.store.outbox.outbox_values import BoardShown, DeliveryStatus, OutboxRow, RowCleared

log = get_logger(__name__)


class Boards:
    """Shows tables. A lease in the store decides which process updates a board, so no update is lost or half done."""

    def __init__(self, sender: Sender, scroll: ScrollCounter) -> None:
        self._sender = sender
        self._scroll = scroll

    async def show(self, table: Table, row: OutboxRow, messages: MessageBuilder) -> DeliveryStatus:
        """Show the current table. `row` is the leased board."""
        head, nonce = table.head, str(row.body["nonce"])
        channel = self._sender.get_channel(head.channel_id, head.guild_id)
        old = head.board_message_id
        since = row.first_attempt_at
        message = None if since is None else await self._sender.find(channel, nonce, since=since)
        if (
            message is None
            and old is not None
            and not await self._scroll.is_far_up(channel, channel.id, old)
            and await self._edit(table, channel, old, messages)
        ):
            return BoardShown(row, head, old)
        if message is None:
            outgoing = await _build_board(table, messages)
            message = await self._sender.send(channel, outgoing, nonce=nonce, since=None, version=head.seq)
        # A message found by its nonce shows an older state and keeps its mark until it is edited.
        mark = compute_mark(nonce, head.seq)
        if message is None or (
            mark not in iterate_marks(message) and not await self._edit(table, channel, message.id, messages, mark)
        ):
            # An unfinished board is deleted. Discord remembers its nonce, so a new one is needed.
            return RowCleared(row)
        self._scroll.reset(channel.id)
        return BoardShown(row, head, message.id)

    async def _edit(
        self,
        table: Table,
        channel: discord.PartialMessageable,
        message_id: int,
        messages: MessageBuilder,
        mark: str | None = None,
    ) -> bool:
        outgoing = await _build_board(table, messages)
        if mark is not None:
            mark_view(outgoing.view, mark)
        return await self._sender.show(channel, message_id, outgoing)

    async def shrink(self, head: Head, old: int, board: int, messages: MessageBuilder) -> None:
        channel = self._sender.get_channel(head.channel_id, head.guild_id)
        await self._sender.edit(channel, old, messages.build_moved(channel.get_partial_message(board).jump_url))


async def _build_board(table: Table, messages: MessageBuilder) -> Outgoing:
    content = await messages.build_public(table)
    return Outgoing(content.view, files=content.files)


def create_nonce() -> str:
    return "b" + secrets.token_hex(12)
