"""The bot behind PgBouncer in transaction mode: it detects the pooler and prepares no statements."""

import asyncio
from pathlib import Path

import pytest

from data.store.connection.open_database import open_engine
from data.store.connection.store_errors import StaleVersion
from data.store.operations.checkup import check_database
from data.store.store import Store
from tests.crash.crash_run import run
from tests.data.store.scene import NOW, add_match, commit_change
from tests.postgres import bouncer
from tests.postgres.servers import run_server

pytestmark = bouncer.NEEDS_PGBOUNCER
ROUNDS, TABLES = 15, 6


async def test_three_stores_share_two_connections_without_errors() -> None:
    async with run_server() as one, bouncer.run_bouncer(one) as address:
        await one.create_database("shared")
        stores = [await Store.open(f"{address}/shared") for _ in range(3)]
        heads = [await add_match(stores[0], channel_id=channel) for channel in range(TABLES)]

        async def play(store: Store, match_id: int) -> None:
            for _ in range(ROUNDS):
                head = await store.matches.find_head(match_id)
                assert head is not None
                await commit_change(store, head)
                assert await store.matches.load(match_id) is not None

        await asyncio.gather(*(play(stores[number % 3], head.match_id) for number, head in enumerate(heads)))
        assert [await _load_seq(stores[0], head.match_id) for head in heads] == [1 + ROUNDS] * TABLES
        assert (await check_database(f"{address}/shared", NOW)).problem == ""
        connections = await one.run_sql("SELECT 1 FROM pg_stat_activity WHERE datname = 'shared'")
        assert len(connections) <= 2
        for store in stores:
            await store.close()


async def test_one_of_two_concurrent_actions_wins_through_pooler() -> None:
    async with run_server() as one, bouncer.run_bouncer(one) as address:
        await one.create_database("races")
        stores = [await Store.open(f"{address}/races") for _ in range(2)]
        head = await add_match(stores[0])
        for _ in range(ROUNDS):
            acts = [commit_change(stores[number % 2], head) for number in range(4)]
            done = await asyncio.gather(*acts, return_exceptions=True)
            assert [type(one) for one in done].count(StaleVersion) == 3, done
            head = next(one for one in done if not isinstance(one, BaseException))
        for store in stores:
            await store.close()


@pytest.mark.parametrize(("through", "kept"), [("nobody", True), ("transaction", False), ("session", False)])
async def test_statements_stay_prepared_without_pooler(through: str, kept: bool) -> None:
    async with run_server() as one:
        await one.create_database("looked")
        if through == "nobody":
            assert await _has_prepared_statements(one.build_url("looked")) is kept
        else:
            async with bouncer.run_bouncer(one, mode=through) as address:
                assert await _has_prepared_statements(f"{address}/looked") is kept


async def test_killed_bots_behind_pooler_lose_nothing(tmp_path: Path) -> None:
    async with run_server() as one, bouncer.run_bouncer(one, connections=4) as address:
        await one.create_database("played")
        done = await run(tmp_path, f"{address}/played", kills=4, seed=5)
    print(done.verdict)
    assert done.verdict.collect_faults() == {}
    assert done.verdict.action_count > 0
    assert done.crash_statuses == []
    assert "prepared statement" not in done.log


async def _load_seq(store: Store, match_id: int) -> int:
    head = await store.matches.find_head(match_id)
    return head.seq


async def _has_prepared_statements(url: str) -> bool:
    engine = await open_engine(url)
    async with engine.connect() as connection:
        found = await connection.exec_driver_sql("SELECT name FROM pg_prepared_statements WHERE name <> ''")
        has_statements = bool(found.all())
    await engine.dispose()
    return has_statements
