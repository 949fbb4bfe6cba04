"""`boneyard run` where Discord does not let the bot start: one line that says why, and status 1."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE

import pytest

from bot.playground.server import LocalDiscord

PATIENCE = 60.0
"""Seconds that anything may take on a busy machine before it counts as never happening."""


async def started(url: str, discord: LocalDiscord, token: str | None = None) -> tuple[int | None, list[str]]:
    """The bot as a process of its own, until it ends by itself: its status, and what it wrote to standard error."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD"))}
    bot = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--local", discord.url),
        env=known | {"DISCORD_TOKEN": token or discord.token, "BONEYARD_DATABASE_URL": url},
        stdin=PIPE,
        stderr=PIPE,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            assert bot.stderr is not None
            written = (await bot.stderr.read()).decode()
            return await bot.wait(), written.splitlines()
    finally:
        if bot.returncode is None:
            bot.kill()
            await bot.wait()


@pytest.mark.parametrize(
    ("refused", "status", "code", "said"),
    [
        ("GET /api/v10/users/@me", 503, 0, "503 Service Unavailable (error code: 0): 503: injected by a test"),
        ("GET /api/v10/users/@me", 403, 40333, "403 Forbidden (error code: 40333): 403: injected by a test"),
        ("/commands", 400, 50035, "Failed to upload commands to Discord (HTTP status 400, error code 50035)"),
    ],
)
async def test_what_discord_refuses_at_the_start_is_told_in_a_line(
    url: str, refused: str, status: int, code: int, said: str
) -> None:
    async with LocalDiscord(None, port=0) as discord:
        discord.faults.next_status(refused, status, code=code)
        ended, (line,) = await started(url, discord)
    assert ended == 1
    assert line.startswith(f"Discord turned the bot away: {said}")


async def test_a_token_that_discord_does_not_know_is_told_in_a_line(url: str) -> None:
    async with LocalDiscord(None, port=0) as discord:
        ended, (line,) = await started(url, discord, "MTIz.abc.def")
    assert ended == 1
    assert line == "Discord does not accept the token in DISCORD_TOKEN. Copy it again from the developer portal."


async def test_a_discord_that_is_not_there_is_told_in_a_line(url: str) -> None:
    async with LocalDiscord(None, port=0) as discord:
        pass
    ended, (line,) = await started(url, discord)
    assert ended == 1
    assert line.startswith("Discord cannot be reached: Cannot connect to host 127.0.0.1:")
