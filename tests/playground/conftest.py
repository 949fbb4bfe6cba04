"""A local Discord on a free port, a small real bot connected to it, and users of its page."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio

from bot.playground.feed import PRIVILEGED
from bot.playground.server import LocalDiscord
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot
from tests.playground.small_bot import SmallBot, run_small_bot


@pytest_asyncio.fixture
async def local() -> AsyncIterator[LocalDiscord]:
    async with LocalDiscord(None, port=0) as discord:
        yield discord


@pytest_asyncio.fixture
async def small_bot(local: LocalDiscord) -> AsyncIterator[SmallBot]:
    """A discord.py client in this process, connected; discord.py points at the real Discord again afterwards."""
    async with run_small_bot(local) as bot:
        yield bot
        assert bot.errors == []


@pytest_asyncio.fixture
async def raw_bot(local: LocalDiscord) -> AsyncIterator[RawBot]:
    """A raw bot with all intents enabled."""
    local.gateway.privileged = PRIVILEGED
    async with aiohttp.ClientSession() as web:
        yield RawBot(local, web)


@pytest_asyncio.fixture
async def ada(local: LocalDiscord) -> AsyncIterator[PageUser]:
    async with PageUser(local.address, "Ada") as person:
        yield person


@pytest_asyncio.fixture
async def grace(local: LocalDiscord) -> AsyncIterator[PageUser]:
    async with PageUser(local.address, "Grace") as person:
        yield person


@pytest.fixture
def tiles(local: LocalDiscord) -> str:
    return local.world.welcome_channel
