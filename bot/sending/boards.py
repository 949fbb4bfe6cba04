"""The board of a table in its channel: edited in place, and posted again at the bottom when it is out of sight."""

import secrets

import discord

from bot.core.logs import logger
from bot.sending.delivery_marks import mark_of, marks, put
from bot.sending.scroll import Scroll
from bot.sending.sender import Outgoing, Sender
from bot.tables.messages import MessageBuilder
from bot.tables.service import Table
from data.store.log.match_values import Head
from data.store.outbox.outbox_values import Cleared, Fate, OutboxRow, Shown

log = logger(__name__)


class Boards:
    """Shows tables. A lease in the store decides which process updates a board, so no update is lost or half done."""

    def __init__(self, sender: Sender, scroll: Scroll) -> None:
        self._sender = sender
        self._scroll = scroll

    async def show(self, table: Table, row: OutboxRow, messages: MessageBuilder) -> Fate:
        """Show the current table. `row` is the leased board."""
        head, nonce = table.head, str(row.body["nonce"])
        channel = self._sender.channel(head.channel_id, head.guild_id)
        old = head.board_message_id
        since = row.tried_since
        message = None if since is None else await self._sender.find(channel, nonce, since=since)
        if (
            message is None
            and old is not None
            and not await self._scroll.is_far_up(channel, channel.id, old)
            and await self._edit(table, channel, old, messages)
        ):
            return Shown(row, head, old)
        if message is None:
            message = await self._sender.send(
                channel, await _board_message(table, messages), nonce=nonce, since=None, version=head.seq
            )
        # A message found by its nonce shows an older state and keeps its mark until it is edited.
        mark = mark_of(nonce, head.seq)
        if message is None or (
            mark not in marks(message) and not await self._edit(table, channel, message.id, messages, mark)
        ):
            # An unfinished board is deleted. Discord remembers its nonce, so a new one is needed.
            return Cleared(row)
        self._scroll.posted(channel.id)
        return Shown(row, head, message.id)

    async def _edit(
        self,
        table: Table,
        channel: discord.PartialMessageable,
        message_id: int,
        messages: MessageBuilder,
        mark: str | None = None,
    ) -> bool:
        outgoing = await _board_message(table, messages)
        if mark is not None:
            put(outgoing.view, mark)
        return await self._sender.show(channel, message_id, outgoing)

    async def shrink(self, head: Head, old: int, board: int, messages: MessageBuilder) -> None:
        channel = self._sender.channel(head.channel_id, head.guild_id)
        await self._sender.edit(channel, old, messages.moved(channel.get_partial_message(board).jump_url))


async def _board_message(table: Table, messages: MessageBuilder) -> Outgoing:
    content = await messages.public(table)
    return Outgoing(content.view, files=content.files)


def new_nonce() -> str:
    return "b" + secrets.token_hex(12)
