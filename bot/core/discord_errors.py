"""What Discord's errors mean for a post: retry soon, or wait until the channel is open again."""

import asyncio
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Final

import aiohttp
import discord
from discord.http import HTTPClient, Route

from bot.core.metrics import INVALID_REQUESTS, LAST_POST, RATE_LIMITED, REQUESTS

UNKNOWN_CHANNEL: Final = 10003
UNKNOWN_MESSAGE: Final = 10008
DEPARTED_CODES: Final = (10007, 10013)  # Unknown Member: not on this server; Unknown User: the account is deleted
THREAD_ARCHIVED: Final = 50083
DMS_TOO_FAST: Final = 40003  # direct messages are opened too fast; not the user's fault

CLOSED_CHANNEL_CODES: Final = frozenset(
    {
        UNKNOWN_CHANNEL,
        50001,  # Missing Access: the bot does not see the channel
        50013,  # Missing Permissions in the channel
        160005,  # the thread is locked
    }
)

MAX_REJECTIONS: Final = 3  # attempts for a post that Discord rejects for its contents (50035 and the like)
# How a request can fail. The last three leave its outcome unknown.
REQUEST_ERRORS: Final = (discord.HTTPException, aiohttp.ClientError, asyncio.TimeoutError, OSError)
MAX_WAIT: Final = 3600  # seconds between two attempts at most
MAX_OUTAGE_WAIT: Final = 60  # the same during an outage of Discord


def is_session_closed(error: BaseException) -> bool:
    """Return whether the bot has closed its session. aiohttp has no error class for it."""
    return type(error) is RuntimeError and "closed" in str(error)


def is_channel_error(error: Exception) -> bool:
    """Return whether a retry needs a change on the server first."""
    return isinstance(error, discord.HTTPException) and error.code in CLOSED_CHANNEL_CODES


def is_content_rejected(error: Exception, attempts: int) -> bool:
    """Return whether Discord rejects the contents of a post permanently, after so many attempts."""
    return (
        isinstance(error, discord.HTTPException)
        and attempts >= MAX_REJECTIONS
        and error.status in (400, 413)
        and error.code not in (*CLOSED_CHANNEL_CODES, THREAD_ARCHIVED)
    )


def is_transient(error: BaseException | None) -> bool:
    """Return whether the error is an outage or a rate limit, and says nothing about the request."""
    if isinstance(error, discord.HTTPException):
        return error.status >= 500 or error.status in (401, 429) or error.code == DMS_TOO_FAST
    return isinstance(error, REQUEST_ERRORS)


def compute_retry_delay(error: Exception | None, attempts: int, *, first: int = 5, longest: int | None = None) -> int:
    """Return the ms until the next attempt: Discord's value, else exponential backoff in seconds."""
    if longest is None:
        longest = MAX_OUTAGE_WAIT if is_transient(error) else MAX_WAIT
    seconds = float(min(longest, first * 2 ** min(max(attempts, 0), 10)))
    if isinstance(error, discord.RateLimited):
        seconds = max(seconds, error.retry_after)
    if isinstance(error, discord.HTTPException):
        with suppress(AttributeError, ValueError):  # no headers, or a date
            seconds = max(seconds, float(error.response.headers.get("Retry-After", 0)))
    return int(seconds * 1000)


def is_wait_over(began: int, until: int, now: int) -> bool:
    """Return whether a wait (epoch ms) has ended. A start in the future comes from a clock that was set back."""
    return not began <= now < until


def compute_post_delay(error: Exception, attempts: int) -> int:
    """Return the same for a post. A post to a closed channel is due as soon as the channel is open."""
    return 0 if is_channel_error(error) else compute_retry_delay(error, attempts)


def format_error_code(error: BaseException) -> str:
    """Return Discord's codes or the class of an error for the log. Its text may quote what was sent."""
    if isinstance(error, discord.HTTPException):
        return f"{error.status}/{error.code}"
    return type(error).__name__


RESPONSE_TIMEOUT: Final = 15.0  # Seconds for a whole response. After that the outcome is unknown.
INTERACTION_PATHS: Final = (
    "/interactions/",
    "/webhooks/",
)  # parts of paths with separate rate limits: answers to users
TOO_MANY_REQUESTS: Final = 429
_REQUEST_GUARD: ContextVar[Callable[[], bool] | None] = ContextVar("while", default=None)


class LeaseLost(Exception):  # noqa: N818 - nothing went wrong
    """The caller lost its lease before the request was sent."""


@contextmanager
def guard_requests(is_allowed: Callable[[], bool]) -> Iterator[None]:
    """Raise LeaseLost instead of starting a request, which may wait minutes for a rate limit, once `is_allowed` is
    false.
    """
    token = _REQUEST_GUARD.set(is_allowed)
    try:
        yield
    finally:
        _REQUEST_GUARD.reset(token)


class DiscordHTTPClient(HTTPClient):
    """discord.py's HTTP client, with a timeout and the time that Discord asks to wait."""

    def __init__(self, loop: asyncio.AbstractEventLoop, trace: aiohttp.TraceConfig | None = None) -> None:
        trace = trace or aiohttp.TraceConfig()
        trace.on_request_start.append(_check_guard)
        trace.on_request_end.append(self._note_rate_limit)
        super().__init__(loop, http_trace=trace)
        self.limited_until = 0.0  # loop time

    async def request(self, route: Route, **options: Any) -> Any:
        """Send a request. Raises TimeoutError without a response, and discord.py's errors."""
        options.setdefault("timeout", aiohttp.ClientTimeout(total=RESPONSE_TIMEOUT))
        return await super().request(route, **options)

    async def _note_rate_limit(
        self, session: aiohttp.ClientSession, context: SimpleNamespace, ended: aiohttp.TraceRequestEndParams
    ) -> None:
        if ended.response.status == TOO_MANY_REQUESTS and not any(part in ended.url.path for part in INTERACTION_PATHS):
            wait = _parse_seconds(ended.response.headers.get("Retry-After"))
            self.limited_until = max(self.limited_until, asyncio.get_running_loop().time() + wait)


async def _check_guard(
    session: aiohttp.ClientSession, context: SimpleNamespace, began: aiohttp.TraceRequestStartParams
) -> None:
    is_allowed = _REQUEST_GUARD.get()
    if is_allowed is not None and not is_allowed():
        raise LeaseLost(f"{began.method} {began.url.path}")


def _parse_seconds(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0


_MESSAGE_PATH: Final = re.compile(r"/channels/\d+/messages(/\d+)?$")
_INTERACTION_PATH: Final = re.compile(r"/(interactions|webhooks)/\d+/")
INVALID_STATUSES: Final = (401, 403, 429)  # statuses that Discord counts towards a ban of the address


def build_counting_trace() -> aiohttp.TraceConfig:
    """Return a trace for discord.py's session (`http_trace`) that counts every response."""

    async def count_response(_: Any, __: SimpleNamespace, params: aiohttp.TraceRequestEndParams) -> None:
        status, headers = params.response.status, params.response.headers
        if status == 101:  # the gateway, which is no request
            return
        purpose = _classify_path(params.url.path)
        REQUESTS.labels(purpose, str(status)).inc()
        # Cloudflare's 429 names no scope.
        scope = headers.get("X-RateLimit-Scope", "global" if "X-RateLimit-Global" in headers else "none")
        if status == 429:
            RATE_LIMITED.labels(scope).inc()
        if status in INVALID_STATUSES and not (status == 429 and scope == "shared"):
            INVALID_REQUESTS.inc()
        if purpose == "post" and params.method in ("POST", "PATCH") and status == 200:
            LAST_POST.set(time.time())

    async def count_lost_request(_: Any, __: SimpleNamespace, given: aiohttp.TraceRequestExceptionParams) -> None:
        REQUESTS.labels(_classify_path(given.url.path), "lost").inc()

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(count_response)
    trace.on_request_exception.append(count_lost_request)
    return trace


def _classify_path(path: str) -> str:
    return "post" if _MESSAGE_PATH.search(path) else "answer" if _INTERACTION_PATH.search(path) else "other"
