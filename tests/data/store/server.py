"""New databases on a PostgreSQL server, for tests that can do with one.

BONEYARD_TEST_POSTGRES is the URL of a server whose user may create databases (and needs asyncpg installed).
"""

import asyncio
import os
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import asyncpg
import pytest
from sqlalchemy import make_url

from data.store import Store
from tests.postgres.language import held_to_it

SERVER = os.environ.get("BONEYARD_TEST_POSTGRES")
WITHOUT = pytest.mark.skipif(not SERVER, reason="BONEYARD_TEST_POSTGRES names no PostgreSQL server")

PATIENCE = 300.0
"""Seconds that a server may take to make a database, or to drop one, on a busy machine."""


@asynccontextmanager
async def new_database(like: str | None = None) -> AsyncIterator[str]:
    """The URL of an empty database, which is dropped afterwards; or of a copy of the database of this name."""
    name = _new_name()
    await _administer(f'CREATE DATABASE "{name}"' + (f' TEMPLATE "{like}"' if like else ""))
    try:
        yield _url_of(name)
    finally:
        await _drop(name)


@contextmanager
def original() -> Iterator[str]:
    """The name of an empty database of today's form, to be copied: to migrate takes longer than most tests."""
    name = _new_name()

    async def made() -> None:
        await _administer(f'CREATE DATABASE "{name}"')
        await (await Store.open(_url_of(name))).close()

    with held_to_it():
        asyncio.run(made())
    try:
        yield name
    finally:
        asyncio.run(_drop(name))


def _new_name() -> str:
    return f"boneyard_test_{uuid.uuid4().hex}"


def _url_of(name: str) -> str:
    return make_url(str(SERVER)).set(database=name).render_as_string(hide_password=False)


async def _drop(name: str) -> None:
    await _administer(f'DROP DATABASE "{name}" WITH (FORCE)')


async def _administer(statement: str) -> None:
    # Not by a connection of the store's: these give up within seconds what a busy machine copies for a minute.
    connection = await asyncpg.connect(str(SERVER), timeout=PATIENCE)
    try:
        await connection.execute(statement, timeout=PATIENCE)
    finally:
        await connection.close()
