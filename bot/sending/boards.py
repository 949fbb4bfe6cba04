"""The board of a table in its channel: edited where it stands, posted afresh at the bottom when it is out of sight."""

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
    """Shows tables. Who is at a board stands in the store, so nobody overtakes anybody, and nothing stays half done."""

    def __init__(self, sender: Sender, scroll: Scroll) -> None:
        self._sender = sender
        self._scroll = scroll

    async def show(self, table: Table, row: OutboxRow, messages: MessageBuilder) -> Fate:
        """Show a table as it is. `row` is the board that was taken."""
        head, nonce = table.head, str(row.body["nonce"])
        channel = self._sender.channel(head.channel_id, head.guild_id)
        old = head.board_message_id
        since = row.tried_since
        message = None if since is None else await self._sender.find(channel, nonce, since=since)
        if message is None and old is not None and await self._edited_in_place(table, channel, old, messages):
            return Shown(row, head, old)
        if message is None:
            message = await self._sender.send(
                channel, await _face(table, messages), nonce=nonce, since=None, version=head.seq
            )
        # One that was found shows what was then. It keeps its mark, for whoever comes next if this is not noted.
        mark = mark_of(nonce, head.seq)
        if message is None or (
            mark not in marks(message) and not await self._edited(table, channel, message.id, messages, mark)
        ):
            # A board that was begun is deleted. Discord remembers its nonce, so there has to be another.
            return Cleared(row)
        self._scroll.posted(channel.id)
        return Shown(row, head, message.id)

    async def _edited_in_place(
        self, table: Table, channel: discord.PartialMessageable, old: int, messages: MessageBuilder
    ) -> bool:
        """False where the board is out of sight, or gone."""
        if await self._scroll.is_far_up(channel, channel.id, old):
            return False
        return await self._edited(table, channel, old, messages)

    async def _edited(
        self,
        table: Table,
        channel: discord.PartialMessageable,
        message_id: int,
        messages: MessageBuilder,
        mark: str | None = None,
    ) -> bool:
        """Show the table in a message. False when the message is not there any more."""
        outgoing = await _face(table, messages)
        if mark is not None:
            put(outgoing.view, mark)
        return await self._sender.show(channel, message_id, outgoing)

    async def shrink(self, head: Head, old: int, board: int, messages: MessageBuilder) -> None:
        """Leave a link where the board was."""
        channel = self._sender.channel(head.channel_id, head.guild_id)
        await self._sender.edit(channel, old, messages.moved(channel.get_partial_message(board).jump_url))


async def _face(table: Table, messages: MessageBuilder) -> Outgoing:
    content = await messages.public(table)
    return Outgoing(content.view, files=content.files)


def new_nonce() -> str:
    """A name that no other board has."""
    return "b" + secrets.token_hex(12)
