"""A local Discord on a free port, a small real bot connected to it, and people at the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import aiohttp
import pytest
import pytest_asyncio

from bot.playground.events import PRIVILEGED
from bot.playground.person import Person
from bot.playground.redirect import point_at
from bot.playground.server import LocalDiscord
from tests.playground.raw_bot import RawBot
from tests.playground.small_bot import SmallBot


@pytest_asyncio.fixture
async def local() -> AsyncIterator[LocalDiscord]:
    """A fresh world without a file."""
    async with LocalDiscord(None, port=0) as discord:
        yield discord


@pytest_asyncio.fixture
async def small_bot(local: LocalDiscord) -> AsyncIterator[SmallBot]:
    """A discord.py client in this process, connected; discord.py points at the real Discord again afterwards."""
    undo = point_at(local.url)
    bot = SmallBot()
    running = asyncio.create_task(bot.start(local.token))
    try:
        async with asyncio.timeout(300):
            await local.gateway.connected.wait()
        yield bot
        assert bot.errors == []
    finally:
        await bot.close()
        with suppress(asyncio.CancelledError):
            await running
        undo()


@pytest_asyncio.fixture
async def raw_bot(local: LocalDiscord) -> AsyncIterator[RawBot]:
    """The bot's side of the wire by hand. Every intent is switched on for it."""
    local.gateway.privileged = PRIVILEGED
    async with aiohttp.ClientSession() as web:
        yield RawBot(local, web)


@pytest_asyncio.fixture
async def ada(local: LocalDiscord) -> AsyncIterator[Person]:
    """Ada at the page."""
    async with Person(local.address, "Ada") as person:
        yield person


@pytest_asyncio.fixture
async def grace(local: LocalDiscord) -> AsyncIterator[Person]:
    """Grace at the page."""
    async with Person(local.address, "Grace") as person:
        yield person


@pytest.fixture
def tiles(local: LocalDiscord) -> str:
    """The id of the first channel."""
    return local.world.welcome_channel
