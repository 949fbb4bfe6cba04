"""What Discord's refusals mean for a post: try again soon, or wait until somebody lets the bot in again."""

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

from bot.core.metrics import INVALID, LAST_POST, RATE_LIMITED, REQUESTS

UNKNOWN_CHANNEL: Final = 10003
UNKNOWN_MESSAGE: Final = 10008
THREAD_ARCHIVED: Final = 50083
TOO_MANY_DOORS: Final = 40003
"""Direct messages are opened too fast: it says nothing about the person."""

CLOSED: Final = frozenset(
    {
        UNKNOWN_CHANNEL,
        50001,  # Missing Access: the bot does not see the channel
        50013,  # Missing Permissions: it may not do this there
        160005,  # the thread is locked
    }
)
"""Discord's codes for a channel that stays as it is until somebody changes it."""

REFUSALS: Final = 3
"""A post that Discord refuses for what it is (50035 and the like) is attempted so often, in case Discord errs."""

FAILURES: Final = (discord.HTTPException, aiohttp.ClientError, asyncio.TimeoutError, OSError)
"""How a request to Discord can fail. Whether it was carried out is not known after the last three."""

LONGEST: Final = 3600
"""Seconds between two attempts at most."""

PASSES: Final = 60
"""The same while Discord is ill or out of reach: when it is back, nobody waits long for what is due."""


def is_hung_up(error: BaseException) -> bool:
    """Whether the bot has closed its session meanwhile: it ends, or connects anew. aiohttp has no kind for it."""
    return type(error) is RuntimeError and "closed" in str(error)


def is_closed(error: Exception) -> bool:
    """Whether asking again is no use before somebody has changed something."""
    return isinstance(error, discord.HTTPException) and error.code in CLOSED


def is_refused(error: Exception, attempts: int) -> bool:
    """Whether Discord will never take a post, after so many attempts: for what it is, not for where it goes."""
    return (
        isinstance(error, discord.HTTPException)
        and attempts >= REFUSALS
        and error.status in (400, 413)
        and error.code not in (*CLOSED, THREAD_ARCHIVED)
    )


def is_passing(error: BaseException | None) -> bool:
    """Whether it says nothing about what was asked: Discord is ill, far away, busy, or lets nobody in just now."""
    if isinstance(error, discord.HTTPException):
        return error.status >= 500 or error.status in (401, 429) or error.code == TOO_MANY_DOORS
    return isinstance(error, FAILURES)


def wait_after(error: Exception | None, attempts: int, *, first: int = 5, longest: int | None = None) -> int:
    """Milliseconds to wait before the next attempt, after so many in vain. Discord's own wish comes first; without one
    it is `first` seconds to begin with, and never more than `longest`.
    """
    if longest is None:
        longest = PASSES if is_passing(error) else LONGEST
    seconds = float(min(longest, first * 2 ** min(max(attempts, 0), 10)))
    if isinstance(error, discord.RateLimited):
        seconds = max(seconds, error.retry_after)
    if isinstance(error, discord.HTTPException):
        with suppress(AttributeError, ValueError):  # an answer without headers, or a wish that is a date
            seconds = max(seconds, float(error.response.headers.get("Retry-After", 0)))
    return int(seconds * 1000)


def is_over(began: int, until: int, now: int) -> bool:
    """Whether a wait (epoch ms) has ended. One that is yet to begin was noted before the clock was set back."""
    return not began <= now < until


def put_off_after(error: Exception, attempts: int) -> int:
    """The same for a post. One that waits for a closed channel is due as soon as that is open again."""
    return 0 if is_closed(error) else wait_after(error, attempts)


def code_of(error: BaseException) -> str:
    """A failure for the log: Discord's numbers, or what broke. Never its text, which may quote what was sent."""
    if isinstance(error, discord.HTTPException):
        return f"{error.status}/{error.code}"
    return type(error).__name__


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
