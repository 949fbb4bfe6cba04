"""Detects that posts wait and no attempt to send one ends, to replace a hanging connection."""

import asyncio
from typing import Final

from bot.client import Boneyard
from bot.core.discord_errors import DiscordHTTPClient
from bot.core.logs import get_logger

log = get_logger(__name__)
CHECK_SECONDS: Final = 10.0  # seconds between two checks
STALL_TIMEOUT: Final = 120.0  # seconds without the end of any attempt, beyond rate limits


class DeliveryStalled(Exception):  # noqa: N818 - what happened
    """Messages wait, and no attempt to send one ends."""


async def watch(client: Boneyard) -> None:
    """Raise DeliveryStalled when posts wait and no attempt to send one, even a rejected one, has ended for
    `STALL_TIMEOUT` seconds.
    """
    services, loop = client.services, asyncio.get_running_loop()
    announcer, deliveries = services.announcer, services.announcer.deliveries
    before, since = -1, loop.time()
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        ended = deliveries.arrived_count + deliveries.failed_count + announcer.finished
        try:
            if ended != before or not services.presence.connected_shards or not await announcer.count_waiting():
                before, since = ended, loop.time()
        except Exception as error:
            log.info("the state of the posts could not be read", why=type(error).__name__)
            since = loop.time()
        quiet_until = client.http.limited_until if isinstance(client.http, DiscordHTTPClient) else 0.0
        if loop.time() - max(since, quiet_until) >= STALL_TIMEOUT:
            log.error("no post reaches Discord; reconnecting", seconds=round(STALL_TIMEOUT))
            # Running tasks renew their leases, and the next connection would wait for these leases.
            announcer.abandon()
            services.alerts.abandon()
            raise DeliveryStalled
