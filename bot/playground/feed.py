"""Events for open pages (Server-Sent Events, one queue per tab) and for the bot's gateway sessions."""

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from aiohttp import ClientConnectionResetError, WSMsgType, web

from bot.playground.page_words import find_initial_key
from bot.playground.payloads import DIRECT, TEXT, THREADS, Json, WorldEvent, encode, is_open_thread
from bot.playground.world import World

MAX_UNSENT = 2000  # a tab with more unsent events is closed; it reloads when it reconnects
BOT_ONLY = (
    *("interaction_create", "member_add", "member_remove", "member_update", "role_create", "role_delete"),
    *("guild_create", "guild_update", "guild_delete"),
)


def build_page_channel(channel: Json) -> Json:
    """A channel as the page lists it. A direct channel gets a fixed name and the id of its user."""
    page: Json = {key: channel.get(key) for key in ("id", "type", "name", "parent_id", "topic", "guild_id")}
    page["topic_key"] = find_initial_key(channel.get("topic"))
    page["archived"] = channel["type"] in THREADS and channel["thread_metadata"]["archived"]
    page["last_message_id"] = channel["last_message_id"]
    if channel["type"] not in (TEXT, *THREADS):
        page["name"] = "Direct messages"
        page["recipient_id"] = channel["recipients"][0]["id"]
    return page


class Feed:
    """Sends events to the tabs that may see them."""

    def __init__(self, world: World) -> None:
        self._tabs: dict[str, set[asyncio.Queue[bytes | None]]] = {}
        self._world = world
        self._count = 0
        world.events.subscribe(self._handle_event)

    @contextmanager
    def open_tab(self, user_id: str) -> Iterator[asyncio.Queue[bytes | None]]:
        """The queue of one open tab: SSE lines, or None when the tab must close."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._tabs.setdefault(user_id, set()).add(queue)
        try:
            yield queue
        finally:
            self._drop(user_id, queue)

    def close(self) -> None:
        """Close every tab because the server stops."""
        for tabs in self._tabs.values():
            for queue in tabs:
                queue.put_nowait(None)

    def _drop(self, user_id: str, queue: asyncio.Queue[bytes | None]) -> None:
        tabs = self._tabs.get(user_id, set())
        tabs.discard(queue)
        if not tabs:
            self._tabs.pop(user_id, None)

    def _handle_event(self, world_event: WorldEvent) -> None:
        if world_event.kind in BOT_ONLY or not self._tabs:
            return
        if world_event.only_for is None:
            queues = [
                queue for viewer, tabs in self._tabs.items() if self._can_see(viewer, world_event) for queue in tabs
            ]
        else:
            queues = list(self._tabs.get(world_event.only_for, ()))
        if not queues:
            return
        data = build_page_channel(world_event.data) if world_event.kind.startswith("channel_") else world_event.data
        self._count += 1
        event = encode({"type": world_event.kind, "data": data})
        line = b"id: %d\ndata: %s\n\n" % (self._count, event)
        for queue in queues:
            if queue.qsize() < MAX_UNSENT:
                queue.put_nowait(line)
            elif queue.qsize() == MAX_UNSENT:
                queue.put_nowait(None)

    def _can_see(self, viewer: str, world_event: WorldEvent) -> bool:
        channel_id = str(world_event.data.get("channel_id", world_event.data.get("id")))
        channel, who = self._world.channels.get(channel_id), self._world.users.get(viewer)
        return channel is None or who is None or "guild_id" not in channel or self._world.can_see(channel, who)


async def iterate_lines(queue: asyncio.Queue[bytes | None], pause: float) -> AsyncIterator[bytes]:
    """The lines to write to a tab, with a comment line after `pause` seconds without an event."""
    while True:
        try:
            async with asyncio.timeout(pause):
                line = await queue.get()
        except TimeoutError:
            line = b": still here\n\n"
        if line is None:
            return
        yield line


MAX_REPLAYED = 2000  # events that a session can miss and still resume


class Session:
    """One shard of one bot process. It outlives its socket for a while."""

    def __init__(self, shard: tuple[int, int], intents: int, large_threshold: int) -> None:
        self.id = secrets.token_hex(16)
        self.shard, self.shards = shard
        self.intents = intents
        self.large_threshold = large_threshold  # a server with more members is sent without them
        self.socket: web.WebSocketResponse | None = None
        self.seq = 0  # the number of events sent so far
        self._history: deque[tuple[int, bytes]] = deque(maxlen=MAX_REPLAYED)
        self._outbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None

    def should_receive(self, guild_id: str | None, intent: int) -> bool:
        """Whether an event of this server (None: of no server) is for this shard and these intents."""
        shard = 0 if guild_id is None else (int(guild_id) >> 22) % self.shards
        return shard == self.shard and (not intent or bool(self.intents & intent))

    def dispatch(self, name: str, data: bytes) -> None:
        """Queue one event. Without a socket it waits for a RESUME."""
        self.seq += 1
        frame = b'{"op":0,"s":%d,"t":"%s","d":%s}' % (self.seq, name.encode(), data)
        self._history.append((self.seq, frame))
        if self.socket is not None:
            self._outbox.put_nowait(frame)

    def send(self, op: int, data: Any = None) -> None:
        """Queue a frame that is not an event."""
        self._outbox.put_nowait(encode({"op": op, "d": data}))

    def attach(self, socket: web.WebSocketResponse) -> None:
        """Send frames on this socket from now on."""
        self.socket = socket
        self._outbox = asyncio.Queue()
        self._writer = asyncio.get_running_loop().create_task(self._write(socket, self._outbox))

    def replay(self, seq: int) -> bool:
        """Queue all events after `seq` again. Return False if too many were missed."""
        if seq > self.seq or (self._history and self._history[0][0] > seq + 1):
            return False
        for number, frame in self._history:
            if number > seq:
                self._outbox.put_nowait(frame)
        return True

    def detach(self) -> None:
        """Stop sending, because the socket is closed."""
        self.socket = None
        if self._writer is not None:
            self._writer.cancel()
            self._writer = None

    async def _write(self, socket: web.WebSocketResponse, outbox: asyncio.Queue[bytes]) -> None:
        with suppress(ConnectionError, ClientConnectionResetError):
            while True:
                await socket.send_frame(await outbox.get(), WSMsgType.TEXT)


GUILDS, GUILD_MEMBERS, PRESENCES, GUILD_MESSAGES, DIRECT_MESSAGES = 1 << 0, 1 << 1, 1 << 8, 1 << 9, 1 << 12
PRIVILEGED = GUILD_MEMBERS | PRESENCES | 1 << 15
"""Intents that the bot's owner must enable at the portal; the last one is message content."""
ALL_INTENTS = 0b11_0011_0001_1111_1111_1111_1111
MESSAGES = {"message_create": "MESSAGE_CREATE", "message_update": "MESSAGE_UPDATE", "message_delete": "MESSAGE_DELETE"}


def is_hidden(world: World, world_event: WorldEvent) -> bool:
    """Whether an event happened where the bot is not a member or lacks the permission to see it."""
    if world_event.guild_id in world.members.without_bot:
        return True
    data = world_event.data
    channel = data if data.get("type") in THREADS and "owner_id" in data else None
    if world_event.kind in MESSAGES:
        channel = world.channels.get(data["channel_id"])
    return channel is not None and channel["type"] != DIRECT and not world.can_see(channel)


def build_gateway_event(world: World, world_event: WorldEvent) -> tuple[str, int, Json] | None:
    """The event's name, the intent it needs and its data; None if bots do not receive it."""
    kind, data = world_event.kind, world_event.data
    if kind in MESSAGES:
        intent = DIRECT_MESSAGES if world_event.guild_id is None else GUILD_MESSAGES
        return MESSAGES[kind], intent, data
    match kind:
        case "interaction_create":
            return "INTERACTION_CREATE", 0, data
        case "member_add" | "member_remove":
            return f"GUILD_{kind.upper()}", GUILD_MEMBERS, data
        case "member_update":
            # A bot gets updates about itself with any intents.
            about_itself = data["user"]["id"] == world.bot["id"]
            return "GUILD_MEMBER_UPDATE", 0 if about_itself else GUILD_MEMBERS, data
        case "role_create" | "role_delete":
            return f"GUILD_{kind.upper()}", GUILDS, data
        case "guild_update" | "guild_delete":
            return kind.upper(), 0 if kind == "guild_delete" else GUILDS, data
        case "channel_create" | "channel_update" | "channel_delete":
            prefix = "THREAD" if data["type"] in THREADS else "CHANNEL"
            name = f"{prefix}_{kind.removeprefix('channel_').upper()}"
            if name == "THREAD_CREATE":
                data = data | {"newly_created": True}
            return name, 0 if data["type"] == DIRECT else GUILDS, data
    return None


def build_guild_create(world: World, guild: Json, session: Session, channels: Sequence[Json] | None = None) -> Json:
    """GUILD_CREATE with these channels, by default all. Without the members intent a bot sees only itself."""
    if channels is None:
        channels = [one for one in world.channels.values() if one.get("guild_id") == guild["id"]]
    users = [world.bot]
    if session.intents & (GUILD_MEMBERS | PRESENCES):
        users += world.list_members(guild["id"])
    members = [world.members.build_member(who, guild["id"]) for who in users]
    count = world.members.count(guild["id"], len(world.users))
    return guild | {
        "joined_at": members[0]["joined_at"], "large": count > session.large_threshold, "unavailable": False,
        "member_count": count, "members": members,
        "channels": [one for one in channels if one["type"] not in THREADS],
        "threads": [one for one in channels if is_open_thread(one) and world.can_see(one)],
        "voice_states": [], "presences": [], "stage_instances": [], "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }  # fmt: skip


def build_members_chunk(world: World, request: Json) -> Json:
    """The answer to REQUEST_GUILD_MEMBERS: members by ids or by the start of a name."""
    guild_id = str(request["guild_id"])
    user_ids = request.get("user_ids")
    user_ids = (
        None if user_ids is None else {str(one) for one in (user_ids if isinstance(user_ids, list) else [user_ids])}
    )
    start = str(request.get("query") or "").lower()
    members = [
        world.members.build_member(who, guild_id)
        for who in [world.bot, *world.list_members(guild_id)]
        if (who["id"] in user_ids if user_ids is not None else who["username"].lower().startswith(start))
    ]
    chunk = {"guild_id": guild_id, "members": members, "chunk_index": 0, "chunk_count": 1}
    if "nonce" in request:
        chunk["nonce"] = request["nonce"]
    return chunk
