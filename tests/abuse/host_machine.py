"""The host of a bot: file modes, environments, and a playground process."""

import asyncio
import os
import stat
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.e2e.playground import STEP_TIMEOUT
from tests.playground.page_user import PageUser

ROOT = Path(__file__).parents[2]


async def wait_until_online(person: PageUser) -> None:
    async with asyncio.timeout(STEP_TIMEOUT):
        while not ((state := await person.fetch_state())["bot_online"] and state["commands"]):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def read_mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


async def start_boneyard(home: Path, *arguments: object, **environment: str) -> Process:
    """Start a command. Its standard error goes where its standard output goes."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD", "XDG"))
    }
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *map(str, arguments)),
        env=inherited | {"HOME": str(home), "USERPROFILE": str(home)} | environment,
        cwd=ROOT,
        umask=0o022,
        stdin=PIPE,
        stdout=PIPE,
        stderr=STDOUT,
    )


@asynccontextmanager
async def run_playground(
    home: Path, *arguments: str, last_line: str = "Boneyard is open at ", **environment: str
) -> AsyncIterator[list[str]]:
    """Run `boneyard play`, and return its output up to a line that begins like this. It ends with the block."""
    process = await start_boneyard(home, "play", "--port", "0", *arguments, **environment)
    lines: list[str] = []
    async with asyncio.timeout(STEP_TIMEOUT):
        while not lines or not lines[-1].startswith(last_line):
            lines.append((await process.stdout.readline()).decode().rstrip())
            assert lines[-1]
        yield lines
        process.terminate()
        await process.communicate()
