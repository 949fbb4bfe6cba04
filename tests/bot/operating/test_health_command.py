"""The status page, `boneyard health` and `boneyard --version` with real processes."""

import asyncio
import os
import sys
import tomllib
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.playground.server import LocalDiscord
from tests.bot.simulated_guild import PATIENCE
from tests.postgres.servers import free_port

ROOT = Path(__file__).parents[3]


def surroundings(**more: str) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD"))}
    return known | {"http_proxy": "http://127.0.0.1:9", "no_proxy": ""} | more


async def boneyard(*words: str, **environment: str) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words), cwd=ROOT, env=surroundings(**environment), stdout=PIPE, stderr=PIPE
    )
    async with asyncio.timeout(PATIENCE):
        said, complained = await process.communicate()
    return process.returncode, said.decode(), complained.decode()


@asynccontextmanager
async def running(url: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    async with LocalDiscord(None, port=0) as discord:
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run", "--local", discord.url),
            cwd=ROOT,
            env=surroundings(DISCORD_TOKEN=discord.token, BONEYARD_DATABASE_URL=url, **environment),
            stdin=PIPE,
        )
        try:
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            yield bot
        finally:
            if bot.returncode is None:
                bot.kill()
                await bot.wait()


def listens(pid: int) -> bool:
    listening = {
        line.split()[9]
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{table}").read_text("ascii").splitlines()[1:]
        if line.split()[3] == "0A"
    }
    opened = {str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir() if one.is_symlink()}
    return any(f"socket:[{inode}]" in opened for inode in listening)


async def test_health_command_queries_local_bot(url: str) -> None:
    here = {"BONEYARD_STATUS": str(free_port())}
    async with running(url, **here) as bot:
        status, said, _ = await boneyard("health", **here)
        while "gateway: gone" in said:  # connected, but the process has not received the event yet
            status, said, _ = await boneyard("health", **here)
        assert (status, [line.split(":")[0] for line in said.splitlines()]) == (
            0,
            [" ok  gateway", " ok  database", " ok  sweep", " ok  posts", " ok  clocks"],
        )
        assert listens(bot.pid)
    status, said, _ = await boneyard("health", **here)
    assert (status, said.count("\n")) == (1, 1)
    assert said.startswith("Nothing answers at")
    assert here["BONEYARD_STATUS"] in said


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
        b"HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n<html>",
        b"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n\xff\xfe",
    ],
)
async def test_other_program_on_port_is_not_reported_healthy(answer: bytes) -> None:
    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answered, "127.0.0.1", 0) as other:
        port = other.sockets[0].getsockname()[1]
        status, said, complained = await boneyard("health", BONEYARD_STATUS=str(port))
    assert (status, said.count("\n"), complained) == (1, 1, "")
    assert f"program answers at http://127.0.0.1:{port}:" in said


async def test_status_page_is_off_by_default(url: str) -> None:
    async with running(url) as bot:
        assert not listens(bot.pid)
    status, said, complained = await boneyard("health")
    assert (status, said) == (2, "")
    assert complained.startswith("BONEYARD_STATUS is not")


async def test_invalid_status_address_is_reported_before_start(url: str, tmp_path: Path) -> None:
    expected = "BONEYARD_STATUS is a port such as 9464, or HOST:PORT, and not 'yes'\n"
    ended = await boneyard("run", BONEYARD_STATUS="yes", DISCORD_TOKEN="a.b.c", BONEYARD_DATABASE_URL=url)
    assert ended == (1, "", expected)
    assert await boneyard("health", BONEYARD_STATUS="yes") == (2, "", f"boneyard: {expected}")
    assert [*os.scandir(tmp_path)] == []


async def test_version_option_prints_project_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert await boneyard("--version") == (0, f"boneyard {version}\n", "")
