"""The message of a season in its channel: one for each state, at the bottom, brought up to date; any other goes.

Each is noted before it is sent and forgotten once it is deleted, so that one stands whenever the bot is killed.
"""

from collections.abc import Callable

import discord

from bot.base.discord_errors import code_of, is_closed
from bot.base.logs import logger
from bot.posting.season_messages import SeasonMessages
from bot.posting.sending import Sender
from bot.service.leagues import LeagueBook, LeagueSeason
from bot.views.marks import mark_of, put
from data.store import Store
from data.store.season_messages import SeasonMessage
from data.store.seasons import SeasonHead
from engine.table.preferences import is_away

log = logger(__name__)


class SeasonPosts:
    """Posts it, and takes down those of before."""

    def __init__(
        self, sender: Sender, store: Store, book: LeagueBook, messages: SeasonMessages, now: Callable[[], int]
    ) -> None:
        self._sender = sender
        self._store = store
        self._book = book
        self._messages = messages
        self._now = now

    async def show(self, found: LeagueSeason, *, anew: bool) -> None:
        """Bring the message for all up to date: one for each state, at the bottom of the channel. Any other goes."""
        head = found.head
        messages = await self._store.season_messages(head.season_id)
        here = head.channel_id, head.state
        standing = next((one for one in messages[-1:] if (one.channel_id, one.state) == here), None)
        if anew or standing is None or standing.message_id is None or head.shown_seq != head.seq:
            standing = await self._brought_up_to_date(found, standing)
        for one in messages:
            if one.number != standing.number:
                await self._take_down(head, one)

    async def _brought_up_to_date(self, found: LeagueSeason, standing: SeasonMessage | None) -> SeasonMessage:
        """The message that shows the season now: the one that stands, else a new one. One that was begun by somebody
        who did not live to note what came of it is looked for first.
        """
        head = found.head
        awaited = {user: await self._rings(user) for user in await self._book.awaited(found)}
        channel = self._sender.channel(head.channel_id, head.guild_id)
        message_id = None if standing is None else await self._where(channel, standing)
        if standing is not None and message_id is not None:
            outgoing = await self._messages.message(found, awaited)
            put(outgoing.view, mark_of(standing.nonce))  # for whoever comes next, if this is not noted
            if await self._sender.show(channel, message_id, outgoing):
                await self._store.season_shown(standing, message_id=message_id, before=head.shown_seq, seq=head.seq)
                return standing
        if standing is None or message_id is not None:
            standing = await self._store.begin_season_message(head, now=self._now())
        outgoing = await self._messages.message(found, awaited)
        sent = await self._sender.send(channel, outgoing, nonce=standing.nonce, since=None)
        if sent is None:  # somebody has deleted it already; another one comes with the next event
            await self._store.forget_season_message(standing)
        else:
            await self._store.season_shown(standing, message_id=sent.id, before=head.shown_seq, seq=head.seq)
        return standing

    async def _where(self, channel: discord.PartialMessageable, message: SeasonMessage) -> int | None:
        """The number of a message; None where none has arrived."""
        if message.message_id is not None:
            return message.message_id
        arrived = await self._sender.find(channel, message.nonce, since=message.begun_at)
        return None if arrived is None else arrived.id

    async def _take_down(self, head: SeasonHead, message: SeasonMessage) -> None:
        """Delete a message that nobody would bring up to date any more."""
        channel = self._sender.channel(message.channel_id, head.guild_id)
        try:
            message_id = await self._where(channel, message)
            if message_id is not None:
                await self._sender.delete(channel, message_id)
        except discord.HTTPException as error:
            if not is_closed(error):
                raise
            log.info("an old message of a league stays", code=code_of(error))
        await self._store.forget_season_message(message)

    async def _rings(self, user_id: int) -> bool:
        """Whether somebody wants to be called in channels."""
        person = await self._store.person(user_id)
        return person.pings == "channel" and not is_away(person.preferences, self._now())
