"""Where pictures are drawn: away from the event loop, in few threads, whatever the number of tables.

While a file is pressed the interpreter is free, but not while a picture is drawn: every thread more that draws makes
the loop wait longer for its turn, and no picture comes sooner than there are processors to draw it.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

THREADS: Final = 2
TURN: Final = 0.0005
"""Seconds for which a thread keeps the interpreter from another that asks for it. Python's own 5 ms are as long as a
picture takes, and are paid by everybody who presses a button meanwhile; pictures take no longer with less."""
NICER: Final = 5
"""By how much a thread that draws is nicer than the others: the loop need not wait for a processor either."""


def _give_way() -> None:
    """Let the event loop go first, from the first picture on. Where nobody draws, nothing is changed."""
    sys.setswitchinterval(min(TURN, sys.getswitchinterval()))
    # Only Linux knows how nice a single thread is.
    if sys.platform == "linux":
        mine = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, mine, os.getpriority(os.PRIO_PROCESS, mine) + NICER)


_EASEL: Final = ThreadPoolExecutor(THREADS, thread_name_prefix="easel", initializer=_give_way)


async def drawn(draw: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    """What `draw` makes of these arguments, as soon as a thread is free."""
    return await asyncio.get_running_loop().run_in_executor(_EASEL, partial(draw, *args, **more))
