"""The bot starts before its PostgreSQL server is available, or while the server hangs."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg
import pytest

from bot.playground.server import LocalDiscord
from data.store.connection.store_errors import StoreUnavailable
from data.store.store import Store
from tests.bot.operating.runner import PATIENCE, run_bot_process
from tests.postgres.servers import USER, run_server

WAITING_MESSAGE = "the database cannot be opened now"
HURRY = (
    "data.store.connection.postgres.CONNECT_LIMIT data.store.connection.postgres.CONNECT_TIMEOUT "
    "bot.operating.startup.FIRST_WAIT bot.operating.startup.MAX_WAIT"
)
MAX_CONNECTIONS = 6


async def test_bot_waits_for_unavailable_server(tmp_path: Path) -> None:
    few = {"max_connections": str(MAX_CONNECTIONS), "superuser_reserved_connections": "0", "max_wal_senders": "0"}
    async with run_server(**few) as one, LocalDiscord(None, port=0) as discord:
        url = one.build_url()
        await one.stop()
        async with run_bot_process(url, discord, shortened_timeouts=HURRY, seconds=1.0) as bot:
            absent = await bot.wait_for_log(WAITING_MESSAGE)
            assert "server runs" in absent["why"]
            async with AsyncExitStack() as stack:
                await one.start()
                for _ in range(MAX_CONNECTIONS):
                    connection = await asyncpg.connect(host="127.0.0.1", port=one.port, user=USER, database="postgres")
                    stack.push_async_callback(connection.close)
                assert "too many clients" in (await bot.wait_for_log("too many clients"))["why"]
                one.freeze()
                known = len(bot.lines)
                async with asyncio.timeout(2 * PATIENCE):
                    while len(bot.lines) < known + 2:  # noqa: ASYNC110 - it is another process that writes
                        await asyncio.sleep(0.1)
                one.thaw()
            async with asyncio.timeout(2 * PATIENCE):
                await discord.gateway.connected.wait()
            assert await bot.stop() == 0
        assert all(WAITING_MESSAGE in line for line in bot.lines), bot.lines


async def test_unknown_database_or_user_is_not_retried() -> None:
    async with run_server() as one:
        unknown_user = one.build_url().replace(f"//{USER}@", "//nobody@")
        for url, name in ((one.build_url("nowhere"), 'database "nowhere"'), (unknown_user, '"nobody"')):
            with pytest.raises(StoreUnavailable) as refused:
                await Store.open(url)
            assert not refused.value.is_transient
            assert name in str(refused.value)
            assert "BONEYARD_DATABASE_URL" in str(refused.value)
            assert "\n" not in str(refused.value)
