"""Only the page itself, in a browser on this machine, may talk to the local Discord."""

import json

import aiohttp
import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.playground import page_access
from bot.playground.launch import redirect_clients
from bot.playground.person import PageUser
from bot.playground.server import LocalDiscord
from tests.playground.raw_bot import RawBot, build_form
from tests.wording import en


async def send_request(local: LocalDiscord, method: str, path: str, **headers: str) -> tuple[int, str]:
    request_headers = {page_access.KEY: local.world.page_key} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    async with (
        aiohttp.ClientSession() as web,
        web.request(method, local.url + path, headers=request_headers, json=None if method == "GET" else {}) as answer,
    ):
        return answer.status, await answer.text()


@pytest.mark.parametrize("path", ["/", "/local/state", "/local/events", "/page/app.js", "/api/v10/gateway", "/gateway"])
async def test_foreign_host_name_is_refused_everywhere(local: LocalDiscord, path: str) -> None:
    status, text = await send_request(local, "GET", path, Host=f"evil.example:{local.port}")
    assert (status, f"http://127.0.0.1:{local.port}" in text) == (403, True)


async def test_right_name_with_another_port_is_refused(local: LocalDiscord) -> None:
    assert (await send_request(local, "GET", "/local/state", Host=f"127.0.0.1:{local.port + 1}"))[0] == 403


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
async def test_names_of_this_machine_are_welcome(local: LocalDiscord, name: str) -> None:
    assert (await send_request(local, "GET", "/local/state", Host=f"{name}:{local.port}"))[0] == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost:{port}"])
async def test_foreign_origin_may_not_play(local: LocalDiscord, origin: str) -> None:
    status, text = await send_request(local, "POST", "/local/people", Origin=origin.format(port=local.port))
    assert (status, json.loads(text)) == (403, {"message": en("page.refused_foreign")})
    assert len(local.world.users) == 3


async def test_change_without_origin_is_refused(local: LocalDiscord) -> None:
    assert (await send_request(local, "POST", "/local/people"))[0] == 403


async def test_foreign_origin_may_not_read_or_open_gateway(local: LocalDiscord) -> None:
    for path in ("/local/state", "/gateway"):
        assert (await send_request(local, "GET", path, Origin="https://evil.example"))[0] == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_picture_tag_on_another_page_gets_nothing(local: LocalDiscord, site: str) -> None:
    for path in ("/", "/local/state", "/attachments/1/2/board.png"):
        assert (await send_request(local, "GET", path, Sec_Fetch_Site=site))[0] == 403
    assert (await send_request(local, "GET", "/local/state", Sec_Fetch_Site="same-origin"))[0] == 200


async def test_page_is_sent_with_strict_policy(local: LocalDiscord) -> None:
    async with aiohttp.ClientSession() as web, web.get(local.address) as answer:
        assert answer.status == 200
        policy = answer.headers["Content-Security-Policy"].split("; ")
    assert policy == ["default-src 'self'", "img-src 'self' data:", "frame-ancestors 'none'"]


async def test_no_file_outside_pages_folder_is_sent(local: LocalDiscord) -> None:
    for path in ("/page/..%2Fserver.py", "/page/%2e%2e/server.py", "/page//etc/passwd", "/page/none.js"):
        assert (await send_request(local, "GET", path))[0] == 404


async def test_bot_needs_token(raw_bot: RawBot) -> None:
    wrong = {"Authorization": "Bot wrong"}
    assert await raw_bot.request_error("GET", "/users/@me", headers=wrong) == (401, 0)
    assert await raw_bot.request_error("GET", "/users/@me", headers={"Authorization": "Bot \u00fc"}) == (401, 0)
    assert (await raw_bot.request("GET", "/users/@me"))[1]["username"] == "Boneyard"


async def test_answers_to_bot_are_plain_application_json(raw_bot: RawBot) -> None:
    headers = {"Authorization": f"Bot {raw_bot.local.token}"}
    async with raw_bot.web.get(raw_bot.local.url + "/api/v10/users/@me", headers=headers) as answer:
        assert answer.headers["Content-Type"] == "application/json"


async def test_address_of_ephemeral_picture_cannot_be_guessed(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    await raw_bot.register()
    interaction_id = await ada.use_command(tiles, "act")
    answer = {"type": 4, "data": {"flags": 64, "attachments": [{"id": 0, "description": "d"}]}}
    form = build_form(answer, b"secret", filename="hand \u00fc.txt")
    one = raw_bot.find_interaction(interaction_id)
    assert (await raw_bot.request("POST", f"/interactions/{one.id}/{one.token}/callback", data=form))[0] == 204
    (attachment,) = (await ada.wait_for_answer(tiles, interaction_id))["attachments"]
    assert (attachment["description"], attachment["size"]) == ("d", 6)
    assert abs(int(attachment["id"]) - int(interaction_id)) > 1 << 50
    headers = {page_access.KEY: raw_bot.local.world.page_key}
    async with raw_bot.web.get(raw_bot.local.url + attachment["url"], headers=headers) as answer:
        assert await answer.read() == b"secret"
        assert answer.headers["Content-Disposition"] == "attachment"
        assert "immutable" in answer.headers["Cache-Control"]
    neighbour = attachment["url"].replace(attachment["id"], str(int(attachment["id"]) + 1))
    assert (await send_request(raw_bot.local, "GET", neighbour))[0] == 404


@pytest.mark.parametrize(
    "address",
    ["https://discord.com", "http://example.org:8710", "https://127.0.0.1:8710", "http://127.0.0.1.evil.example",
     "http://127.0.0.1@evil.example", "http://0.0.0.0:8710"],
)  # fmt: skip
def test_discord_py_is_never_pointed_at_stranger(address: str) -> None:
    before = Route.BASE
    with pytest.raises(ValueError, match="this machine"):
        redirect_clients(address)
    assert before == Route.BASE == "https://discord.com/api/v10"


def test_pointing_can_be_undone() -> None:
    undo = redirect_clients("http://127.0.0.1:8710")
    assert Route.BASE == "http://127.0.0.1:8710/api/v10"
    assert str(DiscordWebSocket.DEFAULT_GATEWAY) == "ws://127.0.0.1:8710/gateway"
    undo()
    assert Route.BASE == "https://discord.com/api/v10"
    assert str(DiscordWebSocket.DEFAULT_GATEWAY) == "wss://gateway.discord.gg/"
