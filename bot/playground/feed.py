"""Events for open pages (Server-Sent Events, one queue per tab) and for the bot's gateway sessions."""

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from aiohttp import ClientConnectionResetError, WSMsgType, web

from bot.playground.page_words import furnished_key
from bot.playground.payloads import DIRECT, TEXT, THREADS, Happening, Json, encode, is_open_thread
from bot.playground.world import World

MOST_WAITING = 2000  # a tab with more unsent events is closed; it reloads when it reconnects
BOT_ONLY = (
    *("interaction_create", "member_add", "member_remove", "member_update", "role_create", "role_delete"),
    *("guild_create", "guild_update", "guild_delete"),
)


def page_channel(channel: Json) -> Json:
    """A channel as the page lists it. A direct channel gets a fixed name and the id of its user."""
    shown: Json = {key: channel.get(key) for key in ("id", "type", "name", "parent_id", "topic", "guild_id")}
    shown["topic_key"] = furnished_key(channel.get("topic"))
    shown["archived"] = channel["type"] in THREADS and channel["thread_metadata"]["archived"]
    shown["last_message_id"] = channel["last_message_id"]
    if channel["type"] not in (TEXT, *THREADS):
        shown["name"] = "Direct messages"
        shown["recipient_id"] = channel["recipients"][0]["id"]
    return shown


class Feed:
    """Sends events to the tabs that may see them."""

    def __init__(self, world: World) -> None:
        self._tabs: dict[str, set[asyncio.Queue[bytes | None]]] = {}
        self._world = world
        self._count = 0
        world.news.listen(self._hear)

    @contextmanager
    def tab(self, user_id: str) -> Iterator[asyncio.Queue[bytes | None]]:
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
        """Whether a viewer may see an event of a channel."""
        place = str(happening.data.get("channel_id", happening.data.get("id")))
        channel, who = self._world.channels.get(place), self._world.people.get(viewer)
        return channel is None or who is None or "guild_id" not in channel or self._world.sees(channel, who)


async def lines(queue: asyncio.Queue[bytes | None], pause: float) -> AsyncIterator[bytes]:
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
        while not queue.empty():
            line = queue.get_nowait()
            if line is None:
                return
            yield line


REMEMBERED = 2000  # events that a session can miss and still resume


class Session:
    """One shard of one bot process. It outlives its socket for a while."""

    def __init__(self, shard: tuple[int, int], intents: int, large: int) -> None:
        self.id = secrets.token_hex(16)
        self.shard, self.shards = shard
        self.intents = intents
        self.large = large  # a server with more members is sent without them
        self.socket: web.WebSocketResponse | None = None
        self.seq = 0  # the number of events sent so far
        self._past: deque[tuple[int, bytes]] = deque(maxlen=REMEMBERED)
        self._outbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None

    def wants(self, happening_guild: str | None, intent: int) -> bool:
        """Whether an event of this server (None: of no server) is for this shard and these intents."""
        shard = 0 if happening_guild is None else (int(happening_guild) >> 22) % self.shards
        return shard == self.shard and (not intent or bool(self.intents & intent))

    def dispatch(self, name: str, data: bytes) -> None:
        """Queue one event. Without a socket it waits for a RESUME."""
        self.seq += 1
        frame = b'{"op":0,"s":%d,"t":"%s","d":%s}' % (self.seq, name.encode(), data)
        self._past.append((self.seq, frame))
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
        if seq > self.seq or (self._past and self._past[0][0] > seq + 1):
            return False
        for number, frame in self._past:
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


def is_hidden(world: World, happening: Happening) -> bool:
    """Whether an event happened where the bot is not a member or lacks the permission to see it."""
    if happening.guild_id in world.members.without_bot:
        return True
    data = happening.data
    about = data if data.get("type") in THREADS and "owner_id" in data else None
    if happening.kind in MESSAGES:
        about = world.channels.get(data["channel_id"])
    return about is not None and about["type"] != DIRECT and not world.sees(about)


def dispatched(world: World, happening: Happening) -> tuple[str, int, Json] | None:
    """The event's name, the intent it needs and its data; None if bots do not receive it."""
    kind, data = happening.kind, happening.data
    if kind in MESSAGES:
        intent = DIRECT_MESSAGES if happening.guild_id is None else GUILD_MESSAGES
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
            what = "THREAD" if data["type"] in THREADS else "CHANNEL"
            name = f"{what}_{kind.removeprefix('channel_').upper()}"
            if name == "THREAD_CREATE":
                data = data | {"newly_created": True}
            return name, 0 if data["type"] == DIRECT else GUILDS, data
    return None


def whole_guild(world: World, guild: Json, session: Session, mine: Sequence[Json] | None = None) -> Json:
    """GUILD_CREATE with these channels, by default all. Without the members intent a bot sees only itself."""
    if mine is None:
        mine = [one for one in world.channels.values() if one.get("guild_id") == guild["id"]]
    around = [world.bot]
    if session.intents & (GUILD_MEMBERS | PRESENCES):
        around += world.around(guild["id"])
    members = [world.members.shape(who, guild["id"]) for who in around]
    count = world.members.count(guild["id"], len(world.people))
    return guild | {
        "joined_at": members[0]["joined_at"], "large": count > session.large, "unavailable": False,
        "member_count": count, "members": members,
        "channels": [one for one in mine if one["type"] not in THREADS],
        "threads": [one for one in mine if is_open_thread(one) and world.sees(one)],
        "voice_states": [], "presences": [], "stage_instances": [], "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }  # fmt: skip


def members_chunk(world: World, asked: Json) -> Json:
    """The answer to REQUEST_GUILD_MEMBERS: members by ids or by the start of a name."""
    guild_id = str(asked["guild_id"])
    wanted = asked.get("user_ids")
    wanted = None if wanted is None else {str(one) for one in (wanted if isinstance(wanted, list) else [wanted])}
    start = str(asked.get("query") or "").lower()
    found = [
        world.members.shape(who, guild_id)
        for who in [world.bot, *world.around(guild_id)]
        if (who["id"] in wanted if wanted is not None else who["username"].lower().startswith(start))
    ]
    chunk = {"guild_id": guild_id, "members": found, "chunk_index": 0, "chunk_count": 1}
    if "nonce" in asked:
        chunk["nonce"] = asked["nonce"]
    return chunk
