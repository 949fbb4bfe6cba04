"""Transactions on SQLite run in one thread each."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.open_database import open_engine
from data.store.connection.tables import pulses
from data.store.connection.transactions import Transactions


@pytest.fixture
async def transactions(tmp_path: Path) -> AsyncIterator[Transactions]:
    url = f"sqlite:///{tmp_path}/boneyard.db"
    transactions = Transactions(await open_engine(url))
    yield transactions
    await transactions.close()


@pytest.fixture
async def other(transactions: Transactions, tmp_path: Path) -> AsyncIterator[Transactions]:
    other = Transactions(await open_engine(f"sqlite:///{tmp_path}/boneyard.db"))
    yield other
    await other.close()


async def list_names(connection: AsyncConnection) -> list[str]:
    return list(await connection.scalars(select(pulses.c.name)))


def build_insert(name: str) -> Callable[[AsyncConnection], Awaitable[None]]:
    async def add(connection: AsyncConnection) -> None:
        await connection.execute(insert(pulses).values(name=name, at=1))

    return add


async def test_reader_does_not_wait_for_writer(transactions: Transactions):
    written, read = threading.Event(), threading.Event()

    async def write(connection: AsyncConnection) -> bool:
        await connection.execute(insert(pulses).values(name="ada", at=1))
        written.set()
        return read.wait(10)

    writing = asyncio.create_task(transactions.write(write))
    await asyncio.to_thread(written.wait, 10)
    assert await transactions.read(list_names) == [], "what is not committed is not seen"
    read.set()
    assert await writing
    assert await transactions.read(list_names) == ["ada"]


async def test_failed_transaction_is_rolled_back_and_next_one_works(transactions: Transactions):
    async def fail(connection: AsyncConnection) -> None:
        await connection.execute(insert(pulses).values(name="ada", at=1))
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        await transactions.write(fail)
    assert await transactions.write(list_names) == []


async def test_transaction_can_await_only_database(transactions: Transactions):
    async def wait_elsewhere(connection: AsyncConnection) -> None:
        await connection.execute(insert(pulses).values(name="ada", at=1))
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="waits for something"):
        await transactions.write(wait_elsewhere)
    assert await transactions.read(list_names) == []


async def interrupt_rows(connection: AsyncConnection) -> None:
    for _ in await connection.execute(select(pulses.c.name)):
        raise ValueError("on purpose")


async def interrupt_stream(connection: AsyncConnection) -> None:
    async with connection.stream(select(pulses.c.name)) as rows:
        async for _ in rows:
            raise ValueError("on purpose")


async def interrupt_scalars(connection: AsyncConnection) -> None:
    for _ in await connection.scalars(select(pulses.c.name)):
        raise ValueError("on purpose")


@pytest.mark.parametrize("stop_half_way", [interrupt_rows, interrupt_stream, interrupt_scalars])
async def test_interrupted_read_does_not_keep_old_snapshot(
    transactions: Transactions, stop_half_way: Callable[[AsyncConnection], Awaitable[None]]
):
    for name in ("ada", "grace"):
        await transactions.write(build_insert(name))
    # The error is kept, as in logs, so that all objects of its traceback stay alive.
    with pytest.raises(ValueError, match="on purpose") as raised:
        await transactions.read(stop_half_way)
    await transactions.write(build_insert("linus"))
    assert await transactions.read(list_names) == ["ada", "grace", "linus"], raised


@pytest.mark.parametrize("stop_half_way", [interrupt_rows, interrupt_stream, interrupt_scalars])
async def test_interrupted_write_does_not_block_later_writers(
    transactions: Transactions, stop_half_way: Callable[[AsyncConnection], Awaitable[None]], other: Transactions
):
    for name in ("ada", "grace"):
        await transactions.write(build_insert(name))
    with pytest.raises(ValueError, match="on purpose") as raised:
        await transactions.write(stop_half_way)
    await other.write(build_insert("linus"))
    await transactions.write(build_insert("mary"))
    assert await transactions.read(list_names) == ["ada", "grace", "linus", "mary"], raised
