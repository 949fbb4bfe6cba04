"""The way to a database server, which can be cut, or hang: a proxy on loopback."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import make_url


class Proxy:
    def __init__(self, host: str, port: int) -> None:
        self.server = host, port
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self.port = 0
        self.accepted = 0
        """Connections since the beginning."""
        self.cut_on: bytes | None = None
        """Cut the connection once, after the server has received this text."""
        self.cut_before: bytes | None = None
        """Cut the connection once, before the server receives this text."""

    def hang(self) -> None:
        self._flows.clear()

    def go_on(self) -> None:
        self._flows.set()

    def cut(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        try:
            server_reader, server = await asyncio.open_connection(*self.server)
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, server}
        pair = [
            asyncio.create_task(self._forward(reader, server, writer)),
            asyncio.create_task(self._forward(server_reader, writer)),
        ]
        self._tasks |= set(pair)
        await asyncio.wait(pair, return_when=asyncio.FIRST_COMPLETED)
        for one in (writer, server):
            one.transport.abort()
        self._open -= {writer, server}

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asking: asyncio.StreamWriter | None = None
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flows.wait()
                if asking is not None and self.cut_before is not None and self.cut_before in data:
                    self.cut_before = None
                    return
                writer.write(data)
                await writer.drain()
                if asking is not None and self.cut_on is not None and self.cut_on in data:
                    self.cut_on = None
                    asking.transport.abort()
                    await asyncio.sleep(0.3)
                    return

    async def end(self) -> None:
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[tuple[Proxy, str]]:
    """A proxy before the server of a URL, and the URL through it."""
    server = make_url(url)
    proxy = Proxy(server.host or "127.0.0.1", server.port or 5432)
    listening = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = listening.sockets[0].getsockname()[1]
    try:
        through = server.set(host="127.0.0.1", port=proxy.port)
        yield proxy, through.render_as_string(hide_password=False)
    finally:
        listening.close()
        await proxy.end()
