"""Discord inside this process: its HTTP answered from memory, its gateway by calls. Everything else is the real bot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from types import MappingProxyType
from typing import Any, Final

import discord
from discord.http import Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from bot.operating.client import Boneyard

APPLICATION: Final = 7
PERMISSIONS: Final = str((1 << 53) - 1)
NAMES: Final = ("Ada", "Grace", "Linus", "Margaret", "Ken", "Barbara")
"""What people are called, by their ids."""
SERVERS: Final = 1_000_000
"""Every channel is on a server of its own, whose id is so much higher."""


class StandIn(AsyncWebhookAdapter):
    """What the bot takes for Discord."""

    def __init__(self, client: Boneyard) -> None:
        super().__init__()
        self.client = client
        self.files = 0
        """Pictures that were uploaded."""
        self.bytes = 0
        """Their size."""
        self._ids = count(10_000)
        self._messages: dict[int, dict[str, Any]] = {}
        state = client._connection
        state.application_id = APPLICATION
        state.user = discord.ClientUser(state=state, data=_user(APPLICATION, "Boneyard"))
        state._guilds = {}
        client.http.request = self._rest  # type: ignore[method-assign]

    @contextmanager
    def here(self) -> Iterator[None]:
        """What happens inside has this for Discord's webhooks too."""
        before = async_context.set(self)
        try:
            yield
        finally:
            async_context.reset(before)

    def typed(self, user: int, channel: int, *words: str, **options: object) -> int:
        """Somebody types a slash command, as the gateway tells it; the id of the interaction."""
        given: list[dict[str, Any]] = [{"name": name, "type": 3, "value": value} for name, value in options.items()]
        for word in reversed(words[1:]):
            given = [{"name": word, "type": 1, "options": given}]
        data = {"id": "1", "name": words[0], "type": 1, "options": given}
        return self._interaction(2, user, channel, data)

    async def quiet(self) -> None:
        """Wait until the bot has done all that follows."""
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(tasks)

    def _interaction(self, kind: int, user: int, channel: int, data: Mapping[str, Any]) -> int:
        number, state = next(self._ids), self.client._connection
        if SERVERS + channel not in state._guilds:
            server: Any = {"id": str(SERVERS + channel), "channels": [_channel(channel)]}
            state._add_guild_from_data(server)
        payload: Any = {
            "id": str(number),
            "application_id": str(APPLICATION),
            "type": kind,
            "data": data,
            "guild_id": str(SERVERS + channel),
            "guild": {"id": str(SERVERS + channel), "locale": "en-US", "features": []},
            "channel": _channel(channel),
            "channel_id": str(channel),
            "member": _member(user),
            "token": f"token-{number}",
            "version": 1,
            "app_permissions": PERMISSIONS,
            "locale": "en-US",
            "guild_locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {},
            "context": 0,
            "attachment_size_limit": 10_485_760,
        }
        self.client._connection.parse_interaction_create(payload)
        return number

    async def _rest(
        self, route: Route, *, files: Sequence[discord.File] | None = None, form: Any = None, **given: Any
    ) -> Any:
        """What the bot asks of its own accord."""
        if "members" in route.path:
            return _member(int(route.url.rpartition("/")[2]))
        return self._answer(route, given.get("json"), form, files)

    async def request(  # type: ignore[override]
        self, route: Route, session: object, *, payload: Any = None, multipart: Any = None, files: Any = None, **_: Any
    ) -> Any:
        """What the bot answers an interaction with."""
        return self._answer(route, payload, multipart, files)

    def _answer(self, route: Route, payload: Any, form: Any, files: Sequence[discord.File] | None) -> Any:
        self.files += len(files or ())
        self.bytes += sum(len(file.fp.read()) for file in files or ())
        if route.path.endswith("/callback"):
            return {"interaction": {"id": "1", "type": 2}}
        last = route.url.rpartition("/")[2]
        if route.method == "DELETE":
            self._messages.pop(int(last), None)
            return None
        if form:
            # discord.py has written the message as JSON already; here it is read, as a server would.
            payload = json.loads(next(part["value"] for part in form if part["name"] == "payload_json"))
        return self._message(route, payload or {}, int(last) if last.isdigit() else next(self._ids))

    def _message(self, route: Route, payload: Mapping[str, Any], number: int) -> dict[str, Any]:
        """The message as Discord would tell it, with what was sent inside."""
        body = payload.get("data", payload)
        known = self._messages.setdefault(number, {**_MESSAGE, "id": str(number)})
        known["channel_id"] = str(route.channel_id or 20)
        known["components"] = _numbered(body.get("components") or [])
        known["nonce"] = body.get("nonce")
        return dict(known)


def _numbered(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Components as Discord gives them back: every one with an id, every picture with an address."""
    ids = count(1)

    def told(component: Any) -> Any:
        if isinstance(component, list):
            return [told(part) for part in component]
        if not isinstance(component, dict):
            return component
        found = {key: told(part) for key, part in component.items()}
        if "type" in found:
            found["id"] = next(ids)
        if "url" in found:
            found |= {"proxy_url": found["url"], "width": 1200, "height": 900, "content_type": "image/png"}
        return found

    return [told(component) for component in components]


def _user(number: int, name: str) -> Any:
    return {"id": str(number), "username": name.lower(), "discriminator": "0", "avatar": None, "global_name": name}


def _member(number: int) -> dict[str, Any]:
    return {
        "user": _user(number, NAMES[number % len(NAMES)]),
        "roles": [],
        "joined_at": "2026-01-01T00:00:00+00:00",
        "deaf": False,
        "mute": False,
        "flags": 0,
        "permissions": PERMISSIONS,
    }


def _channel(number: int) -> dict[str, Any]:
    return {"id": str(number), "type": 0, "name": "tiles", "position": 0, "permission_overwrites": [], "nsfw": False}


_MESSAGE: Final = MappingProxyType(
    {
        "type": 0,
        "content": "",
        "author": _user(APPLICATION, "Boneyard"),
        "timestamp": "2026-01-01T00:00:00+00:00",
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
        "flags": 32768,
    }
)
