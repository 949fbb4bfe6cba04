"""The world of the local Discord: servers, channels, people and messages, and what happens to them.

The world decides and remembers; it knows neither HTTP nor sockets. Whoever must hear of a change (the bot's
gateway, the page) listens to its happenings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from discord import Permissions

from bot.playground import permissions, refusals, shapes
from bot.playground.shapes import DIRECT, THREAD, Clock, Json, Snowflakes
from bot.playground.shelf import Shelf
from bot.playground.timeline import Post, Timeline

ACCENTS = (
    "#e0777d", "#5fa8d3", "#8ac17b", "#d6a25c", "#a98bd1", "#5bbdb0", "#d687b3", "#9aa5b8",
)  # fmt: skip
RETIRE_AFTER = 60.0
"""Seconds that a replaced picture stays readable, for pages that are just about to show it."""


@dataclass(frozen=True, slots=True)
class Happening:
    """Something changed. `only_for` names the one person who may know (None: everybody); `secret` ones, about
    ephemeral messages, do not reach the bot's gateway."""

    kind: str
    data: Json
    guild_id: str | None = None
    only_for: str | None = None
    secret: bool = False


class World:
    """Everything that exists in this Discord, kept in memory and on a shelf."""

    def __init__(self, shelf: Shelf, now: Clock) -> None:
        self.now = now
        self.shelf = shelf
        self.ids = Snowflakes(now)
        self.guilds: dict[str, Json] = {}
        self.channels: dict[str, Json] = {}
        self.timelines: dict[str, Timeline] = {}
        self.people: dict[str, Json] = {}
        self.bot: Json = {}
        self.system: Json = {}
        self.shut_doors: set[str] = set()
        """People who take no direct messages."""
        self.direct_channels: dict[str, str] = {}
        """The private talk of each person with the bot, once it was opened."""
        self._listeners: list[Callable[[Happening], None]] = []

    # -- who listens ---------------------------------------------------------------------------------------

    def listen(self, listener: Callable[[Happening], None]) -> None:
        """Call `listener` with every happening from now on."""
        self._listeners.append(listener)

    def tell(
        self,
        kind: str,
        data: Json,
        *,
        guild_id: str | None = None,
        only_for: str | None = None,
        secret: bool = False,
    ) -> None:
        """Let every listener know."""
        happening = Happening(kind, data, guild_id, only_for, secret)
        for listener in self._listeners:
            listener(happening)

    # -- people and places ---------------------------------------------------------------------------------

    @property
    def welcome_channel(self) -> str:
        """The channel a newcomer sees first."""
        return next(str(channel["id"]) for channel in self.channels.values() if channel["type"] == shapes.TEXT)

    def add_person(self, name: str) -> Json:
        """A person joins every server."""
        person = shapes.user(self.ids.next(), name, ACCENTS[len(self.people) % len(ACCENTS)])
        self.people[person["id"]] = person
        self.shelf.put("person", person["id"], person)
        for guild_id in self.guilds:
            self.tell("member_add", self.member(person) | {"guild_id": guild_id}, guild_id=guild_id)
        self.tell("people_update", {"people": list(self.people.values())})
        return person

    def user(self, user_id: str) -> Json | None:
        """A person or the bot by id."""
        return self.bot if user_id == self.bot["id"] else self.people.get(user_id)

    def member(self, who: Json) -> Json:
        """A user as a member of any server; everybody joined the moment they came to be."""
        made_at = ((int(who["id"]) >> 22) + shapes.DISCORD_EPOCH_MS) / 1000
        return shapes.member(who, shapes.stamp(made_at))

    def add_guild(self, name: str) -> Json:
        """A further server, owned by the first person."""
        owner = next(iter(self.people))
        guild = shapes.guild(self.ids.next(own_millisecond=True), name, owner, permissions.EVERYONE.value)
        self.guilds[guild["id"]] = guild
        self.shelf.put("guild", guild["id"], guild)
        self.tell("guild_create", guild, guild_id=guild["id"])
        return guild

    def add_channel(self, name: str, *, topic: str | None = None, guild_id: str | None = None) -> Json:
        """A new text channel, in the first server unless another is named."""
        guild_id = guild_id or next(iter(self.guilds))
        return self._enter(shapes.text_channel(self.ids.next(), guild_id, name, len(self.channels), topic))

    def start_thread(self, parent: Json, name: str, owner_id: str, archive_after: int, on: Post | None) -> Json:
        """A public thread below `parent`; on a message it shares that message's id."""
        now = shapes.stamp(self.now())
        thread_id = on.id if on is not None else self.ids.next()
        thread = self._enter(shapes.thread(thread_id, parent, name, owner_id, now, archive_after))
        if on is not None:
            on.body["thread"] = thread
            on.body["flags"] |= shapes.HAS_THREAD
            self.revise(on)
        return thread

    def direct(self, person: Json) -> Json:
        """The private talk between this person and the bot, opened when there is none yet."""
        known = self.direct_channels.get(person["id"])
        if known is not None:
            return self.channels[known]
        channel = self._enter(shapes.direct_channel(self.ids.next(), person))
        self.direct_channels[person["id"]] = channel["id"]
        return channel

    def _enter(self, channel: Json) -> Json:
        self.channels[channel["id"]] = channel
        self.timelines[channel["id"]] = Timeline()
        self.shelf.put("channel", channel["id"], channel)
        self._tell_channel("channel_create", channel)
        return channel

    def channel_changed(self, channel: Json) -> None:
        """Store a channel that was just changed, and let everybody know."""
        self.shelf.put("channel", channel["id"], channel)
        self._tell_channel("channel_update", channel)

    def _tell_channel(self, kind: str, channel: Json) -> None:
        only_for = channel["recipients"][0]["id"] if channel["type"] == DIRECT else None
        self.tell(kind, channel, guild_id=channel.get("guild_id"), only_for=only_for)

    def delete_channel(self, channel_id: str) -> None:
        """Remove a channel with its threads and messages."""
        for thread in [one for one in self.channels.values() if one.get("parent_id") == channel_id]:
            self.delete_channel(thread["id"])
        channel = self.channels.pop(channel_id)
        for post in self.timelines.pop(channel_id).everything():
            self.shelf.put("message", post.id, None)
            self.retire(post.body["attachments"])
        self.shelf.put("channel", channel_id, None)
        self._tell_channel("channel_delete", channel)
        above = self.timelines.get(channel.get("parent_id") or "")
        carrier = above.get(channel_id) if above is not None else None
        if carrier is not None:
            del carrier.body["thread"]
            carrier.body["flags"] &= ~shapes.HAS_THREAD
            self.revise(carrier)

    def channel(self, channel_id: str) -> Json:
        """The channel, or refuse with 10003."""
        try:
            return self.channels[channel_id]
        except KeyError:
            raise refusals.unknown_channel() from None

    def threads(self) -> Iterator[Json]:
        """All threads that are not archived."""
        for channel in self.channels.values():
            if channel["type"] == THREAD and not channel["thread_metadata"]["archived"]:
                yield channel

    # -- what the bot may do -------------------------------------------------------------------------------

    def bot_permissions(self, channel: Json) -> Permissions:
        """What the bot may do in this channel now."""
        return permissions.of_member(channel, self.channels.get(channel.get("parent_id") or ""), self.bot["id"])

    def set_bot_permissions(self, channel_id: str, **changes: bool) -> None:
        """Give or take permissions of the bot in a text channel, by discord.py's names (`send_messages=False`)."""
        channel = self.channels[channel_id]
        permissions.overwrite(channel, self.bot["id"], changes)
        self.channel_changed(channel)

    # -- messages ------------------------------------------------------------------------------------------

    def blank_message(self, channel: Json, author: Json) -> Json:
        """A message with nothing on it yet, not posted."""
        return shapes.message(self.ids.next(), channel, author, shapes.stamp(self.now()))

    def post(self, post: Post) -> Post:
        """Put a message into its channel; ephemeral ones are not stored on disk."""
        body = post.body
        channel = self.channels[post.channel_id]
        gone = self.timelines[post.channel_id].add(post)
        if post.owner is None:
            channel["last_message_id"] = body["id"]
            if channel["type"] == THREAD:
                channel["message_count"] += 1
                channel["total_message_sent"] += 1
            self.shelf.put("message", body["id"], body)
        if gone is not None:
            self._tell_gone(gone)
        self._tell_post("message_create", post)
        if not body["flags"] & (shapes.QUIET | shapes.LOADING):
            self.ring(body)
        return post

    def ring(self, body: Json) -> None:
        """Tell everybody a message mentions that it does."""
        for who in body["mentions"]:
            self.tell("mention", {"message_id": body["id"], "channel_id": body["channel_id"]}, only_for=who["id"])

    def revise(self, post: Post) -> None:
        """A message has changed."""
        if post.owner is None:
            self.shelf.put("message", post.id, post.body)
        self._tell_post("message_update", post)

    def edit(self, post: Post, change: Callable[[Json], list[Json]]) -> None:
        """Let `change` rewrite a message; it returns the attachments that fell off.

        Filling a "thinking" placeholder is no edit: it rings whom it mentions, and shows no "(edited)".
        """
        body = post.body
        waited = bool(body["flags"] & shapes.LOADING)
        fallen = change(body)
        if waited:
            body["flags"] &= ~shapes.LOADING
        else:
            body["edited_timestamp"] = shapes.stamp(self.now())
        self.revise(post)
        if waited:
            self.ring(body)
        self.retire(fallen)

    def remove(self, post: Post) -> None:
        """A message goes away."""
        self.timelines[post.channel_id].remove(post.id)
        if post.owner is None:
            self.shelf.put("message", post.id, None)
        self._tell_gone(post)

    def delete_message(self, channel_id: str, message_id: str) -> None:
        """Somebody with the right to do so deletes a message."""
        self.remove(self.find(channel_id, message_id))

    def find(self, channel_id: str, message_id: str) -> Post:
        """A message of a channel, ephemeral ones too, or refuse with 10003 or 10008."""
        self.channel(channel_id)
        post = self.timelines[channel_id].get(message_id) if message_id.isdecimal() else None
        if post is None:
            raise refusals.unknown_message()
        return post

    def retire(self, attachments: list[Json]) -> None:
        """These attachments are shown nowhere any more: drop their bytes soon."""
        if attachments:
            keys = [blob_key(one) for one in attachments]
            asyncio.get_running_loop().call_later(RETIRE_AFTER, self._drop_blobs, keys)

    def _drop_blobs(self, keys: list[str]) -> None:
        for key in keys:
            self.shelf.put_blob(key, None)

    def _tell_post(self, kind: str, post: Post) -> None:
        self._tell_about(post, kind, post.body)

    def _tell_gone(self, post: Post) -> None:
        data: Json = {key: post.body[key] for key in ("id", "channel_id", "guild_id") if key in post.body}
        self._tell_about(post, "message_delete", data)
        self.retire(post.body["attachments"])

    def _tell_about(self, post: Post, kind: str, data: Json) -> None:
        only_for = post.owner or self._whose(post)
        self.tell(kind, data, guild_id=post.body.get("guild_id"), only_for=only_for, secret=post.owner is not None)

    def _whose(self, post: Post) -> str | None:
        channel = self.channels[post.channel_id]
        return str(channel["recipients"][0]["id"]) if channel["type"] == DIRECT else None


def blob_key(attachment: Json) -> str:
    """Where the bytes of an attachment lie: its path below `/attachments/`."""
    return str(attachment["url"]).removeprefix("/attachments/")
