"""Trouble on purpose: what tests ask this Discord to do wrong."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil
from random import Random

from aiohttp import web

from bot.playground.session import Session
from bot.playground.shapes import encode

UNCOUNTED = re.compile(r"^/api/v\d+/(interactions|webhooks)/")
"""Paths that Discord's limit on all requests of a bot leaves out."""


@dataclass(slots=True)
class _Rule:
    part: str
    left: int
    status: int = 0
    code: int = 0
    retry_after: float | None = None
    seconds: float = 0.0
    everywhere: bool = False


@dataclass(slots=True)
class _Loss:
    part: str
    chance: float
    rng: Random
    status: int | None
    left: int | None


@dataclass(slots=True)
class Faults:
    """Faults of the bot's side of the server; `part` is a piece of `"METHOD /path"`, for instance
    `"POST /api/v10/channels"` or `"/callback"`."""

    _statuses: list[_Rule] = field(default_factory=list)
    _delays: list[_Rule] = field(default_factory=list)
    _loss: _Loss | None = None
    _twice: int = 0
    _limited_until: float = 0.0
    lost: int = 0
    """How many answers were lost so far."""
    limited: int = 0
    """How many requests met the limit on all of them."""

    def next_status(
        self,
        part: str,
        status: int,
        times: int = 1,
        *,
        code: int = 0,
        retry_after: float | None = None,
        everywhere: bool = False,
    ) -> None:
        """Answer the next `times` matching requests with this status and error code, without doing what they ask.

        429 tells the bot to come back after `retry_after` seconds (default 1); `everywhere` says that this counts for
        all its requests, though here only the matching ones are refused.
        """
        self._statuses.append(_Rule(part, times, status, code, retry_after, everywhere=everywhere))

    def limit_everything(self, seconds: float) -> None:
        """For so many seconds from now, answer all requests with a global 429 that names what is left of them.

        Answers to interactions pass: Discord does not count them.
        """
        self._limited_until = asyncio.get_running_loop().time() + seconds

    def delay(self, part: str, seconds: float, times: int = 1) -> None:
        """Let the next `times` matching requests wait before they are looked at."""
        self._delays.append(_Rule(part, times, seconds=seconds))

    def lose_answers(
        self,
        probability: float,
        rng: Random,
        *,
        part: str = "POST /api/v10/channels",
        status: int | None = None,
        times: int | None = None,
    ) -> None:
        """Do what matching requests ask, but lose the answer: the connection breaks, or `status` comes instead
        (discord.py tries again after 502). At most `times` times; `probability` 0 ends it."""
        self._loss = _Loss(part, probability, rng, status, times)

    def deliver_twice(self, times: int = 1) -> None:
        """Let the next `times` interactions reach the bot twice, as a gateway may do after a resume."""
        self._twice = times

    def deliveries(self) -> int:
        """How often the interaction that starts now reaches the bot."""
        if self._twice <= 0:
            return 1
        self._twice -= 1
        return 2

    def receivers(self, name: str, sessions: list[Session]) -> Iterable[tuple[Session, float]]:
        """Which of the connected sessions an event goes to, and how many seconds late. Here: all of them, at once."""
        return [(session, 0.0) for session in sessions]

    def clear(self) -> None:
        """No more trouble."""
        self._statuses.clear()
        self._delays.clear()
        self._loss = None
        self._twice = 0
        self._limited_until = 0.0

    async def before(self, request: web.Request) -> web.Response | None:
        """What to answer instead of doing it, if anything; waits first if a delay asks for it."""
        left = self._limited_until and self._limited_until - asyncio.get_running_loop().time()
        if left > 0 and not UNCOUNTED.search(request.path):
            self.limited += 1
            return rate_limited(left, everywhere=True)
        if not (self._statuses or self._delays):
            return None
        slow = _take(self._delays, request)
        if slow is not None:
            await asyncio.sleep(slow.seconds)
        rule = _take(self._statuses, request)
        if rule is None:
            return None
        if rule.status == 429:
            return rate_limited(1.0 if rule.retry_after is None else rule.retry_after, everywhere=rule.everywhere)
        body = {"message": f"{rule.status}: injected by a test", "code": rule.code}
        return web.Response(status=rule.status, body=encode(body), content_type="application/json")

    def after(self, request: web.Request, answer: web.StreamResponse) -> web.StreamResponse:
        """The answer the bot really gets."""
        loss = self._loss
        if loss is None or loss.left == 0 or loss.part not in _line(request) or loss.rng.random() >= loss.chance:
            return answer
        self.lost += 1
        if loss.left is not None:
            loss.left -= 1
        if loss.status is not None:
            body = {"message": f"{loss.status}: the answer was lost", "code": 0}
            return web.Response(status=loss.status, body=encode(body), content_type="application/json")
        if request.transport is not None:
            request.transport.abort()
        return answer


def rate_limited(seconds: float, *, everywhere: bool = False) -> web.Response:
    """A 429 that asks to come back after so many seconds; `everywhere` makes it the limit on all requests of a bot."""
    body = {"message": "You are being rate limited.", "retry_after": seconds, "global": everywhere}
    # Without a Via header discord.py takes a 429 for a ban and gives up.
    headers = {"Via": "1.1 local", "Retry-After": str(ceil(seconds) if everywhere else seconds)}
    headers |= {"X-RateLimit-Global": "true"} if everywhere else {}
    headers |= {"X-RateLimit-Scope": "global" if everywhere else "user"}
    return web.Response(status=429, body=encode(body), content_type="application/json", headers=headers)


def _line(request: web.Request) -> str:
    return f"{request.method} {request.path}"


def _take(rules: list[_Rule], request: web.Request) -> _Rule | None:
    """The first rule for this request, with one use less."""
    line = _line(request)
    for rule in rules:
        if rule.part in line:
            rule.left -= 1
            if rule.left <= 0:
                rules.remove(rule)
            return rule
    return None
