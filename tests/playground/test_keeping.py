"""The world survives restarts of its server, and ports and files belong to one server at a time."""

import asyncio
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.playground import page_access
from bot.playground.server import LocalDiscord
from bot.playground.world_storage import WorldStorageError
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot, build_form, open_raw_bot

LAYOUT = 1 << 15


def build_picture_form(payload: dict[str, Any]) -> aiohttp.FormData:
    return build_form(payload, b"bytes of a picture", filename="board.png")


async def test_people_talk_pictures_threads_and_commands_survive(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "world.sqlite"
    gallery = {"type": 12, "items": [{"media": {"url": "attachment://board.png"}}]}
    async with open_raw_bot(file) as raw_bot:
        before, tiles = raw_bot.local, raw_bot.local.world.welcome_channel
        before.world.add_user("Zoë")
        await raw_bot.register()
        form = build_picture_form({"flags": LAYOUT, "components": [gallery]})
        _, board = await raw_bot.request("POST", f"/channels/{tiles}/messages", data=form)
        await raw_bot.request("POST", f"/channels/{tiles}/messages/{board['id']}/threads", {"name": "Table 1"})
        gone = await raw_bot.send(tiles, content="gone")
        await raw_bot.request("DELETE", f"/channels/{tiles}/messages/{gone['id']}")
        async with PageUser(before.address, "Ada") as ada:
            interaction_id = await ada.use_command(tiles, "act")
            await raw_bot.respond(interaction_id, 4, content="secret", flags=64)
            await raw_bot.respond(await ada.use_command(tiles, "act"), 5)
            old_state = await ada.fetch_state()
            old_bot = before.world.bot["id"]
    async with open_raw_bot(file) as raw_bot, PageUser(raw_bot.local.address, "Ada") as ada:
        after = raw_bot.local
        state = await ada.fetch_state()
        assert state | {"bot_online": False} == old_state | {"channels": state["channels"], "bot_online": False}
        assert [(one["id"], one["name"]) for one in state["channels"]] == [
            (one["id"], one["name"]) for one in old_state["channels"]
        ]
        (kept,) = await ada.fetch_messages(tiles)
        assert kept["id"] == board["id"]
        assert kept["thread"]["name"] == "Table 1"
        headers = {page_access.KEY: after.world.page_key}
        url = after.url + kept["components"][0]["items"][0]["media"]["url"]
        async with raw_bot.web.get(url, headers=headers) as answer:
            assert await answer.read() == b"bytes of a picture"
        assert after.world.bot["id"] == old_bot
        fresh = await raw_bot.send(tiles, content="fresh")
        assert int(fresh["id"]) > int(interaction_id)


async def test_ids_keep_rising_after_clock_was_set_back(tmp_path: Path) -> None:
    file = tmp_path / "world.sqlite"
    async with LocalDiscord(file, port=0, now=lambda: 1_900_000_000.0) as before:
        newest = int(before.world.add_user("Zoë")["id"])
    async with LocalDiscord(file, port=0, now=lambda: 1_800_000_000.0) as after:
        assert int(after.world.ids.generate()) > newest


@pytest.mark.deep
async def test_killed_server_loses_at_most_last_moments(tmp_path: Path) -> None:
    file = tmp_path / "world.sqlite"
    program = (
        "import asyncio, sys, pathlib\n"
        "from bot.playground.server import LocalDiscord\n"
        "async def main():\n"
        "    discord = LocalDiscord(pathlib.Path(sys.argv[1]), port=0)\n"
        "    await discord.start()\n"
        "    discord.world.add_user('Zoë')\n"
        "    await asyncio.sleep(0.2)\n"
        "    print('stored', flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(file), stdout=asyncio.subprocess.PIPE
    )
    assert await process.stdout.readline() == b"stored\n"
    with pytest.raises(WorldStorageError, match="another playground has"):
        LocalDiscord(file, port=0)
    process.send_signal(signal.SIGKILL)
    await process.wait()
    async with LocalDiscord(file, port=0) as after:
        assert [who["username"] for who in after.world.users.values()] == ["Ada", "Grace", "Linus", "Zoë"]


async def test_next_free_port_is_used_when_port_is_taken(local: LocalDiscord) -> None:
    async with LocalDiscord(None, port=local.port) as second:
        assert second.port_was_taken
        assert second.port > local.port
        assert second.url == f"http://127.0.0.1:{second.port}"
        async with aiohttp.ClientSession() as web, web.get(second.address) as answer:
            assert answer.status == 200
    assert not local.port_was_taken


async def test_only_loopback_interface_is_bound(local: LocalDiscord) -> None:
    assert local.addresses == [("127.0.0.1", local.port)]


async def test_stopping_ends_open_pages_and_bots(local: LocalDiscord, raw_bot: RawBot, ada: PageUser) -> None:
    await ada.listen()
    socket = await raw_bot.connect()
    async with asyncio.timeout(300):
        await local.stop()
        while not socket.closed:
            await socket.receive()
    with pytest.raises(aiohttp.ClientConnectionError):
        await ada.fetch_state()


async def test_replaced_pictures_are_dropped_from_file(tmp_path: Path) -> None:
    file = tmp_path / "world.sqlite"
    async with open_raw_bot(file) as raw_bot:
        tiles = raw_bot.local.world.welcome_channel
        _, board = await raw_bot.request("POST", f"/channels/{tiles}/messages", data=build_picture_form({}))
        path = f"/channels/{tiles}/messages/{board['id']}"
        await raw_bot.request("PATCH", path, data=build_picture_form({"attachments": [{"id": 0}]}))
    async with LocalDiscord(file, port=0):
        pass
    with sqlite3.connect(file) as base:
        assert base.execute("SELECT count(*) FROM attachments").fetchone() == (1,)
    base.close()


def test_file_that_is_no_database_is_refused_with_message(tmp_path: Path) -> None:
    file = tmp_path / "world.sqlite"
    file.write_text("a letter to grandmother, not a database" * 50)
    with pytest.raises(WorldStorageError, match="cannot be used"):
        LocalDiscord(file)


async def test_start_without_free_port_raises_os_error() -> None:
    async with LocalDiscord(None, port=65535) as taken:
        assert taken.port == 65535
        with pytest.raises(OSError, match="no free port"):
            await LocalDiscord(None, port=65535).start()
