"""A bot keeps no memory in which nothing stands, and one heap for all of its threads."""

import asyncio
import platform
from pathlib import Path

import pytest

from bot.playground.server import LocalDiscord
from tests.bot.runner import PATIENCE, running

HOLES = 60


SIZE = 64 * 2**20


def memory(pid: int) -> tuple[float, float]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    now, most = (next(int(line.split()[1]) for line in lines if line.startswith(name)) for name in ("VmRSS", "VmHWM"))
    return now / 1024, most / 1024


def heaps(pid: int) -> int:
    found, before = 0, (0, 0)
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        where, may, *_, inode = line.split()[:5]
        begin, end = (int(part, 16) for part in where.split("-"))
        whole = before == (end - SIZE, begin)
        found += may == "---p" and inode == "0" and end % SIZE == 0 and whole
        before = begin, end
    return found


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library, which leaves no such holes")
async def test_what_lies_free_between_what_is_kept_goes_back_to_machine(url: str) -> None:
    async with (
        LocalDiscord(None, port=0) as discord,
        running(url, discord, hurry="tests.bot.holes.SECONDS") as bot,
        asyncio.timeout(PATIENCE),
    ):
        while True:
            now, most = memory(bot.process.pid)
            if most - now >= HOLES:
                break
            assert bot.process.returncode is None, bot.lines
            await asyncio.sleep(0.1)
        await discord.gateway.connected.wait()
        assert heaps(bot.process.pid) == 0, "its threads share one"
        assert await bot.stopped() == 0
