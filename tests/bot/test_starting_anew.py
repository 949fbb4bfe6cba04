"""A start that leads to nothing, and a bot that fails in a way nobody thought of, are begun anew by themselves.

Before, the first hung for ever, neither online nor ended, and the second ended the program.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.playground.server import LocalDiscord
from tests.bot.runner import PATIENCE, running

SESSION = "_identify"
"""Where a session of the local Discord begins."""


@pytest.mark.deep
async def test_a_request_that_is_never_answered_is_given_up_and_the_start_tried_again(url: str) -> None:
    async with LocalDiscord(None, port=0) as discord:
        discord.faults.delay("GET /api/v10/users/@me", 3600)
        async with running(url, discord, hurry="bot.operating.run.LOGIN bot.base.requests.ANSWER") as bot:
            assert (await bot.said("Discord cannot be reached"))["why"] == "TimeoutError"
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            assert await bot.stopped() == 0


@pytest.mark.deep
async def test_a_gateway_that_never_says_who_is_there_is_asked_anew(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def says_nothing(*_: Any) -> None:
        asked.set()

    asked = asyncio.Event()
    async with LocalDiscord(None, port=0) as discord:
        with monkeypatch.context() as patched:
            patched.setattr(discord.gateway, SESSION, says_nothing)
            async with running(url, discord, hurry="bot.operating.run.HEARD") as bot:
                await asyncio.wait_for(asked.wait(), PATIENCE)
                assert (await bot.said("Discord cannot be reached"))["why"] == "TimeoutError"
                patched.undo()
                async with asyncio.timeout(PATIENCE):
                    await discord.gateway.connected.wait()
                assert await bot.stopped() == 0


@pytest.mark.deep
async def test_a_bot_that_fails_where_nobody_thought_of_it_is_begun_anew(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LocalDiscord(None, port=0) as discord:
        world = dict(discord.world.bot)
        del discord.world.bot["username"]  # READY makes no sense to discord.py
        me = dict(world)
        async with running(url, discord) as bot:
            told = await bot.said("the bot failed and is started again")
            assert told["level"] == "error"
            assert "KeyError at " in told["broke"]
            discord.world.bot.update(me)
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            assert await bot.stopped() == 0
