"""What nobody thought of: a bot falls silent once in its life, and has to notice that by itself."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from discord.http import Route

from bot.core.discord_errors import Requests

AFTER: Final = 3  # So many requests that have to do with a channel are carried out before that


def shut_gate() -> None:
    """The gate for all requests stays shut, as a wait that was cancelled leaves it."""

    def struck(requests: Requests) -> None:
        requests._global_over.clear()

    _strike(struck)


def dead_session() -> None:
    """No request of this client ever ends any more. Another client's do."""

    def struck(requests: Requests) -> None:
        async def hangs(*_: object, **__: object) -> None:
            await asyncio.Event().wait()

        requests.request = hangs  # type: ignore[method-assign, assignment]

    _strike(struck)


def _strike(struck: Callable[[Requests], None]) -> None:
    really, done = Requests.request, count(1)

    async def request(self: Requests, route: Route, **given: Any) -> Any:
        found = await really(self, route, **given)
        if route.channel_id is not None and next(done) == AFTER:
            struck(self)
        return found

    Requests.request = request  # type: ignore[method-assign, assignment]


WEDGES: Final[dict[str, Callable[[], None]]] = {wedge.__name__: wedge for wedge in (shut_gate, dead_session)}
