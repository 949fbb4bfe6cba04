"""A bot without discord.py, for requests that a correct library never sends."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp

from bot.playground.feed import ALL_INTENTS, PRIVILEGED
from bot.playground.interactions import Interaction
from bot.playground.rest import API
from bot.playground.server import LocalDiscord


def build_form(payload: dict[str, Any], *files: bytes, filename: str = "f.txt") -> aiohttp.FormData:
    """Return the body of a request with files."""
    form = aiohttp.FormData()
    form.add_field("payload_json", json.dumps(payload))
    for number, data in enumerate(files):
        form.add_field(f"files[{number}]", BytesIO(data), filename=filename)
    return form


class RawBot:
    """Speaks REST and the gateway with the bot's token."""

    def __init__(self, local: LocalDiscord, web: aiohttp.ClientSession) -> None:
        self.local = local
        self.web = web

    async def request(self, method: str, path: str, body: Any = None, **extra: Any) -> tuple[int, Any]:
        """Send a request below /api/v10; return the status and the JSON."""
        headers = {"Authorization": f"Bot {self.local.token}"} | extra.pop("headers", {})
        if body is not None:
            extra["json"] = body
        async with self.web.request(method, self.local.url + API + path, headers=headers, **extra) as answer:
            raw = await answer.read()
            return answer.status, json.loads(raw) if raw else None

    async def request_error(self, method: str, path: str, body: Any = None, **extra: Any) -> tuple[int, int]:
        """Send a request that must be refused; return the status and Discord's error code."""
        status, answer = await self.request(method, path, body, **extra)
        return status, answer["code"]

    async def send(self, channel_id: str, **payload: Any) -> dict[str, Any]:
        status, message = await self.request("POST", f"/channels/{channel_id}/messages", payload)
        assert status == 200, message
        return message  # type: ignore[no-any-return]

    async def register(self, *options: dict[str, Any]) -> None:
        command = {"name": "act", "description": "Acts", "options": list(options)}
        status, answer = await self.request("PUT", f"/applications/{self.bot_id}/commands", [command])
        assert status == 200, answer

    async def respond(self, interaction_id: str, kind: int, **data: Any) -> tuple[int, Any]:
        one = self.find_interaction(interaction_id)
        path = f"/interactions/{one.id}/{one.token}/callback?with_response=1"
        return await self.request("POST", path, {"type": kind, "data": data})

    def find_interaction(self, interaction_id: str) -> Interaction:
        found = self.local.interactions.find(interaction_id)
        assert found is not None
        return found

    def build_webhook_path(self, interaction_id: str) -> str:
        """Return the path for requests with an interaction's token."""
        return f"/webhooks/{self.bot_id}/{self.find_interaction(interaction_id).token}"

    @property
    def bot_id(self) -> str:
        return str(self.local.world.bot["id"])

    async def connect(self, **identify: Any) -> aiohttp.ClientWebSocketResponse:
        socket = await self.web.ws_connect(self.local.url + "/gateway")
        assert (await socket.receive_json())["op"] == 10
        await socket.send_json({"op": 2, "d": {"token": self.local.token, "intents": ALL_INTENTS} | identify})
        return socket


@asynccontextmanager
async def open_raw_bot(file: Path | None = None, **options: Any) -> AsyncIterator[RawBot]:
    """Open a raw bot at a new local Discord with these options."""
    async with LocalDiscord(file, port=0, **options) as local, aiohttp.ClientSession() as web:
        local.gateway.privileged = PRIVILEGED
        yield RawBot(local, web)
