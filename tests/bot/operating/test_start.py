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
from tests.bot.operating.runner import PATIENCE, run_bot_process

ROOT = Path(__file__).parents[3]
UNPRIVILEGED_PREFIX = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


async def run_until_exit(*arguments: str, **environment: str) -> tuple[int | None, str]:
    inherited = {
        key: value for key, value in os.environ.items() if key not in ("DISCORD_TOKEN", "BONEYARD_DATABASE_URL")
    }
    process = await asyncio.create_subprocess_exec(
        *(UNPRIVILEGED_PREFIX if shutil.which(UNPRIVILEGED_PREFIX[0]) and os.geteuid() == 0 else ()),
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=ROOT,
        env=inherited | environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(300):
            errors = (await process.stderr.read()).decode()
            return await process.wait(), errors
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def get_only_line(errors: str) -> str:
    assert "Traceback" not in errors
    lines = [line for line in errors.splitlines() if " INFO " not in line]
    assert len(lines) == 1, errors
    return lines[0]


async def test_missing_token_is_reported_in_one_line_with_advice() -> None:
    status, errors = await run_until_exit("run")
    assert status == 1
    assert "DISCORD_TOKEN" in get_only_line(errors)
    assert "boneyard play" in get_only_line(errors)


async def test_invalid_programs_are_reported_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "players.toml"
    status, errors = await run_until_exit("run", DISCORD_TOKEN="a.b.c", BONEYARD_PLAYERS=str(file))
    assert status == 1
    assert f"BONEYARD_PLAYERS: {file} cannot be read ({os.strerror(errno.ENOENT)})" == get_only_line(errors)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite:////nowhere/at/all/boneyard.db", "/nowhere/at/all; make it"),
        ("sqlite:///{tmp}/text.db", "not an SQLite database"),
        ("boneyard.db", "URL cannot be read"),
        (f"sqlite:///{{tmp}}/{'a' * 300}.db", "File name too long"),
    ],
)
async def test_unopenable_database_is_reported_in_one_line_with_reason(tmp_path: Path, url: str, expected: str) -> None:
    (tmp_path / "text.db").write_text("This is a letter, not a database. " * 40)
    status, errors = await run_until_exit("run", DISCORD_TOKEN="any", BONEYARD_DATABASE_URL=url.format(tmp=tmp_path))
    assert status == 1
    line = get_only_line(errors)
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
        ("recount", 0o700, "let the bot write to its file, folder and disk"),
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
        status, errors = await run_until_exit(
            *words.split(), DISCORD_TOKEN="any", BONEYARD_DATABASE_URL=f"sqlite:///{file}"
        )
    finally:
        folder.chmod(0o700)
    assert status == 1
    assert expected in get_only_line(errors)


@pytest.mark.deep
async def test_unanswered_request_times_out_and_start_is_retried(url: str) -> None:
    async with LocalDiscord(None, port=0) as server:
        server.faults.delay("GET /api/v10/users/@me", 3600)
        async with run_bot_process(
            url, server, shortened_timeouts="bot.operating.run.LOGIN bot.core.discord_errors.ANSWER"
        ) as bot:
            assert (await bot.wait_for_log("Discord cannot be reached"))["why"] == "TimeoutError"
            async with asyncio.timeout(PATIENCE):
                await server.gateway.connected.wait()
            assert await bot.stop() == 0


@pytest.mark.deep
async def test_gateway_without_ready_event_is_reconnected(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ignore_identify(*_: Any) -> None:
        identified.set()

    identified = asyncio.Event()
    async with LocalDiscord(None, port=0) as server:
        with monkeypatch.context() as patched:
            patched.setattr(server.gateway, "_handle_identify", ignore_identify)
            async with run_bot_process(url, server, shortened_timeouts="bot.operating.run.GUILDS_TIMEOUT") as bot:
                await asyncio.wait_for(identified.wait(), PATIENCE)
                assert (await bot.wait_for_log("Discord cannot be reached"))["why"] == "TimeoutError"
                patched.undo()
                async with asyncio.timeout(PATIENCE):
                    await server.gateway.connected.wait()
                assert await bot.stop() == 0


@pytest.mark.deep
async def test_bot_restarts_after_unexpected_error(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with LocalDiscord(None, port=0) as server:
        world = dict(server.world.bot)
        del server.world.bot["username"]  # an invalid READY event for server.py
        me = dict(world)
        async with run_bot_process(url, server) as bot:
            entry = await bot.wait_for_log("the bot failed; restarting it")
            assert entry["level"] == "error"
            assert "KeyError at " in entry["broke"]
            server.world.bot.update(me)
            async with asyncio.timeout(PATIENCE):
                await server.gateway.connected.wait()
            assert await bot.stop() == 0
