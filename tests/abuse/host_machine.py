"""The host of a bot: file modes, environments, and a playground process."""

import asyncio
import os
import stat
from pathlib import Path

from bot.playground.person import PageUser
from tests.e2e.playground import STEP_TIMEOUT


async def wait_until_online(person: PageUser) -> None:
    async with asyncio.timeout(STEP_TIMEOUT):
        while not ((state := await person.fetch_state())["bot_online"] and state["commands"]):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def read_mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def build_environment(home: Path) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD", "XDG"))
    }
    return inherited | {"HOME": str(home), "USERPROFILE": str(home)}
