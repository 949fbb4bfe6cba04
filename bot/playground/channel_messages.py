"""The messages of each channel: post, edit, delete, and keep or drop their attachments."""

import asyncio
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from bot.playground import discord_limits, payloads
from bot.playground.payloads import DIRECT, THREADS, EventBus, Json, WallClock
from bot.playground.world_storage import WorldStorage

MAX_PRIVATE = 50  # ephemeral messages per user and channel; the oldest go first


@dataclass(slots=True)
class Post:
    """A message as Discord shows it. `owner` is the only user who sees it, None for all users."""

    body: Json
    owner: str | None = None

    @property
    def id(self) -> str:
        return str(self.body["id"])

    @property
    def channel_id(self) -> str:
        return str(self.body["channel_id"])


class Timeline:
    """The messages of a channel in the order of their ids, found by binary search."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._posts: dict[int, Post] = {}
        self._private: dict[str, list[Post]] = {}  # ephemeral messages by owner, oldest first

    def add(self, post: Post) -> Post | None:
        """Add a message and return the ephemeral message that was dropped for it, if any."""
        insort(self._ids, int(post.id))
        self._posts[int(post.id)] = post
        if post.owner is None:
            return None
        own = self._private.setdefault(post.owner, [])
        own.append(post)
        if len(own) <= MAX_PRIVATE:
            return None
        oldest = own[0]
        self.remove(oldest.id)
        return oldest

    def get(self, message_id: str) -> Post | None:
        """The message with this id, ephemeral or not."""
        return self._posts.get(int(message_id))

    def remove(self, message_id: str) -> None:
        key = int(message_id)
        post = self._posts.pop(key, None)
        if post is None:
            return
        del self._ids[bisect_left(self._ids, key)]
        if post.owner is not None:
            self._private[post.owner].remove(post)

    def list_posts(self) -> list[Post]:
        return [self._posts[key] for key in self._ids if self._posts[key].owner is None]

    def list_page(
        self, limit: int, *, before: str | None = None, after: str | None = None, viewer_id: str | None = None
    ) -> list[Post]:
        """At most `limit` messages, oldest first: the last ones (before an id), or the first ones after an id.

        With `viewer_id`, the ephemeral messages of that user are included.
        """
        if after is not None:
            keys = self._ids[bisect_right(self._ids, int(after)) :]
        else:
            keys = self._ids[: None if before is None else bisect_left(self._ids, int(before))][::-1]
        visible = (self._posts[key] for key in keys if self._posts[key].owner in (None, viewer_id))
        page = list(islice(visible, limit))
        return page if after is not None else page[::-1]


ATTACHMENT_GRACE = 60.0  # seconds that a replaced picture stays readable, for pages that are about to show it


@dataclass(eq=False)
class MessageStore:
    """All messages. Public messages are also stored in the file of the world, ephemeral messages only in memory."""

    _channels: Mapping[str, Json]
    _storage: WorldStorage
    _events: EventBus
    _now: WallClock
    timelines: dict[str, Timeline] = field(default_factory=dict, init=False)

    def post(self, post: Post) -> Post:
        body = post.body
        channel = self._channels[post.channel_id]
        dropped = self.timelines[post.channel_id].add(post)
        if post.owner is None:
            channel["last_message_id"] = body["id"]
            if channel["type"] in THREADS:
                channel["message_count"] += 1
                channel["total_message_sent"] += 1
            self._storage.put("message", body["id"], body)
        if dropped is not None:
            self._publish_deletion(dropped)
        self._publish(post, "message_create", post.body)
        if not body["flags"] & (payloads.QUIET | payloads.LOADING):
            self.notify_mentions(body)
        return post

    def notify_mentions(self, body: Json) -> None:
        for who in body["mentions"]:
            self._events.publish(
                "mention", {"message_id": body["id"], "channel_id": body["channel_id"]}, only_for=who["id"]
            )

    def save(self, post: Post) -> None:
        if post.owner is None:
            self._storage.put("message", post.id, post.body)
        self._publish(post, "message_update", post.body)

    def edit(self, post: Post, change: Callable[[Json], list[Json]]) -> None:
        """Let `change` rewrite a message and return dropped attachments. "Thinking" that is filled counts as new."""
        body = post.body
        was_loading = bool(body["flags"] & payloads.LOADING)
        dropped = change(body)
        if was_loading:
            body["flags"] &= ~payloads.LOADING
        else:
            body["edited_timestamp"] = payloads.format_timestamp(self._now())
        self.save(post)
        if was_loading:
            self.notify_mentions(body)
        self.delete_attachments_later(dropped)

    def remove(self, post: Post) -> None:
        self.timelines[post.channel_id].remove(post.id)
        if post.owner is None:
            self._storage.put("message", post.id, None)
        self._publish_deletion(post)

    def find(self, channel_id: str, message_id: str) -> Post:
        """The message of a channel, ephemeral messages included. Raises ApiError 10003 or 10008."""
        timeline = self.timelines.get(channel_id)
        if timeline is None:
            raise discord_limits.build_unknown_channel()
        post = timeline.get(message_id) if message_id.isdecimal() else None
        if post is None:
            raise discord_limits.build_unknown_message()
        return post

    def delete_attachments_later(self, attachments: list[Json]) -> None:
        """Delete the bytes of unused attachments after a delay."""
        if attachments:
            keys = [get_blob_key(one) for one in attachments]
            asyncio.get_running_loop().call_later(ATTACHMENT_GRACE, self._drop_blobs, keys)

    def _drop_blobs(self, keys: list[str]) -> None:
        for key in keys:
            self._storage.put_blob(key, None)

    def _publish_deletion(self, post: Post) -> None:
        data: Json = {key: post.body[key] for key in ("id", "channel_id", "guild_id") if key in post.body}
        self._publish(post, "message_delete", data)
        self.delete_attachments_later(post.body["attachments"])

    def _publish(self, post: Post, kind: str, data: Json) -> None:
        channel, secret = self._channels[post.channel_id], post.owner is not None
        only_for = channel["recipients"][0]["id"] if channel["type"] == DIRECT else post.owner
        self._events.publish(kind, data, guild_id=post.body.get("guild_id"), only_for=only_for, secret=secret)


def get_blob_key(attachment: Json) -> str:
    """The storage key of an attachment: its path below `/attachments/`."""
    return str(attachment["url"]).removeprefix("/attachments/")
