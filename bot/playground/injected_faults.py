"""Trouble on purpose: what tests ask this Discord to do wrong."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from aiohttp import web

from bot.playground.discord_limits import DOORS, NO_SERVER_IN_COMMON, OLD_EDITS, Scope, rate_limited, turned_away
from bot.playground.feed import Session
from bot.playground.payloads import encode

UNCOUNTED = re.compile(r"^/api/v\d+/(interactions|webhooks)/")
"""Paths that Discord's limit on all requests of a bot leaves out."""


TROUBLES: Final[Mapping[str, Callable[[float], web.Response]]] = {
    "limited": rate_limited,
    "limited with others": lambda seconds: rate_limited(seconds, "shared"),
    "limited everywhere": lambda seconds: rate_limited(seconds, "global"),
    "too many old edits": lambda seconds: rate_limited(seconds, code=OLD_EDITS),
    "banned": lambda seconds: turned_away(429, seconds),
    "nobody behind the door": lambda _: turned_away(520),
    "ill": lambda _: failed(500),
    "away": lambda _: failed(503),
    "too many doors": lambda _: failed(403, DOORS),
    "no server in common": lambda _: failed(403, NO_SERVER_IN_COMMON),
}
"""Answers that any request may get instead of being done, by what they mean; those that say how long take seconds."""


@dataclass(slots=True)
class _Rule:
    part: str
    left: int
    status: int = 0
    code: int = 0
    retry_after: float | None = None
    seconds: float = 0.0
    scope: Scope = "user"
    page: bool = False


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
    _closes: list[int] = field(default_factory=list)
    _limit_seconds: float = 0.0
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
        scope: Scope = "user",
    ) -> None:
        """Answer the next `times` matching requests with this status and error code, without doing what they ask.

        429 tells the bot to come back after `retry_after` seconds (default 1). Its `scope` says whose limit it is:
        "global" counts for all its requests, though here only the matching ones are refused, and "shared" is not the
        bot's own fault.
        """
        self._statuses.append(_Rule(part, times, status, code, retry_after, scope=scope))

    def next_page(self, part: str, status: int, times: int = 1) -> None:
        """Answer the next `times` matching requests with a page in HTML instead: what stands before Discord does so
        when it has banned somebody (429), or when it finds nobody behind it (520 to 526).
        """
        self._statuses.append(_Rule(part, times, status, page=True))

    def limit_everything(self, seconds: float) -> None:
        """Answer the next request, and all others for so many seconds from then on, with a global 429 that names the
        seconds that are left. A bot on a busy machine meets the limit however late its next request is.

        Answers to interactions pass: Discord does not count them.
        """
        self._limit_seconds = seconds

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

    def close_sessions(self, code: int, times: int = 1) -> None:
        """Let the next `times` sessions that a bot would begin be closed with this code of the gateway instead."""
        self._closes += [code] * times

    def closes(self) -> tuple[int, str] | None:
        """Why the session that would begin now does not."""
        return (self._closes.pop(0), "closed by a test") if self._closes else None

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
        self._closes.clear()
        self._limit_seconds = self._limited_until = 0.0

    async def before(self, request: web.Request) -> web.Response | None:
        """What to answer instead of doing it, if anything; waits first if a delay asks for it."""
        if (self._limit_seconds or self._limited_until) and not UNCOUNTED.search(request.path):
            now = asyncio.get_running_loop().time()
            if self._limit_seconds:
                self._limited_until, self._limit_seconds = now + self._limit_seconds, 0.0
            if self._limited_until > now:
                self.limited += 1
                return rate_limited(self._limited_until - now, "global")
        if not (self._statuses or self._delays):
            return None
        slow = _take(self._delays, request)
        if slow is not None:
            await asyncio.sleep(slow.seconds)
        rule = _take(self._statuses, request)
        if rule is None:
            return None
        if rule.page:
            return turned_away(rule.status, 1.0 if rule.status == 429 else 0.0)
        if rule.status == 429:
            return rate_limited(1.0 if rule.retry_after is None else rule.retry_after, rule.scope, rule.code)
        return failed(rule.status, rule.code)

    def refused(self, request: web.Request) -> web.Response | None:
        """What whoever would open a connection to the gateway (`"GET /gateway"`) gets instead, if anything."""
        rule = _take(self._statuses, request)
        return None if rule is None else failed(rule.status, rule.code)

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


def failed(status: int, code: int = 0) -> web.Response:
    """An answer that says no, with Discord's code for why."""
    body = {"message": f"{status}: injected by a test", "code": code}
    return web.Response(status=status, body=encode(body), content_type="application/json")


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
