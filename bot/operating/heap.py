"""The memory of the process: one heap for all threads, and what nothing stands in any more goes back to the machine.

Pictures are drawn in memory that is let go of between what is kept. glibc leaves such holes to whoever asks next, and
keeps a heap for every few threads, each with holes of its own: over an evening they come to tens of MiB
(docs/performance.md, "Memory"). Threads that draw, read and write here have the interpreter in turns, so they seldom
meet at the heap.
"""

import asyncio
import ctypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

EVERY: Final = 10.0
"""Seconds between two times that free memory is given back: it takes one to twelve milliseconds, in a thread of its
own. A bot that draws all the time takes it again before long, so a minute would be too seldom."""
_ARENA_MAX: Final = -8
"""glibc's number for how many heaps there may be."""


def _glibc() -> Any:
    """The C library, where it has both; None where it is another one, which keeps its memory in another way."""
    try:
        library = ctypes.CDLL(None)
        return library if library.malloc_trim and library.mallopt else None
    except (AttributeError, OSError, TypeError):
        return None


def one_heap() -> None:
    """To be said before there are threads: all of them share the heap there is."""
    if (library := _glibc()) is not None:
        library.mallopt(_ARENA_MAX, 1)


@asynccontextmanager
async def giving_back() -> AsyncIterator[None]:
    """While this lasts, free memory is given back every few seconds."""
    if (library := _glibc()) is None:
        yield
        return
    giving = asyncio.create_task(_again_and_again(library))
    try:
        yield
    finally:
        giving.cancel()


async def _again_and_again(library: Any) -> None:
    while True:
        # The interpreter is free meanwhile.
        await asyncio.to_thread(library.malloc_trim, 0)
        await asyncio.sleep(EVERY)
