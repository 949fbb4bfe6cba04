"""Whole transactions in a thread of their own, on SQLite."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.direct import Direct
from data.store.log.tables import pulses
from data.store.store import Store


@pytest.fixture
async def direct(tmp_path: Path) -> AsyncIterator[Direct]:
    url = f"sqlite:///{tmp_path}/boneyard.db"
    await (await Store.open(url)).close()
    direct = Direct(make_url(url))
    yield direct
    await direct.close()


@pytest.fixture
async def other(direct: Direct, tmp_path: Path) -> AsyncIterator[Direct]:
    other = Direct(make_url(f"sqlite:///{tmp_path}/boneyard.db"))
    yield other
    await other.close()


async def names(connection: AsyncConnection) -> list[str]:
    return list(await connection.scalars(select(pulses.c.name)))


def adding(name: str) -> Callable[[AsyncConnection], Awaitable[None]]:
    async def add(connection: AsyncConnection) -> None:
        await connection.execute(insert(pulses).values(name=name, at=1))

    return add


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


async def test_transaction_that_fails_leaves_nothing_and_next_one_goes_on(direct: Direct):
    async def fail(connection: AsyncConnection) -> None:
        await connection.execute(insert(pulses).values(name="ada", at=1))
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        await direct.write(fail)
    assert await direct.write(names) == []


async def test_transaction_may_wait_for_nothing_but_database(direct: Direct):
    async def dawdle(connection: AsyncConnection) -> None:
        await connection.execute(insert(pulses).values(name="ada", at=1))
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="waits for something"):
        await direct.write(dawdle)
    assert await direct.read(names) == []


async def by_lines(connection: AsyncConnection) -> None:
    for _ in await connection.execute(select(pulses.c.name)):
        raise ValueError("on purpose")


async def by_stream(connection: AsyncConnection) -> None:
    async with connection.stream(select(pulses.c.name)) as rows:
        async for _ in rows:
            raise ValueError("on purpose")


async def by_scalars(connection: AsyncConnection) -> None:
    for _ in await connection.scalars(select(pulses.c.name)):
        raise ValueError("on purpose")


@pytest.mark.parametrize("stop_half_way", [by_lines, by_stream, by_scalars])
async def test_whoever_stops_half_way_through_what_they_read_holds_no_later_reader_back(
    direct: Direct, stop_half_way: Callable[[AsyncConnection], Awaitable[None]]
):
    for name in ("ada", "grace"):
        await direct.write(adding(name))
    # The error is kept, as logs and callers keep one, and with it whatever its traceback knows of.
    with pytest.raises(ValueError, match="on purpose") as kept:
        await direct.read(stop_half_way)
    await direct.write(adding("linus"))
    assert await direct.read(names) == ["ada", "grace", "linus"], kept


@pytest.mark.parametrize("stop_half_way", [by_lines, by_stream, by_scalars])
async def test_whoever_stops_half_way_while_writing_holds_no_later_writer_back(
    direct: Direct, stop_half_way: Callable[[AsyncConnection], Awaitable[None]], other: Direct
):
    for name in ("ada", "grace"):
        await direct.write(adding(name))
    with pytest.raises(ValueError, match="on purpose") as kept:
        await direct.write(stop_half_way)
    await other.write(adding("linus"))
    await direct.write(adding("mary"))
    assert await direct.read(names) == ["ada", "grace", "linus", "mary"], kept
