"""A proxy on loopback in front of a database server, which can cut connections or hang."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import make_url


class Proxy:
    def __init__(self, host: str, port: int) -> None:
        self.server = host, port
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._resume_event = asyncio.Event()
        self._resume_event.set()
        self.port = 0
        self.cut_after: bytes | None = None
        """Cut the connection once, after the server has received this text."""
        self.cut_before: bytes | None = None
        """Cut the connection once, before the server receives this text."""

    def hang(self) -> None:
        self._resume_event.clear()

    def resume(self) -> None:
        self._resume_event.set()

    def close_connections(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server_reader, server = await asyncio.open_connection(*self.server)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, server}
        pair = [
            asyncio.create_task(self._forward(reader, server, writer)),
            asyncio.create_task(self._forward(server_reader, writer)),
        ]
        self._tasks |= set(pair)
        await asyncio.wait(pair, return_when=asyncio.FIRST_COMPLETED)
        for one in (writer, server):
            one.transport.abort()
        self._writers -= {writer, server}

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client: asyncio.StreamWriter | None = None
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._resume_event.wait()
                if client is not None and self.cut_before is not None and self.cut_before in data:
                    self.cut_before = None
                    return
                writer.write(data)
                await writer.drain()
                if client is not None and self.cut_after is not None and self.cut_after in data:
                    self.cut_after = None
                    client.transport.abort()
                    await asyncio.sleep(0.3)
                    return

    async def close(self) -> None:
        self.close_connections()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def open_proxy(url: str) -> AsyncIterator[tuple[Proxy, str]]:
    """Open a proxy in front of the server of a URL; yield it and the URL that uses it."""
    server = make_url(url)
    proxy = Proxy(server.host or "127.0.0.1", server.port or 5432)
    listener = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = listener.sockets[0].getsockname()[1]
    try:
        proxy_url = server.set(host="127.0.0.1", port=proxy.port)
        yield proxy, proxy_url.render_as_string(hide_password=False)
    finally:
        listener.close()
        await proxy.close()
