"""A bot as a process that is there at once: a fork of one that has read all it needs (tests/bot/forked.py)."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]


class Fork:
    """What asyncio knows of a process, as far as anybody asks."""

    def __init__(self, pid: int, stderr: asyncio.StreamReader | None, stdin: int) -> None:
        self.pid = pid
        self.stderr = stderr
        self.returncode: int | None = None
        self._stdin = stdin
        self._ending: asyncio.Task[int] | None = None

    @classmethod
    async def begun(
        cls, environment: Mapping[str, str], *arguments: str, before: str = "", listening: bool = False
    ) -> Self:
        """`boneyard` with these arguments, which does something before it begins. What it writes to standard error is
        for whoever listens, or goes where that of this process goes.
        """
        here, there = socket.socketpair()
        (reading, stdin), (told, writing) = os.pipe(), os.pipe() if listening else (-1, os.dup(2))
        with there:
            socket.send_fds(origin_of_forks("tests.bot.forked"), [b"."], [there.fileno(), reading, writing])
        os.close(reading)
        os.close(writing)
        answers, orders = await asyncio.open_connection(sock=here)
        order = {"environment": dict(environment), "before": before, "arguments": arguments}
        orders.write(json.dumps(order).encode() + b"\n")
        stderr = None
        if listening:
            stderr, loop = asyncio.StreamReader(), asyncio.get_running_loop()
            await loop.connect_read_pipe(partial(asyncio.StreamReaderProtocol, stderr), os.fdopen(told, "rb"))
        fork = cls(int(await answers.readline()), stderr, stdin)
        fork._ending = asyncio.create_task(fork._ends(answers, orders))
        return fork

    async def _ends(self, answers: asyncio.StreamReader, orders: asyncio.StreamWriter) -> int:
        status, _ = (await answers.readline()).split()
        self.returncode = int(status)
        os.close(self._stdin)
        orders.close()
        return self.returncode

    async def wait(self) -> int:
        """Its status, once it has ended."""
        assert self._ending is not None
        return await asyncio.shield(self._ending)

    def send_signal(self, number: int) -> None:
        """Nothing to one that has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """It gets no chance to tidy up."""
        self.send_signal(signal.SIGKILL)


@cache
def origin_of_forks(module: str) -> socket.socket:
    """Where to say that a fork is wanted; this module, to which it is said, ends with this process."""
    here, there = socket.socketpair()
    with there:
        process = subprocess.Popen([sys.executable, "-m", module], cwd=ROOT, stdin=there)

    def end() -> None:
        here.close()
        process.wait()

    atexit.register(end)
    return here
