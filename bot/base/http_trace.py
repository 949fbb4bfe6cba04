"""Counts every answer of Discord for `/metrics`, below discord.py.

discord.py waits out a 429 by itself and says so in a line of the log; how many there were, and whose limit it was,
is seen here alone.
"""

import re
import time
from types import SimpleNamespace
from typing import Any, Final

import aiohttp

from bot.base.metrics import INVALID, LAST_POST, RATE_LIMITED, REQUESTS

_POST: Final = re.compile(r"/channels/\d+/messages(/\d+)?$")
_ANSWER: Final = re.compile(r"/(interactions|webhooks)/\d+/")

INVALID_STATUSES: Final = (401, 403, 429)
"""What Discord counts towards banning an address."""


def counted() -> aiohttp.TraceConfig:
    """Return a trace for discord.py's session (`http_trace`) that counts every answer."""

    async def ended(_: Any, __: SimpleNamespace, given: aiohttp.TraceRequestEndParams) -> None:
        status, headers = given.response.status, given.response.headers
        if status == 101:  # the gateway, which is no request
            return
        what = _purpose(given.url.path)
        REQUESTS.labels(what, str(status)).inc()
        # No limit is named where a 429 comes from the wall in front of Discord.
        scope = headers.get("X-RateLimit-Scope", "global" if "X-RateLimit-Global" in headers else "none")
        if status == 429:
            RATE_LIMITED.labels(scope).inc()
        if status in INVALID_STATUSES and not (status == 429 and scope == "shared"):
            INVALID.inc()
        if what == "post" and given.method in ("POST", "PATCH") and status == 200:
            LAST_POST.set(time.time())

    async def broke(_: Any, __: SimpleNamespace, given: aiohttp.TraceRequestExceptionParams) -> None:
        REQUESTS.labels(_purpose(given.url.path), "lost").inc()

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(ended)
    trace.on_request_exception.append(broke)
    return trace


def _purpose(path: str) -> str:
    """`post` for messages in channels, `answer` for those to interactions, else `other`."""
    return "post" if _POST.search(path) else "answer" if _ANSWER.search(path) else "other"
