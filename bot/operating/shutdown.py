"""The bot ends within its time when it is told to, whatever the database, the disk or Discord do."""

import asyncio
import os
import sys
import threading
from typing import Final

from bot.client import Boneyard
from bot.core.logs import logger

log = logger(__name__)

ANSWERED: Final = 5.0
"""Seconds after which nobody waits for the database any more. Who did is told so while Discord still hears it."""
DRAIN: Final = 8.0
"""Seconds to finish what was begun when the bot is told to stop; those who stop it mostly wait ten."""
LETS_GO: Final = 0.5
"""Seconds that the database has to let go after that."""
LAST: Final = 9.0
"""Seconds after which the process ends wherever it is. All that was called done is kept; the next start goes on."""


def end_in_time() -> None:
    """From now on the process has `LAST` seconds, even if a thread hangs that Python would wait for."""
    timer = threading.Timer(LAST, _enough)
    timer.daemon = True
    timer.start()


async def drained(client: Boneyard, *, stopping: bool) -> None:
    """Let people who have just pressed get their answer, and everybody see what it led to."""
    if stopping:
        client.services.store.hurry(ANSWERED)
    try:
        async with asyncio.timeout(DRAIN):
            await client.drain()
    except TimeoutError:
        log.warning("something takes too long; the next start goes on with it")


def _enough() -> None:
    log.warning("something hangs, and the bot ends without waiting for it; the next start goes on")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)
