"""New databases on a PostgreSQL server, for the tests that also run on PostgreSQL.

BONEYARD_TEST_POSTGRES names the server; its user may create databases. Without this variable, each test process starts
a separate server if PostgreSQL is installed.
"""

import asyncio
import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import make_url

from data.store.store import Store
from tests.postgres.servers import find_binaries, find_free_port, wrap_command
from tests.postgres.supported_sql import assert_portable_sql

NEEDS_POSTGRES = pytest.mark.skipif(
    not os.environ.get("BONEYARD_TEST_POSTGRES") and find_binaries() is None,
    reason="PostgreSQL is not installed (Debian: postgresql), and BONEYARD_TEST_POSTGRES names no server",
)

BOTH_DATABASES = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=NEEDS_POSTGRES)], indirect=True
)
"""Marks tests that run on PostgreSQL in the default tier too: one or two for each repository. The others run there in
the deep tier.
"""

ADMIN_TIMEOUT = 300.0
"""Seconds for a server to create or drop a database, on a busy machine."""


@cache
def get_server_url() -> str:
    """Return the URL of the PostgreSQL server. The first call may start it; it ends with this process."""
    if url := os.environ.get("BONEYARD_TEST_POSTGRES"):
        return url
    folder, port, binaries = Path(tempfile.mkdtemp(prefix="boneyard-store-")), find_free_port(), find_binaries()
    assert binaries is not None
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    initdb = wrap_command(binaries / "initdb", "-D", folder / "db", "-U", "boneyard", "--auth=trust", "--no-sync")
    subprocess.run(initdb, check=True, capture_output=True)
    options = ["-p", str(port), "-h", "127.0.0.1", "-k", str(folder), "-c", "fsync=off"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            wrap_command(binaries / "postgres", "-D", folder / "db", *options), stdout=log, stderr=log
        )

    def stop() -> None:
        server.send_signal(signal.SIGINT)  # even with open connections
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    ready = [str(binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    while subprocess.run(ready, check=False).returncode != 0:
        assert server.poll() is None, (folder / "log").read_text()
        time.sleep(0.1)
    return f"postgresql://boneyard@127.0.0.1:{port}/postgres"


@asynccontextmanager
async def open_new_database(template: str | None = None) -> AsyncIterator[str]:
    """Yield the URL of an empty database, or of a copy of the named one. It is dropped afterwards."""
    name = _generate_name()
    await _run_statement(f'CREATE DATABASE "{name}"' + (f' TEMPLATE "{template}"' if template else ""))
    try:
        yield _build_url(name)
    finally:
        await _drop(name)


@contextmanager
def open_template_database() -> Iterator[str]:
    """Yield the name of an empty database with the current schema, to be copied: a migration takes longer than most
    tests.
    """
    name = _generate_name()

    async def create_template() -> None:
        await _run_statement(f'CREATE DATABASE "{name}"')
        await (await Store.open(_build_url(name))).close()

    with assert_portable_sql():
        asyncio.run(create_template())
    try:
        yield name
    finally:
        asyncio.run(_drop(name))


def _generate_name() -> str:
    return f"boneyard_test_{uuid.uuid4().hex}"


def _build_url(name: str) -> str:
    return make_url(get_server_url()).set(database=name).render_as_string(hide_password=False)


async def _drop(name: str) -> None:
    await _run_statement(f'DROP DATABASE "{name}" WITH (FORCE)')


async def _run_statement(statement: str) -> None:
    # Not by a connection of the store: its timeout of seconds is too short for a copy on a busy machine.
    connection = await asyncpg.connect(get_server_url(), timeout=ADMIN_TIMEOUT)
    try:
        await connection.execute(statement, timeout=ADMIN_TIMEOUT)
    finally:
        await connection.close()
