"""`boneyard run` while Discord or the database fails.

The bot waits for temporary faults. It reports permanent ones in one line and exits with 1.
"""

import asyncio
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import discord
import pytest

from bot.app import build
from bot.operating.startup import find_remedy
from bot.playground.launch import redirect_clients
from bot.playground.server import LocalDiscord
from data.store.connection.faults import REMEDIES, DatabaseFault
from data.store.store import Store
from tests.bot.operating.runner import PATIENCE, run_bot_process, run_until_exit
from tests.data.store.empty import prepare_database
from tests.small_disk import SMALL_DISK, can_mount

ME, APPLICATION = "GET /api/v10/users/@me", "GET /api/v10/oauth2/applications/@me"
RETRY_DELAY_NAME = "bot.operating.startup.FIRST_WAIT"
TOKEN_MESSAGE = "Discord does not accept the token in DISCORD_TOKEN. Copy it again from the developer portal."


async def test_failing_discord_is_retried_until_login_succeeds(url: str) -> None:
    async with LocalDiscord(None, port=0) as discord:
        discord.faults.inject_status(ME, 503)
        discord.faults.inject_status(ME, 403, code=40333)
        discord.faults.inject_proxy_page(APPLICATION, 429)
        discord.faults.inject_status(APPLICATION, 503)
        async with (
            run_bot_process(url, discord, shortened_timeouts=RETRY_DELAY_NAME, seconds=0.5) as bot,
            asyncio.timeout(2 * PATIENCE),
        ):
            first, third = (
                await bot.wait_for_log("Discord has a problem"),
                await bot.wait_for_log("Discord has a problem", 2),
            )
            assert first["why"] == "503 Service Unavailable (error code: 0): 503: injected by a test"
            assert (await bot.wait_for_log("Discord refuses the bot"))["code"] == "403/40333"
            banned = await bot.wait_for_log("Discord delays the start")
            assert banned["why"] == "429, with a web page instead of an answer"
            assert (first["level"], first["attempt"], third["attempt"]) == ("warning", 1, 4)
            assert third["seconds"] > first["seconds"], "later and later"
            await discord.gateway.connected.wait()
            assert await bot.stop() == 0
    assert len(bot.lines) == 4, bot.lines
    assert discord.token not in "".join(bot.lines)


async def test_long_rate_limit_wait_is_logged_and_can_be_interrupted(url: str) -> None:
    async with LocalDiscord(None, port=0) as discord:
        discord.faults.inject_status(ME, 429, retry_after=900)
        async with run_bot_process(url, discord) as bot:
            assert (await bot.wait_for_log("Discord delays the start"))["seconds"] >= 900
            assert await bot.stop() == 0
            assert not discord.gateway.is_online


async def test_start_waits_for_unreachable_discord(url: str) -> None:
    async with LocalDiscord(None, port=0) as discord:
        pass
    async with run_bot_process(url, discord) as bot:
        assert "127.0.0.1:" in (await bot.wait_for_log("Discord cannot be reached"))["why"]
        async with LocalDiscord(None, port=discord.port, token=discord.token) as back, asyncio.timeout(PATIENCE):
            assert back.port == discord.port
            await back.gateway.connected.wait()
            assert await bot.stop() == 0


async def test_invalid_token_is_reported_in_one_line(url: str) -> None:
    async with LocalDiscord(None, port=0) as discord:
        ended, lines = await run_until_exit(url, discord, "MTIz.abc.def")
    assert (ended, lines) == (1, [TOKEN_MESSAGE])


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (4011, "The bot is on so many servers that Discord requires more shards. "),
        (4014, "Discord refuses the intents of this bot, "),
    ],
)
async def test_permanent_gateway_refusal_reports_reason_and_advice(url: str, code: int, told: str) -> None:
    async with LocalDiscord(None, port=0) as discord:
        discord.faults.close_sessions(code)
        ended, (line,) = await run_until_exit(url, discord)
    assert ended == 1
    assert line.startswith(told)
    assert discord.token not in line


async def test_other_fatal_close_codes_have_own_messages(url: str) -> None:
    of = {
        4010: "Discord rejects these shard ids. Start all processes with the same --shards, ",
        4012: "Discord no longer supports this version of the bot. Install the newest version ",
        4013: "Discord no longer supports this version of the bot. Install the newest version ",
    }
    store = await Store.open(await prepare_database(url))
    async with LocalDiscord(None, port=0) as local:
        point_back = redirect_clients(local.url)
        try:
            for code, message in of.items():
                local.faults.close_sessions(code)
                async with build(store) as client:
                    with pytest.raises(discord.ConnectionClosed) as closed:
                        await client.start(local.token)
                assert (find_remedy(closed.value) or "").startswith(message)
        finally:
            point_back()
            await store.close()


async def test_short_wait_and_gateway_failures_need_no_restart(url: str) -> None:
    async with LocalDiscord(None, port=0) as discord:
        discord.faults.inject_status(ME, 429, retry_after=0.2)
        discord.faults.inject_status("GET /gateway", 503)
        discord.faults.close_sessions(4000)
        async with run_bot_process(url, discord) as bot:
            refused = await bot.wait_for_log("Failed to connect for shard_id")
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            assert await bot.stop() == 0
    assert "503" in json.dumps(refused)
    events = [json.loads(line)["event"] for line in bot.lines]
    assert not [line for line in events if "start" in line], "neither is a failure of the start"


async def test_revoked_token_is_reported_and_bot_exits(url: str) -> None:
    async with LocalDiscord(None, port=0) as discord, run_bot_process(url, discord) as bot:
        async with asyncio.timeout(PATIENCE):
            await discord.gateway.connected.wait()
        await discord.reset_token()
        assert await bot.wait_for_exit() == 1
    assert bot.lines[-1] == TOKEN_MESSAGE


async def test_start_waits_for_locked_database(tmp_path: Path) -> None:
    file = tmp_path / "boneyard.db"
    async with LocalDiscord(None, port=0) as discord:
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("CREATE TABLE held (row INTEGER)")
            other.execute("BEGIN EXCLUSIVE")
            async with run_bot_process(f"sqlite:///{file}", discord) as bot, asyncio.timeout(2 * PATIENCE):
                entry = await bot.wait_for_log("the database cannot be opened now")
                assert REMEDIES[DatabaseFault.LOCKED] in entry["why"]
                other.execute("ROLLBACK")
                await discord.gateway.connected.wait()
                assert await bot.stop() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets one process widen the limits of another")
async def test_start_waits_for_disk_with_io_errors(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    async with LocalDiscord(None, port=0) as discord:
        within = "sh", "-c", 'ulimit -S -f 2 && exec "$@"', "sh"
        async with run_bot_process(f"sqlite:///{tmp_path}/boneyard.db", discord, wrapper=within) as bot:
            entry = await bot.wait_for_log("the database cannot be opened now")
            assert REMEDIES[DatabaseFault.DISK] in entry["why"]
            resource.prlimit(bot.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            assert await bot.stop() == 0


@pytest.mark.skipif(not can_mount(), reason="no small disk can be made here (unshare, mount)")
async def test_start_waits_for_full_disk(tmp_path: Path) -> None:
    disk = 'mount -t tmpfs -o size=8m none "$0" && head -c 8300000 /dev/zero >"$0/ballast" && exec "$@"'
    async with LocalDiscord(None, port=0) as discord:
        within = (*SMALL_DISK, "sh", "-c", disk, str(tmp_path))
        async with run_bot_process(f"sqlite:///{tmp_path}/boneyard.db", discord, wrapper=within) as bot:
            entry = await bot.wait_for_log("the database cannot be opened now")
            assert "is full" in entry["why"]
            (Path(f"/proc/{bot.process.pid}/root") / tmp_path.relative_to("/") / "ballast").unlink()
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            assert await bot.stop() == 0


async def test_start_waits_for_database_server() -> None:
    async with LocalDiscord(None, port=0) as discord:
        nobody = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
        port = nobody.sockets[0].getsockname()[1]
        nobody.close()
        await nobody.wait_closed()
        server, hurry = (
            f"postgresql://me:secret@127.0.0.1:{port}/none",
            f"data.store.connection.postgres.TRYING {RETRY_DELAY_NAME}",
        )
        async with run_bot_process(server, discord, shortened_timeouts=hurry, seconds=0.5) as bot:
            entry = await bot.wait_for_log("the database cannot be opened now", 2)
            assert "the server runs" in entry["why"]
            assert await bot.stop() == 0
    assert "secret" not in "".join(bot.lines)
