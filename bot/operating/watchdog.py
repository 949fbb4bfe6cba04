"""Detects that posts wait and no attempt to send one ends, to replace a hanging connection."""

import asyncio
from typing import Final

from bot.client import Boneyard
from bot.core.discord_errors import Requests
from bot.core.logs import logger

log = logger(__name__)
LOOK: Final = 10.0  # seconds between two checks
SILENT: Final = 120.0  # seconds without the end of any attempt, beyond rate limits


class Silent(Exception):  # noqa: N818 - what happened
    """Messages wait, and no attempt to send one ends."""


async def watch(client: Boneyard) -> None:
    """Raise Silent when posts wait and no attempt to send one, even a rejected one, has ended for `SILENT` seconds."""
    services, loop = client.services, asyncio.get_running_loop()
    announcer, deliveries = services.announcer, services.announcer.deliveries
    before, since = -1, loop.time()
    while True:
        await asyncio.sleep(LOOK)
        ended = deliveries.arrived + deliveries.failed + announcer.finished
        try:
            if ended != before or not services.presence.heard or not await announcer.waiting():
                before, since = ended, loop.time()
        except Exception as error:
            log.info("the state of the posts could not be read", why=type(error).__name__)
            since = loop.time()
        quiet_until = client.http.quiet_until if isinstance(client.http, Requests) else 0.0
        if loop.time() - max(since, quiet_until) >= SILENT:
            log.error("no post reaches Discord; reconnecting", seconds=round(SILENT))
            # They renew their leases while they run, and the next connection waits for those.
            announcer.abandon()
            services.alerts.abandon()
            raise Silent
