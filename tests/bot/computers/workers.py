"""Worker programs that misbehave, and helpers that wait for workers."""

import asyncio
import itertools
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bot.playground.person import PageUser
from tests.bot.simulated_guild import PATIENCE

STUCK = (sys.executable, "-c", "import time; time.sleep(600)")
"""A worker that never answers."""


async def eventually(done: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        for pause in itertools.repeat(0.01):
            if done():
                break
            await asyncio.sleep(pause)


MUTE = (sys.executable, "-c", "import sys; sys.stdin.buffer.read(4)")
"""A worker that dies at its first request."""


RAVING = (
    sys.executable,
    "-c",
    "import sys, time; sys.stdin.buffer.read(4); print('0' * 99, flush=True); time.sleep(600)",
)
"""A worker that sends an invalid answer."""


NOWHERE = ("/nonexistent/python",)


def lives(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    return False


async def typed(person: PageUser, place: str) -> None:
    tile = (await person.fetch_choices(place, "tiles", "play", focused="tile", tile=""))[0]["value"]
    places = await person.fetch_choices(place, "tiles", "play", focused="place", tile=tile, place="")
    await person.use_command(place, "tiles", "play", tile=tile, place=places[0]["value"])
