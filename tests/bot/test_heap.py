"""A bot keeps no memory in which nothing stands."""

from __future__ import annotations

import asyncio
import platform
from pathlib import Path

import pytest

from bot.playground.server import LocalDiscord
from tests.bot.runner import PATIENCE, running

HOLES = 60
"""MiB, of some 180 that `tests.bot.holes` leaves; the bot itself needs others by then."""


def memory(pid: int) -> tuple[float, float]:
    """MiB that a process has in memory, and the most that it ever had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    now, most = (next(int(line.split()[1]) for line in lines if line.startswith(name)) for name in ("VmRSS", "VmHWM"))
    return now / 1024, most / 1024


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library, which leaves no such holes")
async def test_what_lies_free_between_what_is_kept_goes_back_to_the_machine(url: str) -> None:
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
        assert await bot.stopped() == 0
