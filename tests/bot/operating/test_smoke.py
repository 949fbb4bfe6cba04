"""The command `boneyard smoke` on the local Discord."""

import asyncio
import sys
import time
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core.environment import Finding
from bot.operating.smoke import SmokeTestOptions, run_smoke_checks
from bot.playground.commands import GLOBAL
from bot.playground.launch import redirect_clients
from bot.playground.server import LocalDiscord
from tests.bot.operating.runner import build_environment

CLOCK_SPEED = 20
STARTED_AT = time.time()
ROOT = Path(__file__).parents[3]


def read_fast_clock() -> int:
    return int((STARTED_AT + CLOCK_SPEED * (time.time() - STARTED_AT)) * 1000)


@pytest.fixture
async def there() -> AsyncIterator[LocalDiscord]:
    async with LocalDiscord(None, port=0) as found:
        undo = redirect_clients(found.url)
        yield found
        undo()


async def run_smoke_test(local_discord: LocalDiscord, **options: object) -> tuple[bool, list[str]]:
    findings: list[Finding] = []
    options.setdefault("server", int(next(iter(local_discord.world.guilds))))
    smoke_options = SmokeTestOptions(**options)
    good = await run_smoke_checks(local_discord.token, smoke_options, findings.append, read_fast_clock)
    assert good == all(finding.is_ok for finding in findings)
    return good, [str(finding) for finding in findings]


def get_line(lines: list[str], prefix: str) -> str:
    (line,) = [line for line in lines if line[5:].startswith(prefix)]
    return line


def count_bot_messages(local_discord: LocalDiscord) -> int:
    bot = local_discord.world.bot["id"]
    return sum(
        post.body["author"]["id"] == bot
        for line in local_discord.world.messages.timelines.values()
        for post in line.list_posts()
    )


def list_command_names(local_discord: LocalDiscord) -> set[str]:
    return {command["name"] for command in local_discord.commands.list_registered(GLOBAL)}


async def test_smoke_test_plays_match_and_leaves_nothing_behind(there: LocalDiscord) -> None:
    good, report = await run_smoke_test(there)
    assert good, report
    assert get_line(report, "match: played, ")
    assert get_line(report, "commands: Discord shows 5 of 5")
    assert " 2 pictures" in get_line(report, "messages: ")
    assert get_line(report, "429: none")
    assert count_bot_messages(there) == 0
    assert list_command_names(there) == set()
    assert there.replies.bot_errors == []


async def test_smoke_test_keeps_registered_commands(there: LocalDiscord) -> None:
    there.commands.replace(GLOBAL, [{"name": "tiles", "description": "of another version"}])
    good, report = await run_smoke_test(there)
    assert good, report
    assert list_command_names(there) == {"tiles", "tiles-host", "tiles-deal", "tiles-league", "tiles-admin"}


async def test_smoke_test_refuses_bot_in_use_unless_forced(there: LocalDiscord) -> None:
    there.world.add_guild("The Others")
    command_count = len(there.commands.list_registered(GLOBAL))
    good, report = await run_smoke_test(there)
    assert not good
    assert "separate" in get_line(report, "servers: the bot is on 2")
    assert len(there.commands.list_registered(GLOBAL)) == command_count
    good, report = await run_smoke_test(there, allow_other_guilds=True)
    assert good, report


@pytest.mark.parametrize(
    ("lacks", "told"), [("attach_files", "match: not played"), ("read_message_history", "match: not played")]
)
async def test_missing_permissions_are_reported_before_first_message(
    there: LocalDiscord, lacks: str, told: str
) -> None:
    there.world.set_bot_permissions(there.world.welcome_channel, **{lacks: False})
    good, lines = await run_smoke_test(there, channel=int(there.world.welcome_channel))
    assert not good
    assert f"without {lacks}" in get_line(lines, "permissions in ")
    assert get_line(lines, told)


async def test_unknown_guild_or_channel_is_reported(there: LocalDiscord) -> None:
    good, report = await run_smoke_test(there, server=4711)
    assert (good, "Invite it" in get_line(report, "server: the bot is not on 4711")) == (False, True)
    good, report = await run_smoke_test(there, channel=4711)
    assert (good, "--channel" in get_line(report, "channel: not found")) == (False, True)
    assert list_command_names(there) == set()


async def test_rate_limits_are_reported_by_scope(there: LocalDiscord) -> None:
    there.faults.inject_status("PATCH /api/v10/channels", 429, times=2, retry_after=0.05)
    there.faults.inject_status("PATCH /api/v10/channels", 429, retry_after=0.05, scope="global")
    good, report = await run_smoke_test(there)
    assert not good
    line = get_line(report, "429: global 1, user 2")
    assert "uses this token" in line
    assert get_line(report, "invalid requests: 3")
    assert count_bot_messages(there) == 0


async def test_interrupted_smoke_test_cleans_up(there: LocalDiscord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.operating.smoke.BOARD_TIMEOUT", 1.0)
    there.faults.inject_status("PATCH /api/v10/channels", 403, times=1000, code=50013)
    good, report = await run_smoke_test(there)
    assert not good
    assert get_line(report, "board: not shown within 1 s")
    assert count_bot_messages(there) == 0
    assert list_command_names(there) == set()


async def test_smoke_command_prints_progress_without_token(there: LocalDiscord) -> None:
    async def run_smoke_command(token: str, server: str) -> tuple[int | None, str]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "smoke", "--server", server, "--local", there.url),
            cwd=ROOT,
            env=build_environment(DISCORD_TOKEN=token),
            stdout=PIPE,
            stderr=STDOUT,
        )
        async with asyncio.timeout(300):
            output, _ = await process.communicate()
        return process.returncode, output.decode()

    status, said = await run_smoke_command(there.token, "4711")
    assert status == 1
    assert " ok  token: of " in said
    assert [line[-11:] for line in said.splitlines() if line.startswith("FIX  server: ")] == ["not on 4711"]
    assert there.token not in said
    assert await run_smoke_command("MTIz.abc.def", "4711") == (
        1,
        "FIX  token: Discord rejects it\n     Copy it again from the page Bot.\n"
        " ok  429: none\n ok  invalid requests: 0, without an answer: 0\n",
    )
