"""Messages of the bot's own accord, and the one way they are sent: once, however often it is tried."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import discord
from discord import ui

from bot.core.discord_errors import UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, code_of, is_passing
from bot.core.logs import logger
from bot.core.permissions import missing, sees
from bot.sending.deliveries import Deliveries
from bot.sending.delivery_marks import is_marked, mark_of, put

log = logger(__name__)

LOOKED_AT: Final = 100
"""So many of a channel's last messages are looked through for a post that may have arrived, and as many again for each
minute since it was written: while Discord is ill, other posts and what people say come to stand below it.
"""
FURTHEST: Final = 1_000
"""No more than so many: each hundred is one request."""

DELETED: Final = 100
"""So many of the messages that the bot has deleted are remembered, until the gateway tells of them."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message ready to be sent. Files can be sent once, so one is made anew for each attempt."""

    view: ui.LayoutView | ui.View
    content: str | None = None
    """Only with a plain View."""
    files: Sequence[discord.File] = ()
    rings: int | Sequence[int] | None = None
    """The one person it may ping, or several."""
    direct: int | None = None
    """The person it goes to alone, where they take direct messages; else it goes to the channel."""


class Sender:
    """Sends them."""

    def __init__(self, client: discord.Client, now: Callable[[], int]) -> None:
        self._client = client
        self._now = now
        self.deliveries = Deliveries()
        self._deleted: deque[int] = deque(maxlen=DELETED)

    def channel(self, channel_id: int, guild_id: int) -> discord.PartialMessageable:
        """A channel or thread to write to; nothing is asked."""
        return self._client.get_partial_messageable(channel_id, guild_id=guild_id)

    def is_away(self, guild_id: int) -> bool:
        """Whether a server that the bot is on has not arrived yet, or Discord cannot reach it just now."""
        guild = self._client.get_guild(guild_id)
        return guild is not None and guild.unavailable

    async def sees(self, guild_id: int, channel_id: int, user_id: int) -> bool:
        """Whether somebody is on a server and sees a channel of it."""
        guild = self._client.get_guild(guild_id)
        if guild is None:
            return False
        try:
            member = guild.get_member(user_id) or await guild.fetch_member(user_id)
        except discord.NotFound:
            return False
        return sees(guild, channel_id, member)

    def may_write(self, channel_id: int) -> bool:
        """Whether the bot may host a table in a channel or thread, as far as it knows without asking."""
        place = self._client.get_channel(channel_id)
        if not isinstance(place, discord.abc.GuildChannel | discord.Thread):
            return False
        return not missing(place.permissions_for(place.guild.me), in_thread=isinstance(place, discord.Thread))

    def guild(self, guild_id: int) -> discord.Guild | None:
        """A server as the bot knows it; None where it is not on it."""
        return self._client.get_guild(guild_id)

    def server(self, guild_id: int) -> str:
        """What a server is called; empty where the bot is not on it."""
        guild = self._client.get_guild(guild_id)
        return "" if guild is None else guild.name

    async def fetch(self, channel_id: int) -> object:
        """The channel as Discord knows it now."""
        return await self._client.fetch_channel(channel_id)

    async def send(
        self,
        channel: discord.abc.Messageable,
        outgoing: Outgoing,
        *,
        nonce: str,
        since: int | None,
        version: int | None = None,
    ) -> discord.Message | None:
        """Send a message, or find the one that an earlier attempt has sent.

        `since` says that there may have been one, since then (ms) at the earliest: Discord knows a nonce for some
        minutes only. `version` numbers the state that is shown, where the same post can show several: the message that
        is found may show another. None: the message was sent and somebody deleted it.
        """
        put(outgoing.view, mark_of(nonce, version))
        if since is not None:
            found = await self.find(channel, nonce, since=since)
            if found is not None:
                return found
        try:
            with self.deliveries.counted():
                return await channel.send(**_sendable(outgoing), nonce=nonce)
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise
            log.info("a post was deleted before anybody knew that it had arrived")
            return None

    async def find(self, channel: discord.abc.Messageable, nonce: str, *, since: int) -> discord.Message | None:
        """The message that was sent with this nonce, not before then (ms). Without Read Message History none is ever
        found.
        """
        minutes = max(0, self._now() - since) // 60_000
        try:
            async for message in channel.history(limit=min(LOOKED_AT * (1 + minutes), FURTHEST)):
                if self._is_mine(message) and is_marked(message, nonce):
                    return message
        except discord.Forbidden as error:
            # Discord lists nothing where the history may not be read; where even asking is forbidden, so is sending.
            log.info("the history of a channel cannot be read", code=code_of(error))
        return None

    async def show(self, channel: discord.PartialMessageable, message_id: int, outgoing: Outgoing) -> bool:
        """Show something else in a message, with files. False where it is gone; raises where its channel is."""
        message = channel.get_partial_message(message_id)
        try:
            with self.deliveries.counted():
                await message.edit(view=outgoing.view, attachments=list(outgoing.files))
        except discord.NotFound as error:
            if error.code == UNKNOWN_CHANNEL:
                raise
            return False
        return True

    async def edit(self, channel: discord.PartialMessageable, message_id: int, view: ui.LayoutView) -> None:
        """Show something else in a message, without files; nothing where it is gone."""
        try:
            with self.deliveries.counted():
                await channel.get_partial_message(message_id).edit(view=view, attachments=[])
        except discord.NotFound:
            log.info("a message to edit was gone already")

    async def reword(self, channel: discord.PartialMessageable, message_id: int, content: str) -> None:
        """Let a message say something else, without buttons; nobody is rung, and nothing happens where it is gone."""
        try:
            quietly = discord.AllowedMentions.none()
            with self.deliveries.counted():
                await channel.get_partial_message(message_id).edit(content=content, view=None, allowed_mentions=quietly)
        except discord.NotFound:
            log.info("a message to edit was gone already")

    async def delete(self, channel: discord.PartialMessageable, message_id: int) -> None:
        """Delete a message, which may be gone already."""
        # Said before: the gateway may tell of it before the request is answered.
        self._deleted.append(message_id)
        try:
            with self.deliveries.counted():
                await channel.get_partial_message(message_id).delete()
        except discord.NotFound:
            log.info("a message to delete was gone already")

    def has_deleted(self, message_id: int) -> bool:
        """Whether it was this bot that deleted a message, a moment ago."""
        return message_id in self._deleted

    async def send_direct(
        self, user_id: int, outgoing: Outgoing, *, nonce: str, since: int | None
    ) -> discord.Message | discord.Object | None:
        """Send a message to a person alone. None where they take no messages from the bot: find another way.

        A message that was sent and deleted again is an Object with the number 0.
        """
        try:
            channel = await self._client.create_dm(discord.Object(user_id))
            return await self.send(channel, outgoing, nonce=nonce, since=since) or discord.Object(0)
        except discord.HTTPException as error:
            if error.status not in (400, 403, 404) or is_passing(error):
                raise
            # 50007 for a closed door; others for people without a server in common, or who are gone.
            log.info("somebody takes no direct messages", code=code_of(error))
            return None

    async def reword_direct(self, user_id: int, nonce: str, content: str, *, since: int) -> None:
        """Let the message that was sent to a person alone with this nonce, not before then (ms), say something else,
        without buttons; nothing happens where there is none, or the door is closed by now.
        """
        try:
            channel = await self._client.create_dm(discord.Object(user_id))
            found = await self.find(channel, nonce, since=since)
            if found is not None:
                await found.edit(content=content, view=None)
        except discord.HTTPException as error:
            if error.status not in (400, 403, 404):
                raise
            log.info("a direct message cannot be edited", code=code_of(error))

    def _is_mine(self, message: discord.Message) -> bool:
        return self._client.user is not None and message.author.id == self._client.user.id


def _sendable(outgoing: Outgoing) -> dict[str, Any]:
    given: dict[str, Any] = {"view": outgoing.view, "files": list(outgoing.files)}
    if outgoing.content is not None:
        given["content"] = outgoing.content
    if outgoing.rings is not None:
        people = [outgoing.rings] if isinstance(outgoing.rings, int) else outgoing.rings
        given["allowed_mentions"] = discord.AllowedMentions(
            everyone=False, roles=False, users=[discord.Object(user_id) for user_id in people]
        )
    return given
