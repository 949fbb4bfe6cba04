"""Locks on PostgreSQL: all transactions lock in the same order, and a deadlocked one is retried."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store.connection.transactions import MAX_TRIES, Transactions
from data.store.log.match_values import Limits
from data.store.store import Store
from tests.data.store.scene import (
    ADA,
    GRACE,
    GUILD,
    NOW,
    add_finished_match,
    add_match,
    build_change,
    build_result,
    build_seat,
)
from tests.data.store.server import NEEDS_POSTGRES, open_new_database
from tests.postgres.supported_sql import TEST_PREFIX

pytestmark = NEEDS_POSTGRES


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with open_new_database() as database:
        yield database


async def wait_for_blocked_query(engine: AsyncEngine) -> None:
    queue = text("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
    for _ in range(1000):
        async with engine.connect() as connection:
            if (await connection.execute(queue)).first():
                return
        await asyncio.sleep(0.01)
    raise AssertionError("nobody waits")


async def is_unlocked(engine: AsyncEngine, name: str) -> bool:
    async with engine.connect() as connection:
        return (
            await connection.execute(text(f"{TEST_PREFIX}SELECT 1 FROM {name} FOR UPDATE NOWAIT"))
        ).first() is not None


async def test_join_locks_guild_before_match(store: Store, engine: AsyncEngine):
    head = await add_match(store, limits=Limits(user_id=ADA, server=20))
    join = build_change(head, seats=[build_seat(0, ADA), build_seat(1, GRACE)], limits=Limits(user_id=GRACE, person=20))
    async with engine.begin() as opening:
        await opening.execute(text("SELECT 1 FROM guilds WHERE guild_id = :guild FOR UPDATE"), {"guild": GUILD})
        joining = asyncio.create_task(store.matches.commit(join, now=NOW))
        await wait_for_blocked_query(engine)
        assert await is_unlocked(engine, "matches")
    assert (await joining).seq == head.seq + 1


async def test_forgetting_locks_match_before_result_tables(store: Store, engine: AsyncEngine):
    await add_finished_match(store, build_result((ADA, 400), (GRACE, 300)), now=NOW)
    head = await add_match(store, state="open", seats=[build_seat(0, GRACE), build_seat(1, ADA)])
    async with engine.begin() as ending:
        await ending.execute(text("SELECT 1 FROM matches WHERE match_id = :match FOR UPDATE"), {"match": head.match_id})
        forgetting = asyncio.create_task(store.erasure.erase_user(ADA, left_match_ids=[head.match_id], now=NOW))
        await wait_for_blocked_query(engine)
        for name in ("seats", "standings", "bands", "recents", "bests", "results"):
            assert await is_unlocked(engine, name), name
    assert await forgetting


async def test_two_deadlocked_transactions_both_complete(engine: AsyncEngine):
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO pulses (name, at) VALUES ('a', 0), ('b', 0)"))
    transactions = Transactions(engine)
    both_began = asyncio.Barrier(2)
    begun: list[str] = []

    async def count(connection: AsyncConnection, *names: str) -> None:
        begun.append(names[0])
        for name in names:
            await connection.execute(text("UPDATE pulses SET at = at + 1 WHERE name = :name"), {"name": name})
            if len(begun) <= 2 and name == names[0]:
                await both_began.wait()

    await asyncio.gather(
        transactions.write(lambda connection: count(connection, "a", "b")),
        transactions.write(lambda connection: count(connection, "b", "a")),
    )
    async with engine.connect() as connection:
        rows = (await connection.execute(text("SELECT name, at FROM pulses ORDER BY name"))).all()
    assert [tuple(row) for row in rows] == [("a", 2), ("b", 2)]
    assert len(begun) > 2, "one of them was broken off"


@pytest.mark.parametrize(("code", "times"), [("40001", MAX_TRIES), ("23514", 1)])
async def test_transaction_that_is_aborted_every_time_fails(engine: AsyncEngine, code: str, times: int):
    attempts = 0

    async def fail(connection: AsyncConnection) -> None:
        nonlocal attempts
        attempts += 1
        await connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}'; END $$"))

    with pytest.raises(DBAPIError):
        await Transactions(engine).write(fail)
    assert attempts == times
