"""The command `boneyard smoke` on the local Discord."""

import asyncio
import os
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

FAST = 20
BEGAN = time.time()
ROOT = Path(__file__).parents[3]


def hurried() -> int:
    return int((BEGAN + FAST * (time.time() - BEGAN)) * 1000)


@pytest.fixture
async def there() -> AsyncIterator[LocalDiscord]:
    async with LocalDiscord(None, port=0) as found:
        undo = redirect_clients(found.url)
        yield found
        undo()


async def tried(there: LocalDiscord, **asked: object) -> tuple[bool, list[str]]:
    told: list[Finding] = []
    asked.setdefault("server", int(next(iter(there.world.guilds))))
    errand = SmokeTestOptions(**asked)  # type: ignore[arg-type]
    good = await run_smoke_checks(there.token, errand, told.append, hurried)
    assert good == all(finding.is_ok for finding in told)
    return good, [str(finding) for finding in told]


def only(told: list[str], begins: str) -> str:
    (line,) = [line for line in told if line[5:].startswith(begins)]
    return line


def left_behind(there: LocalDiscord) -> int:
    bot = there.world.bot["id"]
    return sum(
        post.body["author"]["id"] == bot
        for line in there.world.messages.timelines.values()
        for post in line.list_posts()
    )


def shown(there: LocalDiscord) -> set[str]:
    return {command["name"] for command in there.commands.list_registered(GLOBAL)}


async def test_smoke_test_plays_match_and_leaves_nothing_behind(there: LocalDiscord) -> None:
    good, told = await tried(there)
    assert good, told
    assert only(told, "match: played to its end, ")
    assert only(told, "commands: Discord shows 5 of 5")
    assert " 2 pictures" in only(told, "messages: ")
    assert only(told, "429: none")
    assert left_behind(there) == 0
    assert shown(there) == set()
    assert there.bot_errors == []


async def test_smoke_test_keeps_registered_commands(there: LocalDiscord) -> None:
    there.commands.replace(GLOBAL, [{"name": "tiles", "description": "of another version"}])
    good, told = await tried(there)
    assert good, told
    assert shown(there) == {"tiles", "tiles-host", "tiles-deal", "tiles-league", "tiles-admin"}


async def test_smoke_test_refuses_bot_in_use_unless_forced(there: LocalDiscord) -> None:
    there.world.add_guild("The Others")
    watched = len(there.commands.list_registered(GLOBAL))
    good, told = await tried(there)
    assert not good
    assert "for tests" in only(told, "servers: the bot is on 2")
    assert len(there.commands.list_registered(GLOBAL)) == watched
    good, told = await tried(there, among_others=True)
    assert good, told


@pytest.mark.parametrize(
    ("lacks", "told"), [("attach_files", "match: not played"), ("read_message_history", "match: not played")]
)
async def test_missing_permissions_are_reported_before_first_message(
    there: LocalDiscord, lacks: str, told: str
) -> None:
    there.world.set_bot_permissions(there.world.welcome_channel, **{lacks: False})
    good, lines = await tried(there, channel=int(there.world.welcome_channel))
    assert not good
    assert f"without {lacks}" in only(lines, "permissions in ")
    assert only(lines, told)


async def test_unknown_guild_or_channel_is_reported(there: LocalDiscord) -> None:
    good, told = await tried(there, server=4711)
    assert (good, "Invite it" in only(told, "server: the bot is not on 4711")) == (False, True)
    good, told = await tried(there, channel=4711)
    assert (good, "--channel" in only(told, "channel: there is none such")) == (False, True)
    assert shown(there) == set()


async def test_rate_limits_are_reported_by_scope(there: LocalDiscord) -> None:
    there.faults.inject_status("PATCH /api/v10/channels", 429, times=2, retry_after=0.05)
    there.faults.inject_status("PATCH /api/v10/channels", 429, retry_after=0.05, scope="global")
    good, told = await tried(there)
    assert not good
    line = only(told, "429: global 1, user 2")
    assert "uses this token" in line
    assert only(told, "invalid requests: 3")
    assert left_behind(there) == 0


async def test_interrupted_smoke_test_cleans_up(there: LocalDiscord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.operating.smoke.BOARD_TIMEOUT", 1.0)
    there.faults.inject_status("PATCH /api/v10/channels", 403, times=1000, code=50013)
    good, told = await tried(there)
    assert not good
    assert only(told, "board: not shown within 1 s")
    assert left_behind(there) == 0
    assert shown(there) == set()


async def test_smoke_command_prints_progress_without_token(there: LocalDiscord) -> None:
    known = {name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD"))}

    async def typed(token: str, server: str) -> tuple[int | None, str]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "smoke", "--server", server, "--local", there.url),
            cwd=ROOT,
            env=known | {"DISCORD_TOKEN": token},
            stdout=PIPE,
            stderr=STDOUT,
        )
        async with asyncio.timeout(300):
            said, _ = await process.communicate()
        return process.returncode, said.decode()

    status, said = await typed(there.token, "4711")
    assert status == 1
    assert " ok  token: of " in said
    assert [line[-11:] for line in said.splitlines() if line.startswith("FIX  server: ")] == ["not on 4711"]
    assert there.token not in said
    assert await typed("MTIz.abc.def", "4711") == (
        1,
        "FIX  token: Discord does not know it\n     Copy it again from the page Bot.\n"
        " ok  429: none\n ok  invalid requests: 0, without an answer: 0\n",
    )
