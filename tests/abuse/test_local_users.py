"""An attacker is another user of the machine that runs the playground or the bot.

The attacker reaches every local port and every readable file, and wants to see a hand or act as a player.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot.operating.doctor import open_store
from bot.playground import page_access
from bot.playground.components import walk
from bot.playground.launch import open_redirect_file
from bot.playground.server import LocalDiscord
from tests.abuse.host_machine import read_mode, run_playground, wait_until_online
from tests.data.store.empty import prepare_database
from tests.data.store.scene import ADA, GRACE, add_finished_match, build_result
from tests.e2e.playground import Playground
from tests.playground.page_user import PageUser

HANDS = re.compile(r"\b[0-5]-[0-5]-[0-5]\b")


@pytest.fixture
async def playground(tmp_path: Path) -> AsyncIterator[Playground]:
    async with Playground(tmp_path / "data") as playground:
        yield playground


async def test_requests_without_key_cannot_read_or_act(playground: Playground) -> None:
    async with PageUser(playground.address, "Ada") as ada, PageUser(playground.address, "Grace") as grace:
        await wait_until_online(ada)
        tiles = await ada.fetch_channel_id("tiles")
        used = await ada.use_command(tiles, "tiles", "new", seats=2)
        lobby = await ada.wait_for_answer(tiles, used)
        await grace.wait_for_answer(tiles, await grace.use_command(tiles, "tiles", "join"))
        hand = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "tiles", "hand"))
        (picture,) = [one["url"] for one in hand["attachments"]]
        before = await _read_everything(ada, grace)
        assert HANDS.search(before), "there is a hand to be read"

        reads = [
            "/local/state", f"/local/state?as={ada.id}", f"/local/channels/{tiles}/messages?as={ada.id}",
            f"/local/interactions/{used}?as={ada.id}", f"/local/events?as={ada.id}", picture,
        ]  # fmt: skip
        acts = {
            "/local/people": {"name": "Mallory"},
            "/local/commands": {"as": ada.id, "channel_id": tiles, "command": "tiles", "path": ["match", "resign"]},
            "/local/components": {
                "as": ada.id,
                "channel_id": tiles,
                "message_id": lobby["id"],
                "component_type": 2,
                "custom_id": next((one["custom_id"] for one in walk(lobby["components"]) if "custom_id" in one), ""),
            },
            "/local/dismiss": {"as": ada.id, "message_id": hand["id"]},
        }
        key = playground.address.partition("key=")[2]
        origin = {"Origin": playground.url, "Sec-Fetch-Site": "same-origin"}
        async with aiohttp.ClientSession(playground.url, headers=origin) as attacker:
            for wrong in ("", "x", key[:-1], key[::-1], f"{key}x", "\u00fc"):
                for headers, query in (({page_access.KEY: wrong}, {}), ({}, {"key": wrong}), ({}, {})):
                    for path in reads:
                        if headers and not wrong.isascii():
                            continue  # HTTP headers cannot contain it
                        async with attacker.get(path, headers=headers, params=query) as answer:
                            text = await answer.text()
                        assert (answer.status, "boneyard play" in text) == (403, True), path
                        assert not HANDS.search(text)
                    for path, body in acts.items():
                        if headers and not wrong.isascii():
                            continue
                        async with attacker.post(path, json=body, headers=headers, params=query) as answer:
                            assert answer.status == 403, path
            async with attacker.get("/", headers={"Cookie": f"key={key}"}) as answer:
                text = await answer.text()
            assert (answer.status, answer.content_type) == (403, "text/html")
            assert "boneyard play" in text
        assert await _read_everything(ada, grace) == before
        async with aiohttp.ClientSession() as owner, owner.get(playground.address) as answer:
            assert (answer.status, answer.headers["Referrer-Policy"]) == (200, "no-referrer")


async def test_key_is_not_in_process_list_or_readable_files(playground: Playground) -> None:
    key = playground.address.partition("key=")[2]
    for process in (playground.process.pid, playground.bot):
        assert key.encode() not in Path(f"/proc/{process}/cmdline").read_bytes()  # noqa: ASYNC240
    assert [file for file in playground.data.rglob("*") if read_mode(file) & 0o077] == []
    with open_redirect_file(playground.data, playground.address) as leading:
        file = Path(leading.removeprefix("file://"))
        assert playground.address in file.read_text(encoding="utf-8")  # noqa: ASYNC240
        assert (read_mode(file), key in leading) == (0o600, False)
    assert file not in set(playground.data.rglob("*"))


async def test_browser_is_opened_without_key_in_arguments(tmp_path: Path) -> None:
    browser, log = tmp_path / "browser", tmp_path / "told"
    browser.write_text(f'#!/bin/sh\necho "$@" >> {log}\ncat "${{1#file://}}" >> {log}\n')
    browser.chmod(0o700)
    arguments = ("--data", str(tmp_path / "data"))
    async with run_playground(tmp_path, *arguments, BROWSER=str(browser), DISPLAY=":99") as lines:
        while not log.exists() or log.read_text().count("\n") < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    opened, redirect = log.read_text().splitlines()
    address = lines[-1].split()[-1]
    assert opened == f"file://{tmp_path}/data/open.html"
    assert f'url={address}"' in redirect
    assert not (tmp_path / "data" / "open.html").exists()


async def test_open_page_reconnects_until_key_changes(tmp_path: Path) -> None:
    file = tmp_path / "discord.db"
    async with LocalDiscord(file, port=0) as first:
        key = first.world.page_key
    async with LocalDiscord(file, port=0) as again:
        assert again.world.page_key == key
    async with LocalDiscord(file, port=0, new_key=True) as changed:
        assert changed.world.page_key != key
        async with aiohttp.ClientSession() as tab, tab.get(f"{changed.url}/?key={key}") as answer:
            assert answer.status == 403
    async with LocalDiscord(tmp_path / "other.db", port=0) as other:
        assert len({other.world.page_key, other.token, key}) == 3
        assert len(other.world.page_key) == 43


async def test_bot_process_gets_message_files_but_no_page_key(tmp_path: Path) -> None:
    async with LocalDiscord(None, port=0) as local, aiohttp.ClientSession() as bot:
        headers = {"Authorization": f"Bot {local.token}"}
        form = aiohttp.FormData()
        form.add_field("payload_json", '{"content": "x"}')
        form.add_field("files[0]", b"bytes", filename="it's a file.txt")
        path = f"{local.url}/api/v10/channels/{local.world.welcome_channel}/messages"
        async with bot.post(path, data=form, headers=headers) as answer:
            text = await answer.text()
            address = (await answer.json())["attachments"][0]["url"]
        assert local.world.page_key not in text
        async with bot.get(address) as answer:
            assert await answer.read() == b"bytes"
        for wrong in (address.partition("?")[0], address.replace("?key=", "?key=x")):
            async with bot.get(wrong) as answer:
                assert answer.status == 403
        query = address.partition("?")[2]
        async with bot.get(f"{local.url}/local/state?{query}") as answer:
            assert answer.status == 403, "what opens a file does not open the page"


async def _read_everything(*people: PageUser) -> str:
    states = []
    for person in people:
        state = await person.fetch_state()
        messages = [await person.fetch_messages(one["id"], 100) for one in state["channels"]]
        states.append((state["people"], [(one["id"], one["name"]) for one in state["channels"]], messages))
    return repr(states)


async def test_playground_never_opens_configured_database(tmp_path: Path) -> None:
    configured = tmp_path / "precious.db"
    async with open_store(await prepare_database(f"sqlite:///{configured}")) as store:
        await add_finished_match(store, build_result((ADA, 3), (GRACE, 2)), now=1)
    before = configured.read_bytes()
    home = tmp_path / "home"
    home.mkdir()
    arguments = ("--no-browser", "--data", str(tmp_path / "data"))
    configuration = {"BONEYARD_DATABASE_URL": f"sqlite:///{configured}"}
    async with run_playground(home, *arguments, last_line="The bot runs", **configuration) as lines:
        (address,) = [line.split()[-1] for line in lines if line.startswith("Boneyard is open at ")]
        async with PageUser(address, "Ada") as ada:
            await wait_until_online(ada)
    assert configured.read_bytes() == before
    assert not configured.with_name("precious.db-wal").exists()
    own = tmp_path / "data" / "boneyard.db"
    assert own.exists()
    (unused,) = [line for line in lines if "BONEYARD_DATABASE_URL" in line]
    assert unused.endswith(f" {own}.")
