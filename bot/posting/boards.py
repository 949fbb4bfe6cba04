"""The board of a table in its channel: edited where it stands, posted afresh at the bottom when it is out of sight."""

import secrets
from collections.abc import Callable

import discord

from bot.base.discord_errors import code_of, is_refused
from bot.base.logs import logger
from bot.base.requests import TooLate
from bot.posting.lease import kept
from bot.posting.scroll import Scroll
from bot.posting.sending import Outgoing, Sender
from bot.service.tables import Table
from bot.views.languages import Languages
from bot.views.marks import mark_of, marks, put
from data.store import Head, OutboxRow, Store

log = logger(__name__)


class Boards:
    """Shows tables. Who is at a board stands in the store, so nobody overtakes anybody, and nothing stays half done."""

    def __init__(
        self, sender: Sender, store: Store, languages: Languages, scroll: Scroll, now: Callable[[], int]
    ) -> None:
        self._sender = sender
        self._store = store
        self._languages = languages
        self._scroll = scroll
        self._now = now

    async def show(self, table: Table) -> bool:
        """Show a table as it is. False, and nothing happens, while another process is at its board."""
        row = await self._store.take_board(table.head, nonce=_nonce(), now=self._now())
        if row is None:
            return False
        try:
            async with kept(self._store, row, self._now):
                done = await self._shown(table, row)
        except TooLate:
            log.info("a board is left to who has it by now", match=table.head.match_id)
            return False
        except Exception as error:
            if isinstance(error, discord.HTTPException) and is_refused(error, row.attempts + 1):
                await self._store.refuse_board(row, table.head, error.code)
                log.warning("a board is given up", code=code_of(error), seq=table.head.seq)
                return False
            # When it is tried again, the announcer says; until then the board is free.
            await self._store.put_off(row, self._now(), now=self._now())
            raise
        if done:
            return True
        await self._store.drop_board(row)
        return await self.show(table)

    async def _shown(self, table: Table, row: OutboxRow) -> bool:
        """False where a board that was begun is deleted: Discord remembers its nonce, so there has to be another."""
        head, nonce = table.head, str(row.body["nonce"])
        channel = self._sender.channel(head.channel_id, head.guild_id)
        old = head.board_message_id
        message = await self._sender.find(channel, nonce) if row.attempts > 0 else None
        if message is None and old is not None and await self._edited_in_place(table, channel, old):
            await self._store.board_shown(row, head, message_id=old, now=self._now())
            return True
        if message is None:
            message = await self._sender.send(
                channel, await self._face(table), nonce=nonce, tried=False, version=head.seq
            )
        if message is None:
            return False
        # One that was found shows what was then. It keeps its mark, for whoever comes next if this is not noted.
        mark = mark_of(nonce, head.seq)
        if mark not in marks(message) and not await self._edited(table, channel, message.id, mark):
            return False
        if await self._store.board_shown(row, head, message_id=message.id, now=self._now()):
            self._scroll.posted(channel.id)
            if old is not None:
                await self.shrink(head, old, message.id)
        return True

    async def _edited_in_place(self, table: Table, channel: discord.PartialMessageable, old: int) -> bool:
        """False where the board is out of sight, or gone."""
        if await self._scroll.is_far_up(channel, channel.id, old):
            return False
        return await self._edited(table, channel, old)

    async def _face(self, table: Table) -> Outgoing:
        messages = await self._languages.messages_at(table.head.guild_id)
        content = await messages.public(table)
        return Outgoing(content.view, files=content.files)

    async def _edited(
        self, table: Table, channel: discord.PartialMessageable, message_id: int, mark: str | None = None
    ) -> bool:
        """Show the table in a message. False when the message is not there any more."""
        outgoing = await self._face(table)
        if mark is not None:
            put(outgoing.view, mark)
        return await self._sender.show(channel, message_id, outgoing)

    async def shrink(self, head: Head, old: int, board: int) -> None:
        """Leave a link where the board was."""
        channel = self._sender.channel(head.channel_id, head.guild_id)
        messages = await self._languages.messages_at(head.guild_id)
        view = messages.moved(channel.get_partial_message(board).jump_url)
        await self._sender.edit(channel, old, view)
        await self._store.retired(old)


def _nonce() -> str:
    """A name that no other board has."""
    return "b" + secrets.token_hex(12)
