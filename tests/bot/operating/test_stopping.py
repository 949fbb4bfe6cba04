"""Shutdown of the real bot process while players move."""

import asyncio
import os
import re
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from bot.client import Boneyard
from bot.operating import run
from bot.operating.run import CLOSE_TIMEOUT, DATABASE_TIMEOUT, DRAIN_TIMEOUT, EXIT_TIMEOUT, drain_client
from bot.playground.payloads import LOADING
from bot.playground.person import PageUser
from bot.playground.server import LocalDiscord
from data.store.store import Store
from tests.bot.local_bot import labels, words_of
from tests.data.store.proxy import proxied
from tests.data.store.server import WITHOUT, new_database
from tests.wording import en

PATIENCE = 300.0
PROMISED = 10.0


@dataclass
class Stage:
    discord: LocalDiscord
    bot: asyncio.subprocess.Process
    url: str
    place: str
    ada: PageUser
    grace: PageUser

    async def stopped(self) -> int:
        """Stop the bot and return its exit status. Fails if the bot hangs."""
        self.bot.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            return await self.bot.wait()

    async def messages(self) -> list[dict[str, Any]]:
        return await self.ada.fetch_messages(self.place, 100)


@pytest.fixture
async def stage(url: str) -> AsyncIterator[Stage]:
    async with staged(url) as stage:
        yield stage


@asynccontextmanager
async def staged(url: str, *program: str) -> AsyncIterator[Stage]:
    async with (
        LocalDiscord(None, port=0) as discord,
        PageUser(discord.address, "Ada") as ada,
        PageUser(discord.address, "Grace") as grace,
    ):
        known = {name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD"))}
        environment = known | {"DISCORD_TOKEN": discord.token, "BONEYARD_DATABASE_URL": url}
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, *(program or ("-m", "bot")), "run", "--local", discord.url), env=environment, stdin=PIPE
        )
        try:
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            place = discord.world.welcome_channel
            await ada.wait_for_answer(place, await ada.use_command(place, "tiles", "new", seats=2))
            lobby = await ada.wait_for_message(place, lambda one: "Join" in labels(one))
            await grace.click(lobby, label="Join")
            await ada.wait_for_message(place, lambda one: one["mentions"])
            yield Stage(discord, bot, url, place, ada, grace)
        finally:
            if bot.returncode is None:
                bot.kill()
                await bot.wait()


async def _typed(stage: Stage, before: Callable[[], None] = lambda: None) -> tuple[PageUser, str]:
    (call,) = [one for one in await stage.messages() if one["mentions"]]
    mover = stage.ada if call["mentions"][0]["id"] == stage.ada.id else stage.grace
    tile = (await mover.fetch_choices(stage.place, "tiles", "play", focused="tile", tile=""))[0]["value"]
    places = await mover.fetch_choices(stage.place, "tiles", "play", focused="place", tile=tile, place="")
    before()
    return mover, await mover.use_command(stage.place, "tiles", "play", tile=tile, place=places[0]["value"])


def is_thinking(message: dict[str, Any]) -> bool:
    return bool(message["flags"] & LOADING)


async def test_move_in_progress_is_completed_and_shown_before_exit(stage: Stage) -> None:
    stage.discord.faults.delay("/callback", 0.5)
    stage.discord.faults.delay("POST /api/v10/channels", 1.0)
    (before,) = [one for one in await stage.messages() if one["mentions"]]
    mover, interaction = await _typed(stage)
    status = await stage.stopped()
    assert status == 0
    answer = await mover.wait_for_answer(stage.place, interaction)
    assert re.search("^You (played|opened with) ", words_of(answer))
    assert before["id"] not in {one["id"] for one in await stage.messages()}, "nobody is called to a turn that is over"
    store = await Store.open(stage.url)
    try:
        head = await store.matches.find_head(1)
        assert head.seq == head.shown_seq
        assert head.turn.user != int(before["mentions"][0]["id"])
        assert head.due.kind == "settle", "whoever is next is called by the next start"
        assert await store.outbox.list_due(1 << 60, 10) == []
    finally:
        await store.close()


@pytest.mark.deep
async def test_click_during_shutdown_asks_player_to_retry(stage: Stage) -> None:
    stage.discord.faults.delay("PATCH /api/v10/webhooks", 2.0)
    (board,) = [one for one in await stage.messages() if "Text board" in labels(one) and not one["mentions"]]
    slow = await stage.ada.click(board, label="Text board")
    await stage.ada.wait_for_message(stage.place, is_thinking)
    ending = asyncio.create_task(stage.stopped())
    await asyncio.sleep(0.3)
    late = await stage.grace.wait_for_answer(stage.place, await stage.grace.click(board, label="Text board"))
    assert words_of(late) == en("admission.closing")
    status = await ending
    assert status == 0
    assert words_of(await stage.ada.wait_for_answer(stage.place, slow))


@pytest.mark.deep
async def test_bot_stops_in_time_although_discord_hangs(stage: Stage) -> None:
    stage.discord.faults.delay("PATCH /api/v10/webhooks", 2 * PATIENCE)
    (board,) = [one for one in await stage.messages() if "Text board" in labels(one) and not one["mentions"]]
    await stage.ada.click(board, label="Text board")
    await stage.ada.wait_for_message(stage.place, is_thinking)
    status = await stage.stopped()
    assert status == 0


def test_limits_of_shutdown_steps_fit_documented_time() -> None:
    assert 0 < DATABASE_TIMEOUT < DRAIN_TIMEOUT
    assert DRAIN_TIMEOUT + CLOSE_TIMEOUT < EXIT_TIMEOUT < PROMISED


async def test_hanging_shutdown_step_is_abandoned_after_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "DRAIN_TIMEOUT", 0.05)
    client, limits = Mock(drain=asyncio.Event().wait), []
    client.services.store.hurry = limits.append
    async with asyncio.timeout(PATIENCE):
        await drain_client(client, stopping=True)
    assert limits == [DATABASE_TIMEOUT], "the database has to answer while Discord is still connected"


UNSAVED = en("no.UNSAVED")


@pytest.mark.deep
async def test_bot_stops_in_time_with_locked_file_and_reports_loss(
    stage: Stage,
) -> None:
    with closing(sqlite3.connect(stage.url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        before = other.execute("SELECT seq FROM matches").fetchone()
        mover, interaction = await _typed(stage)
        await mover.wait_for_message(stage.place, is_thinking)
        status = await stage.stopped()
        assert status == 0
        assert words_of(await mover.wait_for_answer(stage.place, interaction)) == UNSAVED
        other.execute("ROLLBACK")
        assert other.execute("SELECT seq FROM matches").fetchone() == before, "nor is it done afterwards"


@pytest.mark.deep
@WITHOUT
async def test_bot_stops_in_time_with_hanging_server_and_reports_loss() -> None:
    async with new_database() as direct, proxied(direct) as (proxy, url), staged(url) as stage:
        (board,) = [one for one in await stage.messages() if "Text board" in labels(one) and not one["mentions"]]
        proxy.hang()
        interaction = await stage.ada.click(board, label="Text board")
        await stage.ada.wait_for_message(stage.place, is_thinking)
        status = await stage.stopped()
        assert status == 0
        assert words_of(await stage.ada.wait_for_answer(stage.place, interaction)) == UNSAVED
        proxy.go_on()


HANGS = """
import os, threading, time
from bot.__main__ import main
from data.store.connection.sqlite import DatabaseFile

check = DatabaseFile.check

def hang(file):
    if threading.current_thread().name.startswith("store-writer") and os.path.exists(os.environ["HANGS"]):
        time.sleep(1000)
    return check(file)

DatabaseFile.check = hang
main()
"""


@pytest.mark.deep
async def test_bot_stops_in_time_although_disk_hangs(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANGS", str(tmp_path / "now"))
    async with staged(url, "-c", HANGS) as stage:
        mover, interaction = await _typed(stage, before=(tmp_path / "now").touch)
        await mover.wait_for_message(stage.place, is_thinking)
        status = await stage.stopped()
        assert status == 0
        assert words_of(await mover.wait_for_answer(stage.place, interaction)) == UNSAVED


async def test_events_after_shutdown_are_ignored() -> None:
    client = Boneyard()
    async with client:
        pass
    client.dispatch("ready")
    assert [task for task in asyncio.all_tasks() if "discord" in task.get_name()] == []
