"""Errors at the start of the bot."""

import asyncio
import errno
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.playground.server import LocalDiscord
from data.store.store import Store
from tests.bot.operating.runner import PATIENCE, running

ROOT = Path(__file__).parents[3]
LIKE_OTHERS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


async def start(*arguments: str, **environment: str) -> tuple[int | None, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("DISCORD_TOKEN", "BONEYARD_DATABASE_URL")}
    process = await asyncio.create_subprocess_exec(
        *(LIKE_OTHERS if shutil.which(LIKE_OTHERS[0]) and os.geteuid() == 0 else ()),
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=ROOT,
        env=kept | environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(300):
            assert process.stdin is not None
            said = (await process.stderr.read()).decode()
            return await process.wait(), said
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def only_line(said: str) -> str:
    assert "Traceback" not in said
    lines = [line for line in said.splitlines() if " INFO " not in line]
    assert len(lines) == 1, said
    return lines[0]


async def test_missing_token_is_reported_in_one_line_with_advice() -> None:
    status, said = await start("run")
    assert status == 1
    assert "DISCORD_TOKEN" in only_line(said)
    assert "boneyard play" in only_line(said)


async def test_invalid_programs_are_reported_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "players.toml"
    status, said = await start("run", DISCORD_TOKEN="a.b.c", BONEYARD_PLAYERS=str(file))
    assert status == 1
    assert f"BONEYARD_PLAYERS: {file} cannot be read ({os.strerror(errno.ENOENT)})" == only_line(said)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite:////nowhere/at/all/boneyard.db", "/nowhere/at/all; make it"),
        ("sqlite:///{tmp}/text.db", "no SQLite database"),
        ("boneyard.db", "URL cannot be read"),
        (f"sqlite:///{{tmp}}/{'a' * 300}.db", "File name too long"),
    ],
)
async def test_unopenable_database_is_reported_in_one_line_with_reason(tmp_path: Path, url: str, expected: str) -> None:
    (tmp_path / "text.db").write_text("This is a letter, not a database. " * 40)
    status, said = await start("run", DISCORD_TOKEN="any", BONEYARD_DATABASE_URL=url.format(tmp=tmp_path))
    assert status == 1
    line = only_line(said)
    assert expected in line
    assert "BONEYARD_DATABASE_URL" in line


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="whoever may read everything needs it to be like others")
@pytest.mark.parametrize(
    ("words", "mode", "expected"),
    [
        ("run", 0o000, "Permission denied; be the user whose it is, or name another file in BONEYARD_DATABASE_URL."),
        ("recount", 0o000, "Permission denied; be the user whose it is"),
        ("backup copy.db", 0o000, "boneyard.db: Permission denied. Name another file, or be the user whose it is."),
        ("move --undo", 0o000, "boneyard.db: Permission denied. Name another file, or be the user whose it is."),
        ("recount", 0o700, "let the bot write to its file, its folder and its disk"),
        ("move --undo", 0o700, "is not yours to write to: do this as the user whose it is."),
    ],
)
async def test_inaccessible_database_file_is_reported_in_one_line(
    tmp_path: Path, words: str, mode: int, expected: str
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    file = folder / "boneyard.db"
    await (await Store.open(f"sqlite:///{file}")).close()
    file.chmod(0o400)
    folder.chmod(mode)
    try:
        status, said = await start(*words.split(), DISCORD_TOKEN="any", BONEYARD_DATABASE_URL=f"sqlite:///{file}")
    finally:
        folder.chmod(0o700)
    assert status == 1
    assert expected in only_line(said)


@pytest.mark.deep
async def test_unanswered_request_times_out_and_start_is_retried(url: str) -> None:
    async with LocalDiscord(None, port=0) as server:
        server.faults.delay("GET /api/v10/users/@me", 3600)
        async with running(url, server, hurry="bot.operating.run.LOGIN bot.core.discord_errors.ANSWER") as bot:
            assert (await bot.said("Discord cannot be reached"))["why"] == "TimeoutError"
            async with asyncio.timeout(PATIENCE):
                await server.gateway.connected.wait()
            assert await bot.stopped() == 0


@pytest.mark.deep
async def test_gateway_without_ready_event_is_reconnected(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def says_nothing(*_: Any) -> None:
        asked.set()

    asked = asyncio.Event()
    async with LocalDiscord(None, port=0) as server:
        with monkeypatch.context() as patched:
            patched.setattr(server.gateway, "_handle_identify", says_nothing)
            async with running(url, server, hurry="bot.operating.run.GUILDS_TIMEOUT") as bot:
                await asyncio.wait_for(asked.wait(), PATIENCE)
                assert (await bot.said("Discord cannot be reached"))["why"] == "TimeoutError"
                patched.undo()
                async with asyncio.timeout(PATIENCE):
                    await server.gateway.connected.wait()
                assert await bot.stopped() == 0


@pytest.mark.deep
async def test_bot_restarts_after_unexpected_error(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with LocalDiscord(None, port=0) as server:
        world = dict(server.world.bot)
        del server.world.bot["username"]  # an invalid READY event for server.py
        me = dict(world)
        async with running(url, server) as bot:
            told = await bot.said("the bot failed; restarting it")
            assert told["level"] == "error"
            assert "KeyError at " in told["broke"]
            server.world.bot.update(me)
            async with asyncio.timeout(PATIENCE):
                await server.gateway.connected.wait()
            assert await bot.stopped() == 0
