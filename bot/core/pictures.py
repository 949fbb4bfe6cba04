"""Pictures in messages: drawn in a few threads, because drawing holds the interpreter lock, with alt texts."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from typing import Any, Final, ParamSpec, TypeVar

import discord
from discord import ui

from bot.core.metrics import PICTURES
from render.canvas.picture import Picture

P = ParamSpec("P")
T = TypeVar("T")
DRAWING_THREADS: Final = 2
_EXECUTOR: Final = ThreadPoolExecutor(DRAWING_THREADS, thread_name_prefix="drawing")


async def draw_in_thread(draw: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    with PICTURES.time():
        return await asyncio.get_running_loop().run_in_executor(_EXECUTOR, partial(draw, *args, **more))


class PictureCache:
    """A cache of the last picture of each table, by all its inputs. The least recently shown is dropped first."""

    MAX_BYTES: Final = 4 * 2**20  # bytes, for about eighty boards

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._last: OrderedDict[int, tuple[object, Picture]] = OrderedDict()

    async def draw_cached(self, match_id: int, draw: Callable[P, Picture], *args: P.args, **more: P.kwargs) -> Picture:
        inputs = args, more
        before = self._last.pop(match_id, None)
        if before is not None:
            self._bytes -= len(before[1].png)
        picture = before[1] if before is not None and before[0] == inputs else await draw_in_thread(draw, *args, **more)
        self._keep(match_id, inputs, picture)
        return picture

    def _keep(self, match_id: int, inputs: object, picture: Picture) -> None:
        other = self._last.pop(match_id, None)  # drawn by another task in the meantime
        self._last[match_id] = inputs, picture
        self._bytes += len(picture.png) - (0 if other is None else len(other[1].png))
        while self._bytes > self._max_bytes:
            self._bytes -= len(self._last.popitem(last=False)[1][1].png)


def build_gallery(name: str, alt: str) -> ui.MediaGallery[Any]:
    return ui.MediaGallery(discord.MediaGalleryItem(f"attachment://{name}", description=alt[:1024]))


def build_file(name: str, image: Picture | bytes, alt: str) -> discord.File:
    written = image if isinstance(image, bytes) else image.png
    return discord.File(BytesIO(written), filename=name, description=alt[:1024])
