"""PgBouncer on loopback in front of a server, in transaction mode with few server connections."""

import asyncio
import os
import pwd
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from tests.postgres.servers import START_TIMEOUT, USER, Server, find_free_port, wrap_command

NEEDS_PGBOUNCER: Final = pytest.mark.skipif(
    shutil.which("pgbouncer", path="/usr/sbin:/usr/bin") is None,
    reason="PgBouncer is not installed (Debian: pgbouncer)",
)


@asynccontextmanager
async def run_bouncer(server: Server, *, connections: int = 2, mode: str = "transaction") -> AsyncIterator[str]:
    """Run PgBouncer with this many server connections. Return its address as `postgresql://USER@HOST:PORT`."""
    folder = Path(tempfile.mkdtemp(prefix="boneyard-pgbouncer-"))
    port = find_free_port()
    (folder / "users").write_text(f'"{USER}" ""\n')
    (folder / "ini").write_text(
        f"[databases]\n* = host=127.0.0.1 port={server.port}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = trust\n"
        f"auth_file = {folder}/users\npool_mode = {mode}\ndefault_pool_size = {connections}\nlogfile = {folder}/log\n"
    )
    if os.geteuid() == 0:
        for one in (folder, folder / "users", folder / "ini"):
            os.chown(one, pwd.getpwnam("postgres").pw_uid, -1)
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
    assert program is not None
    process = await asyncio.create_subprocess_exec(
        *wrap_command(program, "-q", folder / "ini"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(START_TIMEOUT):
            while True:
                try:
                    first = await asyncpg.connect(host="127.0.0.1", port=port, user=USER, database="postgres")
                    await first.close()
                    break
                except OSError:
                    assert process.returncode is None, (folder / "log").read_text()[-2000:]
                    await asyncio.sleep(0.05)
        yield f"postgresql://{USER}@127.0.0.1:{port}"
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await process.wait()
        shutil.rmtree(folder, ignore_errors=True)
