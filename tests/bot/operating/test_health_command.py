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
from tests.bot.operating.runner import build_environment, run_bot_process
from tests.bot.simulated_guild import TIMEOUT_SECONDS
from tests.postgres.servers import find_free_port

ROOT = Path(__file__).parents[3]
NO_PROXY = {"http_proxy": "http://127.0.0.1:9", "no_proxy": ""}


async def run_command(*words: str, **environment: str) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words),
        cwd=ROOT,
        env=build_environment(**NO_PROXY, **environment),
        stdout=PIPE,
        stderr=PIPE,
    )
    async with asyncio.timeout(TIMEOUT_SECONDS):
        output, errors = await process.communicate()
    return process.returncode, output.decode(), errors.decode()


@asynccontextmanager
async def run_connected_bot(url: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    async with LocalDiscord(None, port=0) as discord, run_bot_process(url, discord, **NO_PROXY, **environment) as bot:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await discord.gateway.connected.wait()
        yield bot.process


def is_listening(pid: int) -> bool:
    listening = {
        line.split()[9]
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{table}").read_text("ascii").splitlines()[1:]
        if line.split()[3] == "0A"
    }
    opened = {str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir() if one.is_symlink()}
    return any(f"socket:[{inode}]" in opened for inode in listening)


async def test_health_command_queries_local_bot(url: str) -> None:
    environment = {"BONEYARD_STATUS": str(find_free_port())}
    async with run_connected_bot(url, **environment) as bot:
        status, output, _ = await run_command("health", **environment)
        while "gateway: gone" in output:  # connected, but the process has not received the event yet
            status, output, _ = await run_command("health", **environment)
        assert (status, [line.split(":")[0] for line in output.splitlines()]) == (
            0,
            [" ok  gateway", " ok  database", " ok  sweep", " ok  messages", " ok  clocks"],
        )
        assert is_listening(bot.pid)
    status, output, _ = await run_command("health", **environment)
    assert (status, output.count("\n")) == (1, 1)
    assert output.startswith("Nothing answers at")
    assert environment["BONEYARD_STATUS"] in output


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
    async def answer_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer_request, "127.0.0.1", 0) as other:
        port = other.sockets[0].getsockname()[1]
        status, output, errors = await run_command("health", BONEYARD_STATUS=str(port))
    assert (status, output.count("\n"), errors) == (1, 1, "")
    assert f"program answers at http://127.0.0.1:{port}." in output


async def test_status_page_is_off_by_default(url: str) -> None:
    async with run_connected_bot(url) as bot:
        assert not is_listening(bot.pid)
    status, output, errors = await run_command("health")
    assert (status, output) == (2, "")
    assert errors.startswith("BONEYARD_STATUS is not")


async def test_invalid_status_address_is_reported_before_start(url: str, tmp_path: Path) -> None:
    expected = "BONEYARD_STATUS must be a port such as 9464, or HOST:PORT, but is 'yes'\n"
    ended = await run_command("run", BONEYARD_STATUS="yes", DISCORD_TOKEN="a.b.c", BONEYARD_DATABASE_URL=url)
    assert ended == (1, "", expected)
    assert await run_command("health", BONEYARD_STATUS="yes") == (2, "", f"boneyard: {expected}")
    assert [*os.scandir(tmp_path)] == []


async def test_version_option_prints_project_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert await run_command("--version") == (0, f"boneyard {version}\n", "")
