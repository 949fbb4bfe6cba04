"""The messages of every channel: posting, editing, removing, and what becomes of their pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from bot.playground import refusals, shapes
from bot.playground.news import News
from bot.playground.shapes import DIRECT, THREADS, Json, WallClock
from bot.playground.shelf import Shelf
from bot.playground.timeline import Post, Timeline

RETIRE_AFTER = 60.0
"""Seconds that a replaced picture stays readable, for pages that are just about to show it."""


class Talk:
    """Everything that was said. Public messages are kept on the shelf, ephemeral ones only in memory."""

    def __init__(self, channels: Mapping[str, Json], shelf: Shelf, news: News, now: WallClock) -> None:
        self.timelines: dict[str, Timeline] = {}
        """The messages of each channel, by its id."""
        self._channels = channels
        self._shelf = shelf
        self._news = news
        self._now = now

    def post(self, post: Post) -> Post:
        """Put a message into its channel; ephemeral ones are not stored on disk."""
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
        if not body["flags"] & (shapes.QUIET | shapes.LOADING):
            self.ring(body)
        return post

    def ring(self, body: Json) -> None:
        """Tell everybody a message mentions that it does."""
        for who in body["mentions"]:
            self._news.tell("mention", {"message_id": body["id"], "channel_id": body["channel_id"]}, only_for=who["id"])

    def revise(self, post: Post) -> None:
        """A message has changed."""
        if post.owner is None:
            self._shelf.put("message", post.id, post.body)
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
            body["edited_timestamp"] = shapes.stamp(self._now())
        self.revise(post)
        if waited:
            self.ring(body)
        self.retire(fallen)

    def remove(self, post: Post) -> None:
        """A message goes away."""
        self.timelines[post.channel_id].remove(post.id)
        if post.owner is None:
            self._shelf.put("message", post.id, None)
        self._tell_gone(post)

    def find(self, channel_id: str, message_id: str) -> Post:
        """A message of a channel, ephemeral ones too, or refuse with 10003 or 10008."""
        timeline = self.timelines.get(channel_id)
        if timeline is None:
            raise refusals.unknown_channel()
        post = timeline.get(message_id) if message_id.isdecimal() else None
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
    """Where the bytes of an attachment lie: its path below `/attachments/`."""
    return str(attachment["url"]).removeprefix("/attachments/")
