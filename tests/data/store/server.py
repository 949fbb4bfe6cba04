"""New databases on a PostgreSQL server, for tests that can do with one.

BONEYARD_TEST_POSTGRES is the URL of a server whose user may create databases (and needs asyncpg installed).
"""

import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connect import make_engine, parse_url

SERVER = os.environ.get("BONEYARD_TEST_POSTGRES")
WITHOUT = pytest.mark.skipif(not SERVER, reason="BONEYARD_TEST_POSTGRES names no PostgreSQL server")


@asynccontextmanager
async def new_database() -> AsyncIterator[str]:
    """The URL of an empty database, which is dropped afterwards."""
    server = make_url(str(SERVER))
    name = f"boneyard_test_{uuid.uuid4().hex}"
    await _administer(f'CREATE DATABASE "{name}"')
    try:
        yield server.set(database=name).render_as_string(hide_password=False)
    finally:
        await _administer(f'DROP DATABASE "{name}" WITH (FORCE)')


async def _administer(statement: str) -> None:
    # CREATE DATABASE refuses to run in a transaction.
    engine = make_engine(parse_url(str(SERVER))).execution_options(isolation_level="AUTOCOMMIT")
    connection: AsyncConnection
    async with engine.connect() as connection:
        await connection.execute(text(statement))
    await engine.dispose()
