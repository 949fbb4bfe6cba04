"""`python -m bot play` as a subprocess, with its output."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from yarl import URL

from tests.project.sources import ROOT

STEP_TIMEOUT = 300.0  # Timeout in seconds for any step, with a margin for a busy machine


@dataclass
class Playground:
    """A running playground; `address` is the page's URL with its key, `lines` its output so far.

    Use it as `async with Playground(data) as playground:`. At the end, remaining processes are killed by their ids.
    """

    data: Path
    port: int = 0
    address: str = ""
    lines: list[str] = field(default_factory=list)
    bots: list[int] = field(default_factory=list)  # The process ids of its bots, in start order
    _process: Process | None = None
    _reader_task: asyncio.Task[None] | None = None
    _output_changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
            try:
                async with asyncio.timeout(STEP_TIMEOUT):
                    await self.wait_for_exit()
            except TimeoutError:
                await self.kill()
        for bot in self.bots:
            if is_alive(bot):
                os.kill(bot, signal.SIGKILL)

    @property
    def url(self) -> str:
        return str(URL(self.address).origin())

    @property
    def process(self) -> Process:
        assert self._process is not None, "use it as `async with Playground(data) as playground:`"
        return self._process

    @property
    def bot(self) -> int:
        return self.bots[-1]

    async def start(self) -> None:
        """Start or restart the playground, and wait until the page is served and a bot has started."""
        known = len(self.bots)
        arguments = ["play", "--data", str(self.data), "--port", str(self.port), "--no-browser"]
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD"))
        }
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.e2e.patient", *arguments),
            cwd=ROOT,
            env=environment,
            stdout=PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._reader_task = asyncio.create_task(self._read(self._process))
        await self.wait_for_bot(known + 1)
        self.port = URL(self.address).port or 0

    async def wait_for_bot(self, count: int) -> None:
        async with asyncio.timeout(STEP_TIMEOUT), self._output_changed:
            await self._output_changed.wait_for(lambda: len(self.bots) >= count)

    async def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return await self.wait_for_exit()

    async def kill(self) -> None:
        self.process.kill()
        await self.wait_for_exit()

    async def wait_for_exit(self) -> int:
        assert self._reader_task is not None
        async with asyncio.timeout(STEP_TIMEOUT):
            status = await self.process.wait()
            await self._reader_task
        return status

    async def kill_bot(self) -> int:
        """Kill the bot process only. Return the number of bots after its restart."""
        os.kill(self.bot, signal.SIGKILL)
        return len(self.bots) + 1

    async def _read(self, process: Process) -> None:
        assert process.stdout is not None
        async for raw in process.stdout:
            line = raw.decode().rstrip()
            async with self._output_changed:
                self.lines.append(line)
                if found := re.fullmatch(r"Boneyard is open at (http://127\.0\.0\.1:\d+/\?key=[\w-]{43})", line):
                    self.address = found[1]
                if found := re.fullmatch(r"The bot runs as process (\d+)\.", line):
                    self.bots.append(int(found[1]))
                self._output_changed.notify_all()


def is_alive(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


async def wait_until_dead(process_id: int) -> bool:
    for _ in range(int(STEP_TIMEOUT / 0.05)):
        if not is_alive(process_id):
            return True
        await asyncio.sleep(0.05)
    return False
