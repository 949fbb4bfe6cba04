"""Whole transactions in a thread of their own, on SQLite."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import Store
from data.store.direct import Direct
from data.store.tables import pulses


@pytest.fixture
async def direct(tmp_path: Path) -> AsyncIterator[Direct]:
    """A migrated database file."""
    url = f"sqlite:///{tmp_path}/boneyard.db"
    await (await Store.open(url)).close()
    direct = Direct(make_url(url))
    yield direct
    await direct.close()


async def names(connection: AsyncConnection) -> list[str]:
    return list(await connection.scalars(select(pulses.c.name)))


async def test_whoever_reads_does_not_wait_for_somebody_who_writes(direct: Direct):
    written, read = threading.Event(), threading.Event()

    async def write(connection: AsyncConnection) -> bool:
        await connection.execute(insert(pulses).values(name="ada", at=1))
        written.set()
        return read.wait(10)

    writing = direct.write(write)
    await asyncio.to_thread(written.wait, 10)
    assert await direct.read(names) == [], "what is not committed is not seen"
    read.set()
    assert await writing
    assert await direct.read(names) == ["ada"]


async def test_a_transaction_that_fails_leaves_nothing_and_the_next_one_goes_on(direct: Direct):
    async def fail(connection: AsyncConnection) -> None:
        await connection.execute(insert(pulses).values(name="ada", at=1))
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        await direct.write(fail)
    assert await direct.write(names) == []


async def test_a_transaction_may_wait_for_nothing_but_the_database(direct: Direct):
    async def dawdle(connection: AsyncConnection) -> None:
        await connection.execute(insert(pulses).values(name="ada", at=1))
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="waits for something"):
        await direct.write(dawdle)
    assert await direct.read(names) == []
