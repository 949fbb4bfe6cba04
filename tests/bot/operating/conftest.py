"""Fixture: two shards on a local Discord."""

from collections.abc import AsyncIterator

import pytest

from tests.bot.operating.two_processes import ShardPair, run_shard_pair


@pytest.fixture
async def two(url: str) -> AsyncIterator[ShardPair]:
    async with run_shard_pair(url) as found:
        yield found
