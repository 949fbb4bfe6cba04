"""The database connection breaks once during each command, and no user notices."""

import asyncio
from random import Random

import pytest

from bot.playground.person import PageUser
from tests.bot.local_bot import LocalBot, run_local_bot, words_of
from tests.data.store.proxy import Proxy, proxied
from tests.data.store.server import WITHOUT, new_database
from tests.depth import scaled

pytestmark = [WITHOUT, pytest.mark.deep]


async def read_hand(local: LocalBot, person: PageUser) -> str:
    return words_of(await local.answered(person, await person.use_command(local.place, "tiles", "hand")))


async def cut_connection(proxy: Proxy, after: float) -> None:
    await asyncio.sleep(after)
    proxy.cut()


async def test_broken_database_connection_is_invisible_to_users() -> None:
    rng = Random(7)
    async with new_database() as direct, proxied(direct) as (proxy, url), run_local_bot(url) as local:
        await local.table()
        for _ in range(scaled(8)):
            person = rng.choice((local.ada, local.grace))
            said, _ = await asyncio.gather(read_hand(local, person), cut_connection(proxy, rng.uniform(0, 0.1)))
            assert said.startswith("### Your "), said
        proxy.cut_on = b"COMMIT;"
        assert (await local.place_tile()).startswith("You played ")
        assert proxy.cut_on is None
