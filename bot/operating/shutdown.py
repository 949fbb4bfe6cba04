"""Shutdown within a fixed time, even if the database, the disk or Discord hangs."""

import asyncio
import os
import sys
import threading
from typing import Final

from bot.client import Boneyard
from bot.core.logs import logger

log = logger(__name__)
ANSWERED: Final = 5.0  # seconds until waiting for the database fails, while an answer can still be sent
DRAIN: Final = 8.0  # seconds to finish running work; most service managers kill after ten
LETS_GO: Final = 0.5  # further seconds for the database to close
LAST: Final = 9.0  # seconds until the process exits in any case; committed changes are safe


def end_in_time() -> None:
    """Exit after `LAST` seconds, even if a thread hangs that Python would wait for."""
    timer = threading.Timer(LAST, _exit_now)
    timer.daemon = True
    timer.start()


async def drained(client: Boneyard, *, stopping: bool) -> None:
    if stopping:
        client.services.store.hurry(ANSWERED)
    try:
        async with asyncio.timeout(DRAIN):
            await client.drain()
    except TimeoutError:
        log.warning("something takes too long; the next start goes on with it")


def _exit_now() -> None:
    log.warning("something hangs, and the bot ends without waiting for it; the next start goes on")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)
