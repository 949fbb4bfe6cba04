"""The memory of the process: what nothing stands in any more goes back to the machine.

Pictures are drawn in memory that is let go of between what is kept. glibc leaves such holes to whoever asks next, and
gives back only what is free at the end: over an evening they come to tens of MiB (docs/performance.md, "Memory").
"""

import asyncio
import ctypes
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

EVERY: Final = 60.0
"""Seconds. It takes a few milliseconds, in a thread of its own."""


def _glibc_trim() -> Callable[[int], int] | None:
    """What gives free pages back, holes included; None where the C library is another, which has no such thing."""
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    return trim


@asynccontextmanager
async def giving_back() -> AsyncIterator[None]:
    """While this lasts, free memory is given back every minute."""
    trim = _glibc_trim()
    if trim is None:
        yield
        return
    giving = asyncio.create_task(_again_and_again(trim))
    try:
        yield
    finally:
        giving.cancel()


async def _again_and_again(trim: Callable[[int], int]) -> None:
    while True:
        # The interpreter is free meanwhile.
        await asyncio.to_thread(trim, 0)
        await asyncio.sleep(EVERY)
