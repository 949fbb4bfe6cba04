"""Shutdown of the real bot process while players move."""

import asyncio
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
from bot.playground.server import LocalDiscord
from data.store.store import Store
from tests.bot.local_bot import list_button_labels, read_text
from tests.bot.operating.runner import build_environment
from tests.data.store.proxy import open_proxy
from tests.data.store.server import NEEDS_POSTGRES, open_new_database
from tests.playground.page_user import PageUser
from tests.wording import en

TIMEOUT_SECONDS = 300.0
MAX_STOP_SECONDS = 10.0


@dataclass
class RunningBot:
    discord: LocalDiscord
    process: asyncio.subprocess.Process
    url: str
    channel_id: str
    ada: PageUser
    grace: PageUser

    async def stop(self) -> int:
        """Stop the bot and return its exit status. Fails if the bot hangs."""
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await self.process.wait()

    async def fetch_messages(self) -> list[dict[str, Any]]:
        return await self.ada.fetch_messages(self.channel_id, 100)

    async def fetch_call(self) -> dict[str, Any]:
        (call,) = [one for one in await self.fetch_messages() if one["mentions"]]
        return call

    async def fetch_board(self) -> dict[str, Any]:
        (board,) = [
            one
            for one in await self.fetch_messages()
            if "Text board" in list_button_labels(one) and not one["mentions"]
        ]
        return board

    async def start_click(self, board: dict[str, Any]) -> str:
        """Click a button that the bot does not answer yet; return the interaction."""
        interaction = await self.ada.click(board, label="Text board")
        await self.ada.wait_for_message(self.channel_id, is_thinking)
        return interaction

    async def read_answer(self, person: PageUser, interaction: str) -> str:
        return read_text(await person.wait_for_answer(self.channel_id, interaction))


@pytest.fixture
async def stage(url: str) -> AsyncIterator[RunningBot]:
    async with run_bot(url) as running_bot:
        yield running_bot


@asynccontextmanager
async def run_bot(url: str, *program: str) -> AsyncIterator[RunningBot]:
    async with (
        LocalDiscord(None, port=0) as discord,
        PageUser(discord.address, "Ada") as ada,
        PageUser(discord.address, "Grace") as grace,
    ):
        environment = build_environment(DISCORD_TOKEN=discord.token, BONEYARD_DATABASE_URL=url)
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, *(program or ("-m", "bot")), "run", "--local", discord.url), env=environment, stdin=PIPE
        )
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await discord.gateway.connected.wait()
            place = discord.world.welcome_channel
            await ada.wait_for_answer(place, await ada.use_command(place, "tiles", "new", seats=2))
            lobby = await ada.wait_for_message(place, lambda one: "Join" in list_button_labels(one))
            await grace.click(lobby, label="Join")
            await ada.wait_for_message(place, lambda one: one["mentions"])
            yield RunningBot(discord, bot, url, place, ada, grace)
        finally:
            if bot.returncode is None:
                bot.kill()
                await bot.wait()


async def _play_by_typing(running_bot: RunningBot, before: Callable[[], None] = lambda: None) -> tuple[PageUser, str]:
    call = await running_bot.fetch_call()
    mover = running_bot.ada if call["mentions"][0]["id"] == running_bot.ada.id else running_bot.grace
    tile = (await mover.fetch_choices(running_bot.channel_id, "tiles", "play", focused="tile", tile=""))[0]["value"]
    places = await mover.fetch_choices(running_bot.channel_id, "tiles", "play", focused="place", tile=tile, place="")
    before()
    return mover, await mover.use_command(running_bot.channel_id, "tiles", "play", tile=tile, place=places[0]["value"])


def is_thinking(message: dict[str, Any]) -> bool:
    return bool(message["flags"] & LOADING)


async def test_move_in_progress_is_completed_and_shown_before_exit(stage: RunningBot) -> None:
    stage.discord.faults.delay("/callback", 0.5)
    stage.discord.faults.delay("POST /api/v10/channels", 1.0)
    before = await stage.fetch_call()
    mover, interaction = await _play_by_typing(stage)
    assert await stage.stop() == 0
    assert re.search("^You (played|opened with) ", await stage.read_answer(mover, interaction))
    assert before["id"] not in {one["id"] for one in await stage.fetch_messages()}, (
        "nobody is called to a turn that is over"
    )
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
async def test_click_during_shutdown_asks_player_to_retry(stage: RunningBot) -> None:
    stage.discord.faults.delay("PATCH /api/v10/webhooks", 2.0)
    board = await stage.fetch_board()
    slow_interaction = await stage.start_click(board)
    ending = asyncio.create_task(stage.stop())
    await asyncio.sleep(0.3)
    late_interaction = await stage.grace.click(board, label="Text board")
    assert await stage.read_answer(stage.grace, late_interaction) == en("admission.closing")
    assert await ending == 0
    assert await stage.read_answer(stage.ada, slow_interaction)


@pytest.mark.deep
async def test_bot_stops_in_time_although_discord_hangs(stage: RunningBot) -> None:
    stage.discord.faults.delay("PATCH /api/v10/webhooks", 2 * TIMEOUT_SECONDS)
    await stage.start_click(await stage.fetch_board())
    assert await stage.stop() == 0


def test_limits_of_shutdown_steps_fit_documented_time() -> None:
    assert 0 < DATABASE_TIMEOUT < DRAIN_TIMEOUT
    assert DRAIN_TIMEOUT + CLOSE_TIMEOUT < EXIT_TIMEOUT < MAX_STOP_SECONDS


async def test_hanging_shutdown_step_is_abandoned_after_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "DRAIN_TIMEOUT", 0.05)
    client, limits = Mock(drain=asyncio.Event().wait), []
    client.services.store.set_deadline = limits.append
    async with asyncio.timeout(TIMEOUT_SECONDS):
        await drain_client(client, stopping=True)
    assert limits == [DATABASE_TIMEOUT], "the database has to answer while Discord is still connected"


UNSAVED = en("no.UNSAVED")


@pytest.mark.deep
async def test_bot_stops_in_time_with_locked_file_and_reports_loss(stage: RunningBot) -> None:
    with closing(sqlite3.connect(stage.url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        before = other.execute("SELECT seq FROM matches").fetchone()
        mover, interaction = await _play_by_typing(stage)
        await mover.wait_for_message(stage.channel_id, is_thinking)
        assert await stage.stop() == 0
        assert await stage.read_answer(mover, interaction) == UNSAVED
        other.execute("ROLLBACK")
        assert other.execute("SELECT seq FROM matches").fetchone() == before, "nor is it done afterwards"


@pytest.mark.deep
@NEEDS_POSTGRES
async def test_bot_stops_in_time_with_hanging_server_and_reports_loss() -> None:
    async with open_new_database() as direct, open_proxy(direct) as (proxy, url), run_bot(url) as running_bot:
        board = await running_bot.fetch_board()
        proxy.hang()
        interaction = await running_bot.start_click(board)
        assert await running_bot.stop() == 0
        assert await running_bot.read_answer(running_bot.ada, interaction) == UNSAVED
        proxy.resume()


HANGING_BOT = """
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
    async with run_bot(url, "-c", HANGING_BOT) as running_bot:
        mover, interaction = await _play_by_typing(running_bot, before=(tmp_path / "now").touch)
        await mover.wait_for_message(running_bot.channel_id, is_thinking)
        assert await running_bot.stop() == 0
        assert await running_bot.read_answer(mover, interaction) == UNSAVED


async def test_events_after_shutdown_are_ignored() -> None:
    client = Boneyard()
    async with client:
        pass
    client.dispatch("ready")
    assert [task for task in asyncio.all_tasks() if "discord" in task.get_name()] == []
