"""What open pages hear, as Server-Sent Events: one queue for each open tab."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from bot.playground.news import Happening
from bot.playground.shapes import TEXT, THREADS, Json, encode
from bot.playground.speech import furnished_key
from bot.playground.world import World

MOST_WAITING = 2000
"""A tab that lets so many events lie is closed; it reloads when it comes back."""
BOT_ONLY = frozenset(
    {
        *("interaction_create", "member_add", "member_remove", "member_update", "role_create", "role_delete"),
        *("guild_create", "guild_update", "guild_delete"),
    }
)


def page_channel(channel: Json) -> Json:
    """A channel as the page lists it; a direct talk is called after the bot and names its person."""
    shown: Json = {key: channel.get(key) for key in ("id", "type", "name", "parent_id", "topic", "guild_id")}
    shown["topic_key"] = furnished_key(channel.get("topic"))
    shown["archived"] = channel["type"] in THREADS and channel["thread_metadata"]["archived"]
    shown["last_message_id"] = channel["last_message_id"]
    if channel["type"] not in (TEXT, *THREADS):
        shown["name"] = "Direct messages"
        shown["recipient_id"] = channel["recipients"][0]["id"]
    return shown


class Feed:
    """Passes happenings on to the tabs that may know of them."""

    def __init__(self, world: World) -> None:
        self._tabs: dict[str, set[asyncio.Queue[bytes | None]]] = {}
        self._world = world
        self._count = 0
        world.news.listen(self._hear)

    @contextmanager
    def tab(self, user_id: str) -> Iterator[asyncio.Queue[bytes | None]]:
        """The queue of one open tab: ready-made SSE lines, None when the tab must close."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._tabs.setdefault(user_id, set()).add(queue)
        try:
            yield queue
        finally:
            self._drop(user_id, queue)

    def close(self) -> None:
        """Every tab ends because the server does."""
        for tabs in self._tabs.values():
            for queue in tabs:
                queue.put_nowait(None)

    def _drop(self, user_id: str, queue: asyncio.Queue[bytes | None]) -> None:
        tabs = self._tabs.get(user_id, set())
        tabs.discard(queue)
        if not tabs:
            self._tabs.pop(user_id, None)

    def _hear(self, happening: Happening) -> None:
        if happening.kind in BOT_ONLY or not self._tabs:
            return
        if happening.only_for is None:
            queues = [queue for viewer, tabs in self._tabs.items() if self._hears(viewer, happening) for queue in tabs]
        else:
            queues = list(self._tabs.get(happening.only_for, ()))
        if not queues:
            return
        data = page_channel(happening.data) if happening.kind.startswith("channel_") else happening.data
        self._count += 1
        event = encode({"type": happening.kind, "data": data})
        line = b"id: %d\ndata: %s\n\n" % (self._count, event)
        for queue in queues:
            if queue.qsize() < MOST_WAITING:
                queue.put_nowait(line)
            elif queue.qsize() == MOST_WAITING:
                queue.put_nowait(None)

    def _hears(self, viewer: str, happening: Happening) -> bool:
        """Whether what happened to a channel, or in it, is for somebody who may not see all channels."""
        place = str(happening.data.get("channel_id", happening.data.get("id")))
        channel, who = self._world.channels.get(place), self._world.people.get(viewer)
        return channel is None or who is None or "guild_id" not in channel or self._world.sees(channel, who)


async def lines(queue: asyncio.Queue[bytes | None], pause: float) -> AsyncIterator[bytes]:
    """What to write to a tab, with a comment line whenever nothing happened for `pause` seconds."""
    while True:
        try:
            async with asyncio.timeout(pause):
                line = await queue.get()
        except TimeoutError:
            line = b": still here\n\n"
        if line is None:
            return
        yield line
        while not queue.empty():
            line = queue.get_nowait()
            if line is None:
                return
            yield line
