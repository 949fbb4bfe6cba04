"""A bot that stops responding once in its life and has to detect it."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from discord.http import Route

from bot.core.discord_errors import DiscordHTTPClient

REQUESTS_BEFORE_HANG: Final = 3  # Number of requests about a channel before the fault


def shut_gate() -> None:
    """Leave the global rate limit lock closed, as a cancelled wait does."""

    def clear_gate(requests: DiscordHTTPClient) -> None:
        requests._global_over.clear()

    _hang_once(clear_gate)


def dead_session() -> None:
    """Let requests of this client hang forever. Other clients are not affected."""

    def hang_client(requests: DiscordHTTPClient) -> None:
        async def wait_forever(*_: object, **__: object) -> None:
            await asyncio.Event().wait()

        requests.request = wait_forever  # type: ignore[method-assign, assignment]

    _hang_once(hang_client)


def _hang_once(hang: Callable[[DiscordHTTPClient], None]) -> None:
    original, done = DiscordHTTPClient.request, count(1)

    async def request(self: DiscordHTTPClient, route: Route, **given: Any) -> Any:
        found = await original(self, route, **given)
        if route.channel_id is not None and next(done) == REQUESTS_BEFORE_HANG:
            hang(self)
        return found

    DiscordHTTPClient.request = request  # type: ignore[method-assign, assignment]


HANGS: Final[dict[str, Callable[[], None]]] = {wedge.__name__: wedge for wedge in (shut_gate, dead_session)}
