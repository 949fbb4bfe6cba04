"""One shard's talk with the gateway: what it was told, what waits to be sent, what it can be told again."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from contextlib import suppress
from typing import Any

from aiohttp import ClientConnectionResetError, WSMsgType, web

from bot.playground.shapes import encode

REMEMBERED = 2000
"""So many events a session can miss and still resume."""


class Session:
    """One shard of one bot process; it outlives its socket for a while."""

    def __init__(self, shard: tuple[int, int], intents: int, large: int) -> None:
        self.id = secrets.token_hex(16)
        self.shard, self.shards = shard
        self.intents = intents
        self.large = large
        """A server with more members is told of without them."""
        self.socket: web.WebSocketResponse | None = None
        self.seq = 0
        """How many events it has been told."""
        self._past: deque[tuple[int, bytes]] = deque(maxlen=REMEMBERED)
        self._outbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None

    def wants(self, happening_guild: str | None, intent: int) -> bool:
        """Whether an event of this server (None: of no server) is for this shard and these intents."""
        shard = 0 if happening_guild is None else (int(happening_guild) >> 22) % self.shards
        return shard == self.shard and (not intent or bool(self.intents & intent))

    def dispatch(self, name: str, data: bytes) -> None:
        """Queue one event; without a socket it waits for a RESUME."""
        self.seq += 1
        frame = b'{"op":0,"s":%d,"t":"%s","d":%s}' % (self.seq, name.encode(), data)
        self._past.append((self.seq, frame))
        if self.socket is not None:
            self._outbox.put_nowait(frame)

    def send(self, op: int, data: Any = None) -> None:
        """Queue a frame that is no event."""
        self._outbox.put_nowait(encode({"op": op, "d": data}))

    def attach(self, socket: web.WebSocketResponse) -> None:
        """From now on frames go out on this socket."""
        self.socket = socket
        self._outbox = asyncio.Queue()
        self._writer = asyncio.get_running_loop().create_task(self._write(socket, self._outbox))

    def replay(self, seq: int) -> bool:
        """Queue everything after `seq` again; False when too much was missed."""
        if seq > self.seq or (self._past and self._past[0][0] > seq + 1):
            return False
        for number, frame in self._past:
            if number > seq:
                self._outbox.put_nowait(frame)
        return True

    def detach(self) -> None:
        """The socket is gone."""
        self.socket = None
        if self._writer is not None:
            self._writer.cancel()
            self._writer = None

    async def _write(self, socket: web.WebSocketResponse, outbox: asyncio.Queue[bytes]) -> None:
        with suppress(ConnectionError, ClientConnectionResetError):
            while True:
                await socket.send_frame(await outbox.get(), WSMsgType.TEXT)
