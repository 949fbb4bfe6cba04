"""Malformed requests are refused without damage; a repeated request is executed once."""

import asyncio
import logging
import uuid
from typing import Any

import aiohttp
import pytest
from typer.testing import CliRunner
from yarl import URL

from bot.__main__ import app
from bot.playground import page_access
from bot.playground.server import LocalDiscord
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot

MANY_DIGITS = "1" * 5000


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/local/dismiss", '{"as":"%(me)s","message_id":"' + MANY_DIGITS + '"}'),
        (
            "/local/components",
            '{"as":"%(me)s","channel_id":"%(place)s","message_id":"' + MANY_DIGITS + '","component_type":2}',
        ),
        (
            "/local/commands",
            '{"as":"%(me)s","channel_id":"%(place)s","command":"act","options":{"many":' + "9" * 400 + "}}",
        ),
        ("/local/commands", "[" * 100_000),
    ],
    ids=["a number without end", "another one", "a number too large", "lists in lists"],
)
async def test_invalid_request_is_refused_without_logged_error(
    local: LocalDiscord,
    ada: PageUser,
    raw_bot: RawBot,
    tiles: str,
    path: str,
    body: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await raw_bot.register({"name": "many", "description": "How many", "type": 10})
    sent = body.replace("%(me)s", ada.id).replace("%(place)s", tiles)
    origin = {"Origin": local.url, page_access.KEY: local.world.page_key}
    async with aiohttp.ClientSession() as page, page.post(local.url + path, data=sent, headers=origin) as answer:
        assert (answer.status, next(iter(await answer.json()))) == (400, "message")
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_impossible_port_is_refused_in_one_line(port: str) -> None:
    result = CliRunner().invoke(app, ["play", "--no-browser", "--port", port])
    assert result.exit_code == 2
    assert "Invalid value for '--port'" in result.output


@pytest.mark.parametrize("name", ["%00", "a" * 3000])
async def test_impossible_file_name_is_refused(local: LocalDiscord, name: str) -> None:
    async with aiohttp.ClientSession() as page, page.get(f"{local.url}/page/{name}") as answer:
        assert answer.status == 400


async def test_invalid_wait_time_for_answer_is_handled(
    local: LocalDiscord, raw_bot: RawBot, ada: PageUser, tiles: str
) -> None:
    await raw_bot.register()
    interaction_id = await ada.use_command(tiles, "act")
    address = f"{local.url}/local/interactions/{interaction_id}?as={ada.id}&wait="
    async with aiohttp.ClientSession(headers={page_access.KEY: local.world.page_key}) as page:
        for wait, status in [("nan", 400), ("soon", 400), ("-inf", 200)]:
            async with page.get(address + wait) as answer:
                assert answer.status == status


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ('{"op":2,"d":[]}', 4002),
        ('{"op":2,"d":"x"}', 4002),
        ('{"op":2,"d":{"token":"TOKEN","shard":[0]}}', 4002),
        ('{"op":2,"d":{"token":"TOKEN","shard":[0,0]}}', 4010),
        ('{"op":2,"d":{"token":"TOKEN","shard":[2,2]}}', 4010),
        ('{"op":2,"d":{"token":"TOKEN","intents":"all"}}', 4002),
        ('{"op":2,"d":{"token":"wrong"}}', 4004),
        ('{"op":6,"d":{"token":"wrong","session_id":"x","seq":1}}', 4004),
        ("[" * 60_000, 4002),
    ],
)
async def test_invalid_gateway_frame_closes_connection(
    local: LocalDiscord, raw_bot: RawBot, frame: str, code: int
) -> None:
    async with raw_bot.web.ws_connect(local.url + "/gateway") as socket:
        assert (await socket.receive_json())["op"] == 10
        await socket.send_str(frame.replace("TOKEN", local.token))
        message = await socket.receive(timeout=300)
    assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, code)
    assert not local.gateway.is_online


async def test_session_can_be_resumed_after_invalid_resume(local: LocalDiscord, raw_bot: RawBot) -> None:
    first = await raw_bot.connect()
    session_id = (await first.receive_json())["d"]["session_id"]
    await first.close()
    data = {"token": local.token, "session_id": session_id}
    async with raw_bot.web.ws_connect(local.url + "/gateway") as lost:
        await lost.send_json({"op": 6, "d": data | {"seq": "a"}})
        assert (await lost.receive_json())["op"] == 10
        assert (await lost.receive(timeout=300)).data == 4002
    async with raw_bot.web.ws_connect(local.url + "/gateway") as found:
        await found.send_json({"op": 6, "d": data | {"seq": 2}})
        assert (await found.receive_json())["op"] == 10
        assert (await found.receive_json())["t"] == "RESUMED"


async def post_person(local: LocalDiscord, idempotency_key: str, name: str) -> tuple[int, Any]:
    address = URL(local.address)
    headers = {
        "Origin": local.url,
        page_access.KEY: address.query["key"],
        page_access.IDEMPOTENCY_HEADER: idempotency_key,
    }
    async with (
        aiohttp.ClientSession(local.url, headers=headers) as page,
        page.post("/local/people", json={"name": name}) as answer,
    ):
        return answer.status, await answer.json()


async def test_repeated_request_is_executed_once_with_same_answer(local: LocalDiscord) -> None:
    key = uuid.uuid4().hex
    first, *again = await asyncio.gather(*(post_person(local, key, "Zoë") for _ in range(3)))
    assert first == (201, first[1])
    assert again == [first, first]
    status, body = await post_person(local, uuid.uuid4().hex, "Zoë")
    assert (status, list(body)) == (400, ["message"]), "another request of the same words is another request"


async def test_repeated_invalid_request_gets_same_refusal(local: LocalDiscord) -> None:
    key = uuid.uuid4().hex
    assert await post_person(local, key, "") == await post_person(local, key, "")


async def test_oldest_stored_answers_are_dropped(local: LocalDiscord) -> None:
    key = uuid.uuid4().hex
    assert (await post_person(local, key, "Zoë"))[0] == 201
    for _ in range(page_access.MAX_RESPONSES):
        await post_person(local, uuid.uuid4().hex, "")
    assert (await post_person(local, key, "Zoë"))[0] == 400, "the name is taken by now"
