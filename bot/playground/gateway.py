"""The bot's WebSocket: connected sessions, the events sent to each, and resuming."""

import asyncio
from collections import defaultdict

import msgspec
from aiohttp import WSMsgType, web

from bot.playground.discord_limits import Throttle
from bot.playground.feed import (
    ALL_INTENTS,
    PRIVILEGED,
    Session,
    build_gateway_event,
    build_guild_create,
    build_members_chunk,
    is_hidden,
)
from bot.playground.injected_faults import Faults
from bot.playground.payloads import Json, WorldEvent, encode
from bot.playground.wire import encode_for_bot
from bot.playground.world import World

HEARTBEAT, IDENTIFY, RESUME, RECONNECT = 1, 2, 6, 7
MEMBERS, INVALID, HELLO, ACK = 8, 9, 10, 11  # gateway op codes

HEARTBEAT_MS = 41_250
SESSION_LIFE = 60.0  # seconds that a disconnected session is kept for its bot
LARGE_THRESHOLD = 50  # a server with more members is large, unless a session sets another number

BAD_TOKEN = 4004, "Authentication failed."  # close code and reason for a wrong token


class Gateway:
    """All sessions. Translates internal events into Discord's."""

    def __init__(self, world: World, token: str, faults: Faults, throttle: Throttle) -> None:
        self._world = world
        self.token = token
        self._faults = faults
        self._throttle = throttle
        self.privileged = 0  # the privileged intents that are enabled at the portal
        self._unavailable: set[str] = set()
        self._sessions: dict[str, Session] = {}
        self._sockets: set[web.WebSocketResponse] = set()
        self.connected = asyncio.Event()  # set while a bot is connected
        world.events.subscribe(self._handle_event)

    @property
    def is_online(self) -> bool:
        return self.connected.is_set()

    def ask_to_reconnect(self) -> None:
        """Send op 7 to every session: reconnect with RESUME."""
        for session in self._sessions.values():
            session.send(RECONNECT)

    def invalidate_sessions(self) -> None:
        """Send op 9 (not resumable) to every session: reconnect with IDENTIFY."""
        for session in self._sessions.values():
            session.send(INVALID, False)

    async def drop_connections(self, *, forget: bool = False) -> None:
        """Close every connection without notice. With `forget` no session can resume."""
        if forget:
            self._sessions.clear()
        for socket in list(self._sockets):
            await socket.close(code=4000)

    async def end_sessions(self) -> None:
        """End every session permanently, as after a new token."""
        self._sessions.clear()
        for socket in list(self._sockets):
            await _refuse(socket, BAD_TOKEN)

    def start_outage(self, guild_id: str) -> None:
        """Start an outage: the bot sees the server as unavailable, but has not left it."""
        self._unavailable.add(guild_id)
        for session in self._sessions.values():
            if session.should_receive(guild_id, 0):
                session.dispatch("GUILD_DELETE", encode({"id": guild_id, "unavailable": True}))

    def end_outage(self, guild_id: str) -> None:
        self._unavailable.discard(guild_id)
        for session in self._sessions.values():
            if session.should_receive(guild_id, 0):
                whole = build_guild_create(self._world, self._world.guilds[guild_id], session)
                session.dispatch("GUILD_CREATE", encode(whole))

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Serve one WebSocket from HELLO to its end."""
        if (refused := self._faults.find_response(request)) is not None:
            return refused
        socket = web.WebSocketResponse(max_msg_size=1 << 16, compress=False)
        await socket.prepare(request)
        self._sockets.add(socket)
        session: Session | None = None
        try:
            await socket.send_str(encode({"op": HELLO, "d": {"heartbeat_interval": HEARTBEAT_MS}}).decode())
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    continue
                frame = msgspec.json.decode(message.data, type=Json)
                if session is None:
                    session = await self._handle_first_frame(socket, frame)
                    if socket.closed:
                        break
                elif frame["op"] == HEARTBEAT:
                    session.send(ACK)
                elif frame["op"] == MEMBERS:
                    chunk = build_members_chunk(self._world, msgspec.convert(frame["d"], Json))
                    session.dispatch("GUILD_MEMBERS_CHUNK", encode(chunk))
        except (KeyError, TypeError, ValueError, RecursionError):  # msgspec raises kinds of ValueError
            await socket.close(code=4002, message=b"Error while decoding payload.")
        finally:
            self._sockets.discard(socket)
            if session is not None and session.socket is socket:
                session.detach()
                asyncio.get_running_loop().call_later(SESSION_LIFE, self._forget, session)
                self._publish_status()
        return socket

    async def close(self) -> None:
        """Close every connection because the server stops."""
        for socket in list(self._sockets):
            await socket.close(code=1001)

    def _forget(self, session: Session) -> None:
        if session.socket is None:
            self._sessions.pop(session.id, None)

    def _publish_status(self) -> None:
        if any(session.socket is not None for session in self._sessions.values()):
            self.connected.set()
        else:
            self.connected.clear()
        self._world.events.publish("bot_status", {"online": self.is_online}, secret=True)

    async def _handle_first_frame(self, socket: web.WebSocketResponse, frame: Json) -> Session | None:
        """Handle IDENTIFY or RESUME. A heartbeat may come before them."""
        op = frame["op"]
        if op == IDENTIFY:
            return await self._handle_identify(socket, msgspec.convert(frame["d"], Json))
        if op == RESUME:
            return await self._handle_resume(socket, msgspec.convert(frame["d"], Json))
        if op == HEARTBEAT:
            await socket.send_str(encode({"op": ACK}).decode())
        else:
            await socket.close(code=4003, message=b"Not authenticated.")
        return None

    async def _handle_identify(self, socket: web.WebSocketResponse, data: Json) -> Session | None:
        shard, shards = msgspec.convert(data.get("shard") or (0, 1), tuple[int, int])
        intents = msgspec.convert(data.get("intents", 0), int)
        refusal = self._find_refusal(str(data.get("token")), shard, shards, intents)
        if refusal is not None:
            await _refuse(socket, refusal)
            return None
        if not self._throttle.may_start(shard):
            await socket.send_str(encode({"op": INVALID, "d": False}).decode())
            return None
        if not self._throttle.spend_start():
            # Discord resets the token of a bot that starts too many sessions a day.
            await _refuse(socket, BAD_TOKEN)
            return None
        # A disconnected session of this shard will not resume, because its process starts a new one.
        for old in [one for one in self._sessions.values() if one.socket is None and one.shard == shard]:
            self._sessions.pop(old.id)
        session = Session((shard, shards), intents, msgspec.convert(data.get("large_threshold", LARGE_THRESHOLD), int))
        session.attach(socket)
        self._sessions[session.id] = session
        world = self._world
        guilds = [guild for guild in world.list_joined_guilds() if session.should_receive(guild["id"], 0)]
        ready: Json = {
            "v": 10, "session_id": session.id, "shard": [shard, shards], "private_channels": [],
            "user": world.bot | {"verified": True, "mfa_enabled": True, "email": None, "flags": 0},
            "guilds": [{"id": guild["id"], "unavailable": True} for guild in guilds],
            "resume_gateway_url": world.url.replace("http", "ws", 1) + "/gateway",
            "application": {"id": world.bot["id"], "flags": 0},
        }  # fmt: skip
        session.dispatch("READY", encode(ready))
        channels: defaultdict[str, list[Json]] = defaultdict(list)
        for channel in world.channels.values():
            channels[channel.get("guild_id", "")].append(channel)
        for guild in guilds:
            if guild["id"] not in self._unavailable:
                whole = build_guild_create(self._world, guild, session, channels[guild["id"]])
                session.dispatch("GUILD_CREATE", encode(whole))
        self._publish_status()
        return session

    def _find_refusal(self, token: str, shard: int, shards: int, intents: int) -> tuple[int, str] | None:
        """The close code and reason if a session may not start."""
        if token != self.token:
            return BAD_TOKEN
        if (closed := self._faults.take_close_code()) is not None:
            return closed
        if not 0 <= shard < shards:
            return 4010, "Invalid shard."
        if intents & ~ALL_INTENTS:
            return 4013, "Invalid intent(s)."
        if intents & PRIVILEGED & ~self.privileged:
            return 4014, "Disallowed intent(s)."
        guild_count = sum((int(guild["id"]) >> 22) % shards == shard for guild in self._world.list_joined_guilds())
        return (4011, "Sharding required.") if guild_count > self._throttle.rates.most_servers else None

    async def _handle_resume(self, socket: web.WebSocketResponse, data: Json) -> Session | None:
        session = self._sessions.get(data.get("session_id", ""))
        if data.get("token") != self.token:
            await _refuse(socket, BAD_TOKEN)
            return None
        if session is None:
            await socket.send_str(encode({"op": INVALID, "d": False}).decode())
            return None
        seq = msgspec.convert(data["seq"], int)
        session.detach()
        session.attach(socket)
        if not session.replay(seq):
            session.detach()
            self._sessions.pop(session.id)
            await socket.send_str(encode({"op": INVALID, "d": False}).decode())
            return None
        session.dispatch("RESUMED", b"{}")
        self._publish_status()
        return session

    def _handle_event(self, world_event: WorldEvent) -> None:
        if world_event.secret or not self._sessions:
            return
        if world_event.kind != "interaction_create" and is_hidden(self._world, world_event):
            return
        if world_event.kind == "guild_create":
            for session in self._sessions.values():
                if session.should_receive(world_event.guild_id, 0):
                    joined = build_guild_create(self._world, world_event.data, session)
                    del joined["unavailable"]  # its absence distinguishes a new server from a returning one
                    session.dispatch("GUILD_CREATE", encode(joined))
            return
        gateway_event = build_gateway_event(self._world, world_event)
        if gateway_event is None:
            return
        name, intent, data = gateway_event
        listening = [one for one in self._sessions.values() if one.should_receive(world_event.guild_id, intent)]
        if listening:
            raw = encode_for_bot(data, self._world)
            for session, delay in self._faults.list_receivers(name, listening):
                if delay:
                    asyncio.get_running_loop().call_later(delay, session.dispatch, name, raw)
                else:
                    session.dispatch(name, raw)


async def _refuse(socket: web.WebSocketResponse, reason: tuple[int, str]) -> None:
    code, message = reason
    await socket.close(code=code, message=message.encode())
