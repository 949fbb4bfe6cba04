"""The gateway: sessions, shards, resuming, and a bot that crashes and reconnects."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.playground.server import LocalDiscord
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot
from tests.playground.small_bot import SmallBot

DEFAULT_INTENTS = 1 << 0 | 1 << 9 | 1 << 12


async def receive_events(socket: aiohttp.ClientWebSocketResponse, count: int) -> list[dict[str, Any]]:
    async with asyncio.timeout(300):
        return [await socket.receive_json() for _ in range(count)]


async def test_session_begins_with_ready_and_server(raw_bot: RawBot, local: LocalDiscord) -> None:
    socket = await raw_bot.connect()
    ready, guild = await receive_events(socket, 2)
    assert (ready["t"], ready["s"], guild["t"], guild["s"]) == ("READY", 1, "GUILD_CREATE", 2)
    assert ready["d"]["resume_gateway_url"] == local.url.replace("http", "ws") + "/gateway"
    assert [one["name"] for one in guild["d"]["channels"]] == ["tiles", "games-night"]
    assert [one["user"]["username"] for one in guild["d"]["members"]] == ["Boneyard", "Ada", "Grace", "Linus"]


async def test_without_members_intent_bot_sees_only_itself(raw_bot: RawBot) -> None:
    socket = await raw_bot.connect(intents=DEFAULT_INTENTS)
    _, guild = await receive_events(socket, 2)
    assert [one["user"]["username"] for one in guild["d"]["members"]] == ["Boneyard"]


async def test_heartbeats_are_acknowledged(raw_bot: RawBot) -> None:
    socket = await raw_bot.connect()
    await receive_events(socket, 2)
    await socket.send_json({"op": 1, "d": 2})
    assert (await receive_events(socket, 1))[0]["op"] == 11


async def test_resume_sends_missed_events(raw_bot: RawBot, ada: PageUser, tiles: str, local: LocalDiscord) -> None:
    await raw_bot.register()
    first = await raw_bot.connect()
    ready, _ = await receive_events(first, 2)
    await first.close()
    while local.gateway.is_online:
        await ada.fetch_state()
    interaction_id = await ada.use_command(tiles, "act")
    second = await raw_bot.web.ws_connect(local.url + "/gateway")
    data = {"token": local.token, "session_id": ready["d"]["session_id"], "seq": 2}
    await second.send_json({"op": 6, "d": data})
    hello, missed, resumed = await receive_events(second, 3)
    assert (hello["op"], missed["t"], missed["s"], resumed["t"]) == (10, "INTERACTION_CREATE", 3, "RESUMED")
    assert missed["d"]["id"] == interaction_id
    assert (await raw_bot.respond(interaction_id, 4, content="in time"))[0] == 200


async def test_unknown_session_must_identify_again(raw_bot: RawBot, local: LocalDiscord) -> None:
    socket = await raw_bot.web.ws_connect(local.url + "/gateway")
    await socket.send_json({"op": 6, "d": {"token": local.token, "session_id": "gone", "seq": 1}})
    hello, invalid = await receive_events(socket, 2)
    assert (hello["op"], invalid) == (10, {"op": 9, "d": False})
    await socket.send_json({"op": 2, "d": {"token": local.token, "intents": 1}})
    assert (await receive_events(socket, 1))[0]["t"] == "READY"


async def test_events_follow_intents_and_exclude_ephemeral_messages(
    raw_bot: RawBot, ada: PageUser, tiles: str, local: LocalDiscord
) -> None:
    await raw_bot.register()
    socket = await raw_bot.connect(intents=DEFAULT_INTENTS)
    await receive_events(socket, 2)
    interaction_id = await ada.use_command(tiles, "act")
    await raw_bot.respond(interaction_id, 4, content="secret", flags=64)
    _, shown = await raw_bot.request("POST", raw_bot.build_webhook_path(interaction_id), {"content": "for all"})
    await raw_bot.request("PATCH", f"/channels/{tiles}/messages/{shown['id']}", {"content": "changed"})
    local.world.add_user("Zoë")
    await raw_bot.request("POST", f"/channels/{tiles}/messages/{shown['id']}/threads", {"name": "t"})
    await raw_bot.request("DELETE", f"/channels/{tiles}/messages/{shown['id']}")
    events = await receive_events(socket, 6)
    assert [one["t"] for one in events] == [
        "INTERACTION_CREATE",
        "MESSAGE_CREATE",
        "MESSAGE_UPDATE",
        "THREAD_CREATE",
        "MESSAGE_UPDATE",
        "MESSAGE_DELETE",
    ]
    interaction = events[0]["d"]
    assert interaction["member"]["user"]["username"] == "Ada"
    assert (interaction["context"], interaction["locale"], interaction["entitlements"]) == (0, "en-US", [])
    assert interaction["channel"]["id"] == tiles
    assert int(interaction["app_permissions"]) & 1 << 11
    assert events[1]["d"]["content"] == "for all"


async def test_each_shard_receives_only_its_guilds(raw_bot: RawBot, local: LocalDiscord) -> None:
    for number in range(7):
        local.world.add_guild(f"Server {number}")
    shards = [await raw_bot.connect(shard=[number, 2]) for number in range(2)]
    found = []
    for shard in shards:
        (ready,) = await receive_events(shard, 1)
        found.append({one["id"] for one in ready["d"]["guilds"]})
    assert found[0] | found[1] == set(local.world.guilds)
    assert [all((int(one) >> 22) % 2 == number for one in mine) for number, mine in enumerate(found)] == [True, True]


async def test_page_gets_event_when_bot_connects_and_disconnects(raw_bot: RawBot, ada: PageUser) -> None:
    await ada.listen()
    socket = await raw_bot.connect()
    await ada.wait_for_event(lambda one: one == {"type": "bot_status", "data": {"online": True}})
    assert (await ada.fetch_state())["bot_online"] is True
    await socket.close()
    await ada.wait_for_event(lambda one: one == {"type": "bot_status", "data": {"online": False}})


@pytest.mark.parametrize("trouble", ["reconnect", "invalid", "cut", "forget"])
async def test_discord_py_reconnects_after_gateway_faults(
    trouble: str, local: LocalDiscord, small_bot: SmallBot, ada: PageUser, tiles: str
) -> None:
    board = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "board"))
    await ada.listen()
    match trouble:
        case "reconnect":
            local.gateway.ask_to_reconnect()
        case "invalid":
            local.gateway.invalidate_sessions()
        case "cut":
            await local.gateway.drop_connections()
        case "forget":
            await local.gateway.drop_connections(forget=True)
    async with asyncio.timeout(300):
        await ada.wait_for_event(lambda one: one == {"type": "bot_status", "data": {"online": False}})
        await local.gateway.connected.wait()
    after = await ada.wait_for_answer(tiles, await ada.click(board, label="Count 0"))
    assert after["attachments"][0]["filename"] == "board1.png"


@pytest.mark.deep
async def test_buttons_work_after_killed_bot_restarts(local: LocalDiscord, ada: PageUser, tiles: str) -> None:
    async def start_bot() -> asyncio.subprocess.Process:
        root = Path(__file__).parents[2]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.playground.small_bot", local.url, local.token, cwd=root
        )
        async with asyncio.timeout(300):
            await local.gateway.connected.wait()
        return process

    first = await start_bot()
    board = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "board"))
    await ada.listen()
    first.kill()
    await first.wait()
    await ada.wait_for_event(lambda one: one == {"type": "bot_status", "data": {"online": False}})
    local.interactions.answer_within = 0.05
    assert (await ada.fetch_outcome(await ada.click(board, label="Count 0")))["state"] == "failed"
    local.interactions.answer_within = 3.0
    second = await start_bot()
    after = await ada.wait_for_answer(tiles, await ada.click(board, label="Count 0"))
    assert after["attachments"][0]["filename"] == "board1.png"
    second.kill()
    await second.wait()
