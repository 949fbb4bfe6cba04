"""Pictures in messages: drawn away from the event loop, in few threads whatever the number of tables, and attached with
their alt texts.

While a file is pressed the interpreter is free, but not while a picture is drawn: every thread more that draws makes
the loop wait longer for its turn, and no picture comes sooner than there are processors to draw it.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from typing import Any, Final, ParamSpec, TypeVar

import discord
from discord import ui

from bot.base.metrics import PICTURES
from render import Picture

P = ParamSpec("P")
T = TypeVar("T")

THREADS: Final = 2
_THREADS: Final = ThreadPoolExecutor(THREADS, thread_name_prefix="drawing")


async def drawn(draw: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    """What `draw` makes of these arguments, as soon as a thread is free."""
    with PICTURES.time():
        return await asyncio.get_running_loop().run_in_executor(_THREADS, partial(draw, *args, **more))


def picture(name: str, alt: str) -> ui.MediaGallery[Any]:
    """A picture that is sent along under this file name."""
    return ui.MediaGallery(discord.MediaGalleryItem(f"attachment://{name}", description=alt[:1024]))


def file(name: str, image: Picture, alt: str) -> discord.File:
    """The picture itself."""
    return discord.File(BytesIO(image.png), filename=name, description=alt[:1024])
