"""Send messages that do not answer an interaction, with deduplication of repeated attempts."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import discord
from discord import ui

from bot.core.discord_errors import UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, format_error_code, is_transient
from bot.core.logs import get_logger
from bot.core.permissions import can_see_channel, list_missing_permissions
from bot.sending.deliveries import Deliveries
from bot.sending.delivery_marks import compute_mark, is_marked, mark_view

log = get_logger(__name__)

SEARCHED_MESSAGES: Final = 100
"""Last messages of a channel that are searched for a post that may have arrived, and the number added for each minute
since it was written. While Discord is slow, other messages follow the post.
"""
MAX_SEARCHED: Final = 1_000  # limit of that search; each hundred is one request
MAX_DELETED: Final = 100  # own deletions remembered until the gateway reports them


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send. Files can be sent once, so each attempt makes a new one."""

    view: ui.LayoutView | ui.View
    content: str | None = None  # only with a plain View
    files: Sequence[discord.File] = ()
    pinged_users: int | Sequence[int] | None = None  # user ids it may ping
    direct: int | None = None  # user to whom it goes as a direct message if they accept it; else it goes to the channel


class Sender:
    """Sends, edits, deletes and finds messages."""

    def __init__(self, client: discord.Client, now: Callable[[], int]) -> None:
        self._client = client
        self._now = now
        self.deliveries = Deliveries()
        self._deleted: deque[int] = deque(maxlen=MAX_DELETED)

    def get_channel(self, channel_id: int, guild_id: int) -> discord.PartialMessageable:
        """Return a channel or thread to write to, without a request."""
        return self._client.get_partial_messageable(channel_id, guild_id=guild_id)

    def is_unavailable(self, guild_id: int) -> bool:
        """Return whether a server of the bot has not arrived yet or is unavailable."""
        guild = self._client.get_guild(guild_id)
        return guild is not None and guild.unavailable

    async def can_user_see(self, guild_id: int, channel_id: int, user_id: int) -> bool:
        """Return whether a user is on a server and sees a channel of it."""
        guild = self._client.get_guild(guild_id)
        if guild is None:
            return False
        try:
            member = guild.get_member(user_id) or await guild.fetch_member(user_id)
        except discord.NotFound:
            return False
        return can_see_channel(guild, channel_id, member)

    def can_write(self, channel_id: int) -> bool:
        """Return whether the bot may host a table in a channel or thread, from the cache."""
        place = self._client.get_channel(channel_id)
        if not isinstance(place, discord.abc.GuildChannel | discord.Thread):
            return False
        granted = place.permissions_for(place.guild.me)
        return not list_missing_permissions(granted, in_thread=isinstance(place, discord.Thread))

    def find_guild(self, guild_id: int) -> discord.Guild | None:
        return self._client.get_guild(guild_id)

    def get_guild_name(self, guild_id: int) -> str:
        guild = self._client.get_guild(guild_id)
        return "" if guild is None else guild.name

    async def fetch_channel(self, channel_id: int) -> object:
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
        """Send a message, or find that of an earlier attempt. None: it was sent and then deleted.

        `since` is the earliest time (ms) of an earlier attempt, if there may have been one: Discord deduplicates a
        nonce for some minutes only. `version` numbers the shown state if a post can show several; a found message may
        show another.
        """
        mark_view(outgoing.view, compute_mark(nonce, version))
        if since is not None:
            found = await self.find(channel, nonce, since=since)
            if found is not None:
                return found
        try:
            with self.deliveries.count_delivery():
                return await channel.send(**_to_send_arguments(outgoing), nonce=nonce)
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise
            log.info("a post was deleted before anybody knew that it had arrived")
            return None

    async def find(self, channel: discord.abc.Messageable, nonce: str, *, since: int) -> discord.Message | None:
        """Find the message with this nonce, sent at `since` (ms) or later; needs Read Message History."""
        minutes, me = max(0, self._now() - since) // 60_000, self._client.user
        try:
            async for message in channel.history(limit=min(SEARCHED_MESSAGES * (1 + minutes), MAX_SEARCHED)):
                if me is not None and message.author.id == me.id and is_marked(message, nonce):
                    return message
        except discord.Forbidden as error:
            # Discord returns an empty history without the permission; where this request is forbidden, sending is too.
            log.info("the history of a channel cannot be read", code=format_error_code(error))
        return None

    async def show(self, channel: discord.PartialMessageable, message_id: int, outgoing: Outgoing) -> bool:
        """Edit a message with files. False if it is deleted; raises if its channel is."""
        message = channel.get_partial_message(message_id)
        try:
            with self.deliveries.count_delivery():
                await message.edit(view=outgoing.view, attachments=list(outgoing.files))
        except discord.NotFound as error:
            if error.code == UNKNOWN_CHANNEL:
                raise
            return False
        return True

    async def edit(self, channel: discord.PartialMessageable, message_id: int, view: ui.LayoutView) -> None:
        """Edit a message without files; ignore a deleted one."""
        with self._ignore_deleted("a message to edit was gone already"):
            await channel.get_partial_message(message_id).edit(view=view, attachments=[])

    async def reword(self, channel: discord.PartialMessageable, message_id: int, content: str) -> None:
        """Replace the text of a message and remove its buttons, without pings; ignore a deleted one."""
        quietly = discord.AllowedMentions.none()
        with self._ignore_deleted("a message to edit was gone already"):
            await channel.get_partial_message(message_id).edit(content=content, view=None, allowed_mentions=quietly)

    async def delete(self, channel: discord.PartialMessageable, message_id: int) -> None:
        """Delete a message; ignore a deleted one."""
        # Recorded first, because the gateway may report it before the response.
        self._deleted.append(message_id)
        with self._ignore_deleted("a message to delete was gone already"):
            await channel.get_partial_message(message_id).delete()

    @contextmanager
    def _ignore_deleted(self, message: str) -> Iterator[None]:
        try:
            with self.deliveries.count_delivery():
                yield
        except discord.NotFound:
            log.info(message)

    def has_deleted(self, message_id: int) -> bool:
        return message_id in self._deleted

    async def send_direct(
        self, user_id: int, outgoing: Outgoing, *, nonce: str, since: int | None
    ) -> discord.Message | discord.Object | None:
        """Send a direct message. None if the user does not accept it: use another way.

        A message that was sent and deleted is an Object with id 0.
        """
        try:
            channel = await self._client.create_dm(discord.Object(user_id))
            return await self.send(channel, outgoing, nonce=nonce, since=since) or discord.Object(0)
        except discord.HTTPException as error:
            if error.status not in (400, 403, 404) or is_transient(error):
                raise
            # 50007 means closed direct messages; others mean no shared server or a deleted user.
            log.info("somebody takes no direct messages", code=format_error_code(error))
            return None

    async def reword_direct(self, user_id: int, nonce: str, content: str, *, since: int) -> None:
        """Reword a direct message, found by nonce, and remove its buttons; ignore a missing one and closed messages."""
        try:
            channel = await self._client.create_dm(discord.Object(user_id))
            found = await self.find(channel, nonce, since=since)
            if found is not None:
                await found.edit(content=content, view=None)
        except discord.HTTPException as error:
            if error.status not in (400, 403, 404):
                raise
            log.info("a direct message cannot be edited", code=format_error_code(error))


def _to_send_arguments(outgoing: Outgoing) -> dict[str, Any]:
    arguments: dict[str, Any] = {"view": outgoing.view, "files": list(outgoing.files)}
    if outgoing.content is not None:
        arguments["content"] = outgoing.content
    if outgoing.pinged_users is not None:
        people = [outgoing.pinged_users] if isinstance(outgoing.pinged_users, int) else outgoing.pinged_users
        users = [discord.Object(user_id) for user_id in people]
        arguments["allowed_mentions"] = discord.AllowedMentions(everyone=False, roles=False, users=users)
    return arguments
