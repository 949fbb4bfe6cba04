"""`/healthz` and `/metrics`, on a port of this machine, for whoever asked for them by `BONEYARD_STATUS`."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, GCCollector, ProcessCollector, generate_latest

from bot.base import logs, metrics
from bot.base.status_address import StatusAddress
from bot.operating.vitals import Vitals

log = logs.logger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

AGAIN: Final = 5.0
"""Seconds between two attempts to get a port that is taken, as by the process that this one follows."""

ProcessCollector(registry=metrics.REGISTRY)
GCCollector(registry=metrics.REGISTRY)


@asynccontextmanager
async def served(address: StatusAddress | None, vitals: Vitals) -> AsyncIterator[None]:
    """While the bot runs, whoever asks is told how it is doing. Without an address nothing happens.

    A port that is taken keeps no bot from running: it is said, and tried again.
    """
    if address is None:
        yield
        return
    if not address.is_ours:
        log.warning("the status page can be reached from other machines; it says numbers only", port=address.port)
    counted = metrics.CountedLines()
    logging.getLogger().addHandler(counted)
    runner = web.AppRunner(_app(address, vitals), access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    listening = asyncio.create_task(_listen(runner, address))
    try:
        yield
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await runner.cleanup()
        logging.getLogger().removeHandler(counted)


async def _listen(runner: web.AppRunner, address: StatusAddress) -> None:
    said = False
    while True:
        try:
            await web.TCPSite(runner, address.host, address.port).start()
        except OSError as error:
            if not said:
                log.warning("the status page waits for its port, or name another in BONEYARD_STATUS", code=error.errno)
            said = True
            await asyncio.sleep(AGAIN)
        else:
            log.info("the status page is there", port=address.port)
            return


def _app(address: StatusAddress, vitals: Vitals) -> web.Application:
    async def health(request: web.Request) -> web.Response:
        await vitals.look()
        findings = vitals.findings()
        good = all(finding.good for finding in findings)
        return web.Response(text="".join(f"{finding}\n" for finding in findings), status=200 if good else 503)

    async def numbers(request: web.Request) -> web.Response:
        await vitals.look()
        return web.Response(body=generate_latest(metrics.REGISTRY), headers={"Content-Type": CONTENT_TYPE_LATEST})

    @web.middleware
    async def ours(request: web.Request, handler: Handler) -> web.StreamResponse:
        # A page in somebody's browser can give a name of its own to this address, and would read it as its own.
        if address.is_ours and not _is_here(request.host):
            return web.Response(text="Ask for 127.0.0.1.\n", status=403)
        return await handler(request)

    app = web.Application(middlewares=[ours], client_max_size=1024)
    app.router.add_get("/healthz", health)
    app.router.add_get("/metrics", numbers)
    return app


def _is_here(host: str) -> bool:
    """Whether what a browser or `curl` calls this page, with or without a port, is a name of this machine."""
    name = host if host.endswith("]") else host.rsplit(":", 1)[0]
    return StatusAddress(name.strip("[]"), 1).is_ours
