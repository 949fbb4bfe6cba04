"""PostgreSQL servers on loopback that a test starts, breaks and stops: a single one, or a pair with a replica.

They run as an ordinary user in temporary folders, on free ports, and end with the test process.
"""

import asyncio
import atexit
import os
import pwd
import shutil
import signal
import socket
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest

START_TIMEOUT: Final = 300.0  # Seconds within which a server responds, on a busy machine
USER: Final = "boneyard"
SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "60",
    "fsync": "off",  # the tests simulate server faults but no power failures
    "shared_buffers": "16MB",
    "max_wal_senders": "4",
    "wal_keep_size": "64MB",
    "wal_receiver_timeout": "5s",
    "wal_retrieve_retry_interval": "200ms",
    "log_min_messages": "warning",
}


@cache
def find_binaries() -> Path | None:
    """Return the folder of the newest installed PostgreSQL; None if there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda one: float(one.parents[1].name))
    if found:
        return found[-1].parent
    elsewhere = shutil.which("initdb")
    return Path(elsewhere).parent if elsewhere else None


NEEDS_POSTGRES: Final = pytest.mark.skipif(
    find_binaries() is None or not shutil.which("setpriv"), reason="PostgreSQL is not installed (Debian: postgresql)"
)


def find_free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wrap_command(*command: str | Path) -> list[str]:
    drop = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", *drop, "--pdeathsig", "QUIT", *map(str, command)]


async def run_command(*command: str | Path) -> str:
    """Return the output of a command. Raises AssertionError if it fails."""
    process = await asyncio.create_subprocess_exec(
        *wrap_command(*command), stdout=PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, f"{command[0]}: {output.decode()}"
    return output.decode()


@dataclass
class Server:
    """A PostgreSQL server in its own folder, with the same port after restarts."""

    folder: Path
    port: int = field(default_factory=find_free_port)
    process: Process | None = None

    @property
    def data_folder(self) -> Path:
        return self.folder / "db"

    def build_url(self, database: str = "postgres") -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    async def create(self, **settings: str) -> None:
        await run_command("cp", "-a", await _create_template(), self.data_folder)
        own = {"port": str(self.port), "unix_socket_directories": str(self.folder), **SETTINGS, **settings}
        with (self.data_folder / "postgresql.conf").open("a") as conf:
            conf.writelines(f"{name} = '{value}'\n" for name, value in own.items())

    async def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *wrap_command(_find_program("postgres"), "-D", self.data_folder), stdout=log, stderr=log
            )
        async with asyncio.timeout(START_TIMEOUT):
            while True:
                try:
                    await self.run_sql("SELECT 1")
                    return
                except (OSError, asyncpg.PostgresError):
                    assert self.process.returncode is None, (self.folder / "log").read_text()[-2000:]
                    await asyncio.sleep(0.05)

    async def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        if self.process is None:
            return
        if self.process.returncode is None:
            self.process.send_signal(how)
        await self.process.wait()
        self.process = None

    def crash(self) -> None:
        self._send_signal(signal.SIGKILL)

    def freeze(self) -> None:
        """Accept connections and data from now on, but never respond."""
        self._send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._send_signal(signal.SIGCONT)

    def _send_signal(self, number: signal.Signals) -> None:
        own = self.process.pid
        children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
        for one in (own, *map(int, children)):
            with suppress(ProcessLookupError):  # some processes start and end at any time
                os.kill(one, number)

    async def run_sql(self, query: str, *args: Any, database: str = "postgres") -> list[asyncpg.Record]:
        connection = await asyncpg.connect(
            host="127.0.0.1", port=self.port, user=USER, database=database, timeout=10, statement_cache_size=0
        )
        try:
            return list(await connection.fetch(query, *args))
        finally:
            await connection.close()

    async def close_connections(self) -> int:
        rows = await self.run_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return len(rows)

    async def create_database(self, name: str) -> str:
        await self.run_sql(f'CREATE DATABASE "{name}"')
        return self.build_url(name)


@dataclass
class ServerPair:
    """A server with a synchronous replica, and operations for failover."""

    primary: Server
    replica: Server
    failovers: int = 0

    def build_url(self, database: str = "postgres") -> str:
        hosts = ",".join(f"127.0.0.1:{port}" for port in sorted((self.primary.port, self.replica.port)))
        return f"postgresql://{USER}@{hosts}/{database}?target_session_attrs=read-write"

    async def attach_replica(self) -> None:
        shutil.rmtree(self.replica.data_folder, ignore_errors=True)
        source = f"host=127.0.0.1 port={self.primary.port} user={USER} application_name=replica"
        options = ("-R", "-c", "fast", "--no-sync", "-d", source)
        await run_command(_find_program("pg_basebackup"), "-D", self.replica.data_folder, *options)
        with (self.replica.data_folder / "postgresql.auto.conf").open("a") as conf:
            conf.write("synchronous_standby_names = ''\n")
        with (self.replica.data_folder / "postgresql.conf").open("a") as conf:
            conf.write(f"port = '{self.replica.port}'\nunix_socket_directories = '{self.replica.folder}'\n")
        await self.replica.start()
        await self._apply_setting("ALTER SYSTEM SET synchronous_standby_names = '*'")
        async with asyncio.timeout(START_TIMEOUT):
            while True:
                if await self.primary.run_sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"):
                    return
                await asyncio.sleep(0.05)

    async def fail_over(self) -> None:
        """Crash the primary and promote the replica. The new primary has no replica until `attach_replica`."""
        self.primary.crash()
        await self.primary.stop()
        self.primary, self.replica = self.replica, self.primary
        await self.primary.run_sql("SELECT pg_promote()")
        self.failovers += 1

    async def detach_replica(self) -> None:
        await self._apply_setting("ALTER SYSTEM SET synchronous_standby_names = ''")
        async with asyncio.timeout(START_TIMEOUT):
            while True:
                if [row[0] for row in await self.primary.run_sql("SHOW synchronous_standby_names")] == [""]:
                    break
                await asyncio.sleep(0.05)
        await self.replica.stop()

    async def _apply_setting(self, setting: str) -> None:
        # Two sessions, because ALTER SYSTEM needs autocommit and takes effect only after a reload.
        await self.primary.run_sql(setting)
        await self.primary.run_sql("SELECT pg_reload_conf()")


@asynccontextmanager
async def run_server(**settings: str) -> AsyncIterator[Server]:
    async with _open_folders(1) as (folder,):
        one = Server(folder)
        await one.create(**settings)
        try:
            await one.start()
            yield one
        finally:
            await _stop_server(one)


@asynccontextmanager
async def run_server_pair(**settings: str) -> AsyncIterator[ServerPair]:
    """Run a server with a replica and an empty database `bones`."""
    async with _open_folders(2) as folders:
        both = ServerPair(*map(Server, folders))
        await both.primary.create(**settings)
        try:
            await both.primary.start()
            await both.attach_replica()
            await both.primary.create_database("bones")
            yield both
        finally:
            await _stop_server(both.replica)
            await _stop_server(both.primary)


@asynccontextmanager
async def _open_folders(count: int) -> AsyncIterator[Sequence[Path]]:
    found = [Path(tempfile.mkdtemp(prefix="boneyard-postgres-")) for _ in range(count)]
    try:
        for folder in found:
            _change_owner(folder)
        yield found
    finally:
        for folder in found:
            shutil.rmtree(folder, ignore_errors=True)


_template_files: list[Path] = []


async def _create_template() -> Path:
    """Return the files of a new server. `initdb` is slow, so it runs once per process and its files are copied."""
    if not _template_files:
        folder = Path(tempfile.mkdtemp(prefix="boneyard-postgres-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _change_owner(folder)
        files = folder / "db"
        own = ("--auth=trust", "--no-sync", "--encoding=UTF8", "--wal-segsize=1")
        await run_command(_find_program("initdb"), "-D", files, "-U", USER, *own)
        _template_files.append(files)
    return _template_files[0]


def _change_owner(folder: Path) -> None:
    if os.geteuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)


async def _stop_server(one: Server) -> None:
    if one.process is not None and one.process.returncode is None:
        one.thaw()
        await one.stop(signal.SIGQUIT)


def _find_program(name: str) -> Path:
    folder = find_binaries()
    assert folder is not None
    return folder / name
