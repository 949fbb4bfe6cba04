"""Requests to Discord, each with a time for its answer. What discord.py waits for by itself is not cut short.

discord.py shuts a gate for all requests while it waits out a limit on all of them, and whoever is cancelled in that
wait leaves it shut: no board is shown any more, and nobody is called, until the next start. So a request is limited
where it waits for Discord to answer, and nowhere else.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Final

import aiohttp
from discord.http import HTTPClient, Route

ANSWER: Final = 15.0
"""Seconds that Discord has to answer a request, from the connection to the last byte. After that nobody knows whether
it was carried out.
"""

ASIDE: Final = ("/interactions/", "/webhooks/")
"""Parts of paths that have limits of their own: answers to people."""

TOO_MANY: Final = 429

_WHILE: ContextVar[Callable[[], bool] | None] = ContextVar("while", default=None)


class TooLate(Exception):  # noqa: N818 - nothing went wrong
    """What was to be asked of Discord has become somebody else's while it waited. It was not sent."""


@contextmanager
def only_while(holds: Callable[[], bool]) -> Iterator[None]:
    """No request of this begins when this does not hold any more; it raises TooLate instead.

    discord.py may wait for minutes before a request. Here it ends without being cancelled in that wait.
    """
    before = _WHILE.set(holds)
    try:
        yield
    finally:
        _WHILE.reset(before)


class Requests(HTTPClient):
    """discord.py's requests, and what Discord asked of them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, trace: aiohttp.TraceConfig | None = None) -> None:
        trace = trace or aiohttp.TraceConfig()
        trace.on_request_start.append(_begin)
        trace.on_request_end.append(self._note)
        super().__init__(loop, http_trace=trace)
        self.quiet_until = 0.0
        """Until when Discord asked for silence (the loop's time), as far as it did."""

    async def request(self, route: Route, **given: Any) -> Any:
        """Ask something of Discord; raises TimeoutError where no answer comes, besides what discord.py raises."""
        given.setdefault("timeout", aiohttp.ClientTimeout(total=ANSWER))
        return await super().request(route, **given)

    async def _note(
        self, session: aiohttp.ClientSession, context: SimpleNamespace, ended: aiohttp.TraceRequestEndParams
    ) -> None:
        if ended.response.status == TOO_MANY and not any(part in ended.url.path for part in ASIDE):
            wait = _seconds(ended.response.headers.get("Retry-After"))
            self.quiet_until = max(self.quiet_until, asyncio.get_running_loop().time() + wait)


async def _begin(
    session: aiohttp.ClientSession, context: SimpleNamespace, began: aiohttp.TraceRequestStartParams
) -> None:
    holds = _WHILE.get()
    if holds is not None and not holds():
        raise TooLate(f"{began.method} {began.url.path}")


def _seconds(text: str | None) -> float:
    """A wish to be left alone for so long; 0 for none, and for one that is a date."""
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
