"""A bot that stops responding once in its life and has to detect it."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from discord.http import Route

from bot.core.discord_errors import DiscordHTTPClient

AFTER: Final = 3  # Number of requests about a channel before the fault


def shut_gate() -> None:
    """Leave the global rate limit lock closed, as a cancelled wait does."""

    def struck(requests: DiscordHTTPClient) -> None:
        requests._global_over.clear()

    _strike(struck)


def dead_session() -> None:
    """Let requests of this client hang forever. Other clients are not affected."""

    def struck(requests: DiscordHTTPClient) -> None:
        async def hangs(*_: object, **__: object) -> None:
            await asyncio.Event().wait()

        requests.request = hangs  # type: ignore[method-assign, assignment]

    _strike(struck)


def _strike(struck: Callable[[DiscordHTTPClient], None]) -> None:
    really, done = DiscordHTTPClient.request, count(1)

    async def request(self: DiscordHTTPClient, route: Route, **given: Any) -> Any:
        found = await really(self, route, **given)
        if route.channel_id is not None and next(done) == AFTER:
            struck(self)
        return found

    DiscordHTTPClient.request = request  # type: ignore[method-assign, assignment]


WEDGES: Final[dict[str, Callable[[], None]]] = {wedge.__name__: wedge for wedge in (shut_gate, dead_session)}
