"""Where pictures are drawn: away from the event loop, in few threads, whatever the number of tables.

While a file is pressed the interpreter is free, but not while a picture is drawn: every thread more that draws makes
the loop wait longer for its turn, and no picture comes sooner than there are processors to draw it.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

THREADS: Final = 2
_EASEL: Final = ThreadPoolExecutor(THREADS, thread_name_prefix="easel")


async def drawn(draw: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    """What `draw` makes of these arguments, as soon as a thread is free."""
    return await asyncio.get_running_loop().run_in_executor(_EASEL, partial(draw, *args, **more))
