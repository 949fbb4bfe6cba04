"""A user of the page in tests. Uses the same routes as the page."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Self

import aiohttp
import msgspec
import yarl

from bot.playground import components, page_access
from bot.playground.discord_limits import PageError
from bot.playground.payloads import Json

PATIENCE = 300.0  # seconds that a user waits for something to appear


class PageUser:
    """Acts as one user of the local Discord at `address`, which contains the key. A refusal raises `PageError`.

    Use it as `async with PageUser(address, "Ada") as ada:`. The user joins if the name is new. Actions return an
    interaction id, for which `wait_for_answer` returns the bot's message.
    """

    _session: aiohttp.ClientSession

    def __init__(self, address: str, name: str) -> None:
        page_url = yarl.URL(address)
        self.url, self._key = str(page_url.origin()), page_url.query.get("key", "")
        self.name = name
        self.id = ""
        self.events: list[Json] = []  # events of this user's tab since `listen`
        self._listener: asyncio.Task[None] | None = None
        self._event_received = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(self.url, headers={"Origin": self.url, page_access.KEY: self._key})
        people = (await self.get("/local/state"))["people"]
        own = next((one for one in people if one["username"] == self.name), None)
        self.id = (own or await self.post("/local/people", name=self.name))["id"]
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)
        await self._session.close()

    async def get(self, path: str, /, **query: str) -> Json:
        if self.id:
            query["as"] = self.id
        async with self._session.get(path, params=query) as response:
            return _parse_response(response.status, await response.read())

    async def post(self, path: str, /, **body: Any) -> Json:
        async with self._session.post(path, json=body | {"as": self.id}) as response:
            return _parse_response(response.status, await response.read())

    async def fetch_state(self) -> Json:
        """What the page shows around the messages: channels, users, commands."""
        return await self.get("/local/state")

    async def fetch_channel_id(self, name: str) -> str:
        for one in (await self.fetch_state())["channels"]:
            if one["name"] == name:
                return str(one["id"])
        raise PageError(f"There is no channel called {name}.", 404)

    async def fetch_messages(self, channel_id: str, limit: int = 50) -> list[Json]:
        """The last messages that this user sees in a channel, oldest first."""
        page = await self.get(f"/local/channels/{channel_id}/messages", limit=str(limit))
        return list(page["messages"])

    async def fetch_message(self, channel_id: str, message_id: str) -> Json:
        """One of the last messages in its current state."""
        for one in await self.fetch_messages(channel_id, 100):
            if one["id"] == message_id:
                return one
        raise PageError("This message is gone.", 404)

    async def use_command(self, channel_id: str, command: str, *path: str, **options: Any) -> str:
        """Use a slash command: `await ada.use_command(channel, "tiles", "new", game="triominoes")`."""
        body = {"channel_id": channel_id, "command": command, "path": list(path), "options": options}
        return str((await self.post("/local/commands", **body))["interaction_id"])

    async def fetch_choices(
        self, channel_id: str, command: str, *path: str, focused: str, **options: Any
    ) -> list[Json]:
        """The suggestions for the option `focused`, given the options so far."""
        body = {"channel_id": channel_id, "command": command, "path": list(path), "options": options}
        answer = await self.post("/local/autocomplete", **body, focused=focused)
        return list(answer["choices"])

    async def click(self, message: Json, *, label: str = "", custom_id: str = "") -> str:
        """Press the button with this label or custom id."""
        for one in components.walk(message["components"]):
            if one["type"] != components.BUTTON or "custom_id" not in one:
                continue
            if one["custom_id"] == custom_id or (label and one.get("label") == label):
                return await self._use(message, one["custom_id"], components.BUTTON, [])
        raise PageError(f"There is no button {label or custom_id}.")

    async def select(self, message: Json, values: list[str], *, custom_id: str = "") -> str:
        """Choose values (or user ids) in a menu: the first one unless its custom id is given."""
        for one in components.walk(message["components"]):
            if one["type"] in components.SELECTS and custom_id in ("", one["custom_id"]):
                return await self._use(message, one["custom_id"], one["type"], values)
        raise PageError("There is no such menu.")

    async def submit(self, form: Json, **fields: Any) -> str:
        """Send a form, the data of a `modal` event."""
        body = {"interaction_id": form["interaction_id"], "custom_id": form["custom_id"], "fields": fields}
        return str((await self.post("/local/modals", **body))["interaction_id"])

    async def dismiss(self, message: Json) -> None:
        await self.post("/local/dismiss", message_id=message["id"])

    async def _use(self, message: Json, custom_id: str, kind: int, values: list[str]) -> str:
        body = {"channel_id": message["channel_id"], "message_id": message["id"], "custom_id": custom_id}
        answer = await self.post("/local/components", **body, component_type=kind, values=values)
        return str(answer["interaction_id"])

    async def fetch_outcome(self, interaction_id: str, wait: float = 4.0) -> Json:
        """How the bot answered: `{"state": "answered" | "failed" | "waiting", "response", "message_id", "complete"}`.

        Until `complete` is true, the bot has only acknowledged.
        """
        return await self.get(f"/local/interactions/{interaction_id}", wait=str(wait))

    async def wait_for_answer(self, channel_id: str, interaction_id: str) -> Json:
        """The bot's complete answer, after any "thinking". Raises PageError if the bot did not answer."""
        async with asyncio.timeout(PATIENCE):
            while (outcome := await self.fetch_outcome(interaction_id))["state"] == "waiting":
                pass
        if outcome["state"] != "answered":
            raise PageError("The application did not respond")

        async def find_complete() -> Json | None:
            found = await self.fetch_outcome(interaction_id)
            return found if found["complete"] else None

        return await self.fetch_message(channel_id, (await self._poll(find_complete))["message_id"])

    async def wait_for_message(self, channel_id: str, predicate: Callable[[Json], object]) -> Json:
        """The newest matching message of the channel, as soon as there is one. Raises TimeoutError."""

        async def find_match() -> Json | None:
            return next((one for one in reversed(await self.fetch_messages(channel_id)) if predicate(one)), None)

        return await self._poll(find_match)

    async def wait_for_event(self, predicate: Callable[[Json], object]) -> Json:
        """The first matching live event since `listen`. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self._event_received.clear()
                for event in self.events:
                    if predicate(event):
                        return event
                await self._event_received.wait()

    async def _poll(self, find: Callable[[], Awaitable[Json | None]]) -> Json:
        pause = 0.01
        async with asyncio.timeout(PATIENCE):
            while (found := await find()) is None:
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, 0.2)
        return found

    async def listen(self) -> None:
        """Collect this user's live events in `events` until the user leaves."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._listener = asyncio.create_task(self._listen(ready))
        await ready

    async def _listen(self, ready: asyncio.Future[None]) -> None:
        timeout = aiohttp.ClientTimeout(total=None)
        async with self._session.get("/local/events", params={"as": self.id}, timeout=timeout) as response:
            async for line in response.content:
                if not ready.done():
                    ready.set_result(None)
                if line.startswith(b"data: "):
                    self.events.append(msgspec.json.decode(line[len(b"data: ") :]))
                    self._event_received.set()


def _parse_response(status: int, raw: bytes) -> Json:
    """The JSON body of a response. Raises PageError for an error status."""
    body = msgspec.json.decode(raw, type=Json)
    if status >= 400:
        raise PageError(body["message"], status)
    return body
