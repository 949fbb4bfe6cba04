"""Worker programs that misbehave, and helpers that wait for workers."""

import asyncio
import itertools
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bot.playground.person import PageUser
from tests.bot.simulated_guild import TIMEOUT_SECONDS

SILENT_WORKER = (sys.executable, "-c", "import time; time.sleep(600)")
"""A worker that never answers."""


async def wait_until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        for pause in itertools.repeat(0.01):
            if condition():
                break
            await asyncio.sleep(pause)


DYING_WORKER = (sys.executable, "-c", "import sys; sys.stdin.buffer.read(4)")
"""A worker that dies at its first request."""


INVALID_ANSWER_WORKER = (
    sys.executable,
    "-c",
    "import sys, time; sys.stdin.buffer.read(4); print('0' * 99, flush=True); time.sleep(600)",
)
"""A worker that sends an invalid answer."""


MISSING_PROGRAM = ("/nonexistent/python",)


def is_alive(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    return False


async def play_by_typing(person: PageUser, channel_id: str) -> None:
    tile = (await person.fetch_choices(channel_id, "tiles", "play", focused="tile", tile=""))[0]["value"]
    places = await person.fetch_choices(channel_id, "tiles", "play", focused="place", tile=tile, place="")
    await person.use_command(channel_id, "tiles", "play", tile=tile, place=places[0]["value"])
