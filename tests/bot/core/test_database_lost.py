"""The database connection breaks once during each command, and no user notices."""

import asyncio
from random import Random

import pytest

from tests.bot.local_bot import read_text, run_local_bot
from tests.data.store.proxy import Proxy, open_proxy
from tests.data.store.server import NEEDS_POSTGRES, open_new_database
from tests.depth import scale_count

pytestmark = [NEEDS_POSTGRES, pytest.mark.deep]


async def cut_connection(proxy: Proxy, after: float) -> None:
    await asyncio.sleep(after)
    proxy.close_connections()


async def test_broken_database_connection_is_invisible_to_users() -> None:
    rng = Random(7)
    async with open_new_database() as direct, open_proxy(direct) as (proxy, url), run_local_bot(url) as local:
        await local.start_table()
        for _ in range(scale_count(8)):
            person = rng.choice((local.ada, local.grace))
            hand, _ = await asyncio.gather(
                local.use_command(person, "tiles", "hand"), cut_connection(proxy, rng.uniform(0, 0.1))
            )
            assert read_text(hand).startswith("### Your "), read_text(hand)
        proxy.cut_after = b"COMMIT;"
        assert (await local.place_tile()).startswith("You played ")
        assert proxy.cut_after is None
