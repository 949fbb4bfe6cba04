"""Every answer of Discord as it comes, before discord.py makes anything of it: for counting, and for the smoke test.

discord.py waits out a 429 by itself and says so in a line of the log; how many there were, and whose limit it was,
is seen here alone.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

import aiohttp

from bot.base.metrics import INVALID, LAST_POST, RATE_LIMITED, REQUESTS

_POST: Final = re.compile(r"/channels/\d+/messages(/\d+)?$")
_ANSWER: Final = re.compile(r"/(interactions|webhooks)/\d+/")
_IDS: Final = re.compile(r"(?<=/webhooks/)[^/]+/[^/]+|(?<=/interactions/)[^/]+/[^/]+|(?<=/)\d{3,}(?=/|$)")
"""Numbers in a path, and the token of an interaction with its number."""

INVALID_STATUSES: Final = (401, 403, 429)
"""What Discord counts towards banning an address."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request, and how it ended. The route has neither ids nor tokens in it."""

    method: str
    route: str
    what: str
    """`post` for messages in channels, `answer` for those to interactions, else `other`."""
    status: int | None
    """None where no answer came."""
    headers: Mapping[str, str]

    @property
    def scope(self) -> str:
        """Whose limit a 429 was; `none` where no limit was named, as in front of Discord."""
        return self.headers.get("X-RateLimit-Scope", "global" if "X-RateLimit-Global" in self.headers else "none")

    @property
    def is_invalid(self) -> bool:
        """Whether Discord counts it towards banning this address."""
        return self.status in INVALID_STATUSES and not (self.status == 429 and self.scope == "shared")


def traced(*listeners: Callable[[Exchange], None]) -> aiohttp.TraceConfig:
    """A trace for discord.py's session (`http_trace`) that tells these of every answer."""

    def tell(method: str, path: str, status: int | None, headers: Mapping[str, str]) -> None:
        if status == 101:  # the gateway, which is no request
            return
        what = "post" if _POST.search(path) else "answer" if _ANSWER.search(path) else "other"
        answer = Exchange(method, _IDS.sub("…", path), what, status, headers)
        for listener in listeners:
            listener(answer)

    async def ended(_: Any, __: SimpleNamespace, given: aiohttp.TraceRequestEndParams) -> None:
        tell(given.method, given.url.path, given.response.status, given.response.headers)

    async def broke(_: Any, __: SimpleNamespace, given: aiohttp.TraceRequestExceptionParams) -> None:
        tell(given.method, given.url.path, None, {})

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(ended)
    trace.on_request_exception.append(broke)
    return trace


def count(answer: Exchange) -> None:
    """Count an answer for `/metrics`."""
    REQUESTS.labels(answer.what, "lost" if answer.status is None else str(answer.status)).inc()
    if answer.status == 429:
        RATE_LIMITED.labels(answer.scope).inc()
    if answer.is_invalid:
        INVALID.inc()
    if answer.what == "post" and answer.method in ("POST", "PATCH") and answer.status == 200:
        LAST_POST.set(time.time())
