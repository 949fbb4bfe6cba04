"""Each test that asks for `url` runs on a new SQLite file and, where one is given, on a new PostgreSQL database.

BONEYARD_TEST_POSTGRES is the URL of a server whose user may create databases (and needs asyncpg installed).
"""

import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store import Store
from data.store.connect import make_engine, parse
from data.store.opening import opened

SERVER = os.environ.get("BONEYARD_TEST_POSTGRES")
WITHOUT = pytest.mark.skipif(not SERVER, reason="BONEYARD_TEST_POSTGRES names no PostgreSQL server")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=WITHOUT)])
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The URL of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/boneyard.db"
        return
    server = make_url(str(SERVER))
    name = f"boneyard_test_{uuid.uuid4().hex}"
    await _administer(f'CREATE DATABASE "{name}"')
    yield server.set(database=name).render_as_string(hide_password=False)
    await _administer(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """An open store on an empty database."""
    store = await Store.open(url)
    yield store
    await store.close()


@pytest.fixture
async def other(url: str, store: Store) -> AsyncIterator[Store]:
    """A second store on the same database, as a second process has one."""
    other = await Store.open(url)
    yield other
    await other.close()


@pytest.fixture
async def engine(url: str) -> AsyncIterator[AsyncEngine]:
    """A migrated database, to be worked on below the store."""
    engine = await opened(url)
    yield engine
    await engine.dispose()


@pytest.fixture
def sql(engine: AsyncEngine) -> Callable[..., Awaitable[list[tuple[object, ...]]]]:
    """Runs one statement in a transaction of its own; answers with its rows."""

    async def run(statement: str, **values: object) -> list[tuple[object, ...]]:
        async with engine.begin() as connection:
            rows = await connection.execute(text(statement), values)
            return [tuple(row) for row in rows] if rows.returns_rows else []

    return run


async def _administer(statement: str) -> None:
    # CREATE DATABASE refuses to run in a transaction.
    engine = make_engine(parse(str(SERVER))).execution_options(isolation_level="AUTOCOMMIT")
    connection: AsyncConnection
    async with engine.connect() as connection:
        await connection.execute(text(statement))
    await engine.dispose()
