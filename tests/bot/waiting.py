"""Wait for something that happens in the background."""

import asyncio
from collections.abc import Awaitable, Callable

TIMEOUT_SECONDS = 300.0
"""Longest wait in seconds, also on a busy machine."""


async def wait_until(condition: Callable[[], object] | Callable[[], Awaitable[object]]) -> None:
    """Check a condition repeatedly until it holds. It may be asynchronous."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            result = condition()
            if await result if isinstance(result, Awaitable) else result:
                return
            await asyncio.sleep(0.02)
