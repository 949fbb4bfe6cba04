"""Only the page itself, in a browser on this machine, may talk to the local Discord."""

import json

import aiohttp
import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.playground import page_access
from bot.playground.launch import redirect_clients
from bot.playground.server import LocalDiscord
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot, build_form
from tests.wording import en


async def send_request(local: LocalDiscord, method: str, path: str, **headers: str) -> tuple[int, str]:
    headers |= {page_access.KEY: local.world.page_key}
    body = None if method == "GET" else {}
    async with (
        aiohttp.ClientSession(headers=headers) as web,
        web.request(method, local.url + path, json=body) as answer,
    ):
        return answer.status, await answer.text()


@pytest.mark.parametrize("path", ["/", "/local/state", "/local/events", "/page/app.js", "/api/v10/gateway", "/gateway"])
async def test_foreign_host_name_is_refused_everywhere(local: LocalDiscord, path: str) -> None:
    status, text = await send_request(local, "GET", path, Host=f"evil.example:{local.port}")
    assert (status, f"http://127.0.0.1:{local.port}" in text) == (403, True)


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/local/state", {"Host": "127.0.0.1:{port}"}, 200),
        ("GET", "/local/state", {"Host": "localhost:{port}"}, 200),
        ("GET", "/local/state", {"Host": "[::1]:{port}"}, 200),
        ("GET", "/local/state", {"Host": "127.0.0.1:1"}, 403),
        ("GET", "/local/state", {"Origin": "https://evil.example"}, 403),
        ("GET", "/gateway", {"Origin": "https://evil.example"}, 403),
        ("POST", "/local/people", {}, 403),
        ("GET", "/local/state", {"Sec-Fetch-Site": "same-origin"}, 200),
        *(
            ("GET", path, {"Sec-Fetch-Site": site}, 403)
            for path in ("/", "/local/state", "/attachments/1/2/board.png")
            for site in ("cross-site", "same-site")
        ),
        *(
            ("GET", path, {}, 404)
            for path in ("/page/..%2Fserver.py", "/page/%2e%2e/server.py", "/page//etc/passwd", "/page/none.js")
        ),
    ],
)
async def test_request_is_answered_only_for_page_of_this_server(
    local: LocalDiscord, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    sent = {name: value.format(port=local.port) for name, value in headers.items()}
    assert (await send_request(local, method, path, **sent))[0] == status


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost:{port}"])
async def test_foreign_origin_may_not_play(local: LocalDiscord, origin: str) -> None:
    status, text = await send_request(local, "POST", "/local/people", Origin=origin.format(port=local.port))
    assert (status, json.loads(text)) == (403, {"message": en("page.refused_foreign")})
    assert len(local.world.users) == 3


async def test_page_is_sent_with_strict_policy(local: LocalDiscord) -> None:
    async with aiohttp.ClientSession() as web, web.get(local.address) as answer:
        assert answer.status == 200
        policy = answer.headers["Content-Security-Policy"].split("; ")
    assert policy == ["default-src 'self'", "img-src 'self' data:", "frame-ancestors 'none'"]


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
def test_discord_py_is_redirected_only_to_this_machine(address: str) -> None:
    before = Route.BASE
    with pytest.raises(ValueError, match="this machine"):
        redirect_clients(address)
    assert before == Route.BASE == "https://discord.com/api/v10"


def test_redirection_can_be_undone() -> None:
    undo = redirect_clients("http://127.0.0.1:8710")
    assert Route.BASE == "http://127.0.0.1:8710/api/v10"
    assert str(DiscordWebSocket.DEFAULT_GATEWAY) == "ws://127.0.0.1:8710/gateway"
    undo()
    assert Route.BASE == "https://discord.com/api/v10"
    assert str(DiscordWebSocket.DEFAULT_GATEWAY) == "wss://gateway.discord.gg/"
