"""The messages of each channel: post, edit, delete, and keep or drop their attachments."""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.playground import discord_limits, payloads
from bot.playground.payloads import DIRECT, THREADS, Json, News, WallClock
from bot.playground.world_storage import Shelf

MOST_PRIVATE = 50  # ephemeral messages per user and channel; the oldest go first


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


class _Strand:
    """Posts in the order of their ids, found by binary search."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.posts: dict[int, Post] = {}

    def add(self, post: Post) -> None:
        key = int(post.id)
        if self.ids and key < self.ids[-1]:
            self.ids.insert(bisect_left(self.ids, key), key)
        else:
            self.ids.append(key)
        self.posts[key] = post

    def remove(self, key: int) -> None:
        if self.posts.pop(key, None) is not None:
            del self.ids[bisect_left(self.ids, key)]

    def before(self, key: int | None, limit: int) -> list[int]:
        end = len(self.ids) if key is None else bisect_left(self.ids, key)
        return self.ids[max(0, end - limit) : end]

    def after(self, key: int, limit: int) -> list[int]:
        start = bisect_right(self.ids, key)
        return self.ids[start : start + limit]


class Timeline:
    def __init__(self) -> None:
        self._public = _Strand()
        self._private: dict[str, _Strand] = {}
        self._owners: dict[int, str] = {}

    def add(self, post: Post) -> Post | None:
        """Add a message and return the ephemeral message that was dropped for it, if any."""
        if post.owner is None:
            self._public.add(post)
            return None
        strand = self._private.setdefault(post.owner, _Strand())
        strand.add(post)
        self._owners[int(post.id)] = post.owner
        if len(strand.ids) <= MOST_PRIVATE:
            return None
        oldest = strand.posts[strand.ids[0]]
        self.remove(oldest.id)
        return oldest

    def get(self, message_id: str) -> Post | None:
        """The message with this id, ephemeral or not."""
        key = int(message_id)
        owner = self._owners.get(key)
        strand = self._public if owner is None else self._private[owner]
        return strand.posts.get(key)

    def remove(self, message_id: str) -> None:
        key = int(message_id)
        owner = self._owners.pop(key, None)
        (self._public if owner is None else self._private[owner]).remove(key)

    def everything(self) -> list[Post]:
        return [self._public.posts[key] for key in self._public.ids]

    def page(
        self, limit: int, *, before: str | None = None, after: str | None = None, seen_by: str | None = None
    ) -> list[Post]:
        """At most `limit` messages, oldest first: the last ones (before an id), or the first ones after an id.

        With `seen_by`, the ephemeral messages of that user are included.
        """
        strands = [self._public]
        if seen_by is not None and seen_by in self._private:
            strands.append(self._private[seen_by])
        found: list[tuple[int, Post]] = []
        for strand in strands:
            keys = (
                strand.after(int(after), limit)
                if after is not None
                else strand.before(None if before is None else int(before), limit)
            )
            found += [(key, strand.posts[key]) for key in keys]
        found.sort(key=lambda pair: pair[0])
        chosen = found[:limit] if after is not None else found[-limit:]
        return [post for _, post in chosen]


RETIRE_AFTER = 60.0  # seconds that a replaced picture stays readable, for pages that are about to show it


class Talk:
    """All messages. Public messages are stored on the shelf, ephemeral messages only in memory."""

    def __init__(self, channels: Mapping[str, Json], shelf: Shelf, news: News, now: WallClock) -> None:
        self.timelines: dict[str, Timeline] = {}
        self._channels = channels
        self._shelf = shelf
        self._news = news
        self._now = now

    def post(self, post: Post) -> Post:
        """Post a message in its channel and notify listeners."""
        body = post.body
        channel = self._channels[post.channel_id]
        gone = self.timelines[post.channel_id].add(post)
        if post.owner is None:
            channel["last_message_id"] = body["id"]
            if channel["type"] in THREADS:
                channel["message_count"] += 1
                channel["total_message_sent"] += 1
            self._shelf.put("message", body["id"], body)
        if gone is not None:
            self._tell_gone(gone)
        self._tell_post("message_create", post)
        if not body["flags"] & (payloads.QUIET | payloads.LOADING):
            self.ring(body)
        return post

    def ring(self, body: Json) -> None:
        """Notify the users whom a message mentions."""
        for who in body["mentions"]:
            self._news.tell("mention", {"message_id": body["id"], "channel_id": body["channel_id"]}, only_for=who["id"])

    def revise(self, post: Post) -> None:
        """Store a changed message and notify listeners."""
        if post.owner is None:
            self._shelf.put("message", post.id, post.body)
        self._tell_post("message_update", post)

    def edit(self, post: Post, change: Callable[[Json], list[Json]]) -> None:
        """Let `change` rewrite a message and return dropped attachments. "Thinking" that is filled counts as new."""
        body = post.body
        waited = bool(body["flags"] & payloads.LOADING)
        fallen = change(body)
        if waited:
            body["flags"] &= ~payloads.LOADING
        else:
            body["edited_timestamp"] = payloads.stamp(self._now())
        self.revise(post)
        if waited:
            self.ring(body)
        self.retire(fallen)

    def remove(self, post: Post) -> None:
        """Delete a message."""
        self.timelines[post.channel_id].remove(post.id)
        if post.owner is None:
            self._shelf.put("message", post.id, None)
        self._tell_gone(post)

    def find(self, channel_id: str, message_id: str) -> Post:
        """The message of a channel, ephemeral messages included. Raises ApiError 10003 or 10008."""
        timeline = self.timelines.get(channel_id)
        if timeline is None:
            raise discord_limits.unknown_channel()
        post = timeline.get(message_id) if message_id.isdecimal() else None
        if post is None:
            raise discord_limits.unknown_message()
        return post

    def retire(self, attachments: list[Json]) -> None:
        """Delete the bytes of unused attachments after a delay."""
        if attachments:
            keys = [blob_key(one) for one in attachments]
            asyncio.get_running_loop().call_later(RETIRE_AFTER, self._drop_blobs, keys)

    def _drop_blobs(self, keys: list[str]) -> None:
        for key in keys:
            self._shelf.put_blob(key, None)

    def _tell_post(self, kind: str, post: Post) -> None:
        self._tell_about(post, kind, post.body)

    def _tell_gone(self, post: Post) -> None:
        data: Json = {key: post.body[key] for key in ("id", "channel_id", "guild_id") if key in post.body}
        self._tell_about(post, "message_delete", data)
        self.retire(post.body["attachments"])

    def _tell_about(self, post: Post, kind: str, data: Json) -> None:
        only_for = post.owner or self._whose(post)
        self._news.tell(
            kind, data, guild_id=post.body.get("guild_id"), only_for=only_for, secret=post.owner is not None
        )

    def _whose(self, post: Post) -> str | None:
        channel = self._channels[post.channel_id]
        return str(channel["recipients"][0]["id"]) if channel["type"] == DIRECT else None


def blob_key(attachment: Json) -> str:
    """The storage key of an attachment: its path below `/attachments/`."""
    return str(attachment["url"]).removeprefix("/attachments/")
