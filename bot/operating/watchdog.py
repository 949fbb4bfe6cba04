"""Detects that posts wait and no attempt to send one ends, so that a new connection can replace one that hangs."""

import asyncio
from typing import Final

from bot.client import Boneyard
from bot.core.discord_errors import Requests
from bot.core.logs import logger

log = logger(__name__)

LOOK: Final = 10.0
"""Seconds between two looks."""
SILENT: Final = 120.0
"""Seconds without the end of any attempt, beyond what Discord asked for, until the connection is replaced."""


class Silent(Exception):  # noqa: N818 - what happened
    """Posts wait, and no attempt to send one ends."""


async def watch(client: Boneyard) -> None:
    """Raise Silent once posts wait and no attempt to send one has ended for `SILENT` seconds.

    A refusal by Discord ends an attempt too: a new connection would not help there.
    """
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
            # The watchdog must not end the bot.
            log.info("it could not be seen whether anything gets through", why=type(error).__name__)
            since = loop.time()
        quiet_until = client.http.quiet_until if isinstance(client.http, Requests) else 0.0
        if loop.time() - max(since, quiet_until) >= SILENT:
            log.error("nothing gets through; the connection to Discord is made anew", seconds=round(SILENT))
            # Their leases are renewed as long as they run, and the next connection waits for that.
            announcer.abandon()
            services.alerts.abandon()
            raise Silent
