"""Faults that tests inject into the local Discord."""

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

UNCOUNTED = re.compile(r"^/api/v\d+/(interactions|webhooks)/")  # paths that do not count towards Discord's global limit


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
"""Error responses by name. Those with a duration take its seconds."""


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
    """Faults in the bot's requests. `part` is a piece of `"METHOD /path"`, for example `"POST /api/v10/channels"`."""

    _statuses: list[_Rule] = field(default_factory=list)
    _delays: list[_Rule] = field(default_factory=list)
    _loss: _Loss | None = None
    _twice: int = 0
    _closes: list[int] = field(default_factory=list)
    _limit_seconds: float = 0.0
    _limited_until: float = 0.0
    lost: int = 0  # responses lost so far
    limited: int = 0  # requests refused by the global limit

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
        """Answer the next `times` matching requests with this status and error code, without executing them.

        429 asks the bot to retry after `retry_after` seconds (default 1). `scope` "global" applies to all requests,
        though only matching ones are refused here; "shared" is not the bot's fault.
        """
        self._statuses.append(_Rule(part, times, status, code, retry_after, scope=scope))

    def next_page(self, part: str, status: int, times: int = 1) -> None:
        """Answer the next `times` matching requests with the proxy's HTML page: a ban (429), else an outage (52x)."""
        self._statuses.append(_Rule(part, times, status, page=True))

    def limit_everything(self, seconds: float) -> None:
        """Answer all requests with a global 429 for this many seconds, starting with the next request.

        The period starts late so that a bot on a busy machine meets the limit too. Responses to interactions do not
        count.
        """
        self._limit_seconds = seconds

    def delay(self, part: str, seconds: float, times: int = 1) -> None:
        """Delay the next `times` matching requests."""
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
        """Execute matching requests but lose the response: abort the connection, or send `status` instead (discord.py
        retries after 502). At most `times` times; `probability` 0 ends it.
        """
        self._loss = _Loss(part, probability, rng, status, times)

    def close_sessions(self, code: int, times: int = 1) -> None:
        """Close the next `times` new sessions with this gateway close code."""
        self._closes += [code] * times

    def closes(self) -> tuple[int, str] | None:
        """The close code for a session that starts now, None to let it start."""
        return (self._closes.pop(0), "closed by a test") if self._closes else None

    def deliver_twice(self, times: int = 1) -> None:
        """Send the next `times` interactions to the bot twice, as a gateway may do after a resume."""
        self._twice = times

    def deliveries(self) -> int:
        """How often the bot receives the interaction that starts now."""
        if self._twice <= 0:
            return 1
        self._twice -= 1
        return 2

    def receivers(self, name: str, sessions: list[Session]) -> Iterable[tuple[Session, float]]:
        """The sessions that receive an event, each with a delay in seconds. Here: all of them without delay."""
        return [(session, 0.0) for session in sessions]

    def clear(self) -> None:
        """Remove all faults."""
        self._statuses.clear()
        self._delays.clear()
        self._loss = None
        self._twice = 0
        self._closes.clear()
        self._limit_seconds = self._limited_until = 0.0

    async def before(self, request: web.Request) -> web.Response | None:
        """The response to send instead of executing a request, if any. Applies delays first."""
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
        """The response that refuses a connection to the gateway (`"GET /gateway"`), if any."""
        rule = _take(self._statuses, request)
        return None if rule is None else failed(rule.status, rule.code)

    def after(self, request: web.Request, answer: web.StreamResponse) -> web.StreamResponse:
        """The response that the bot receives."""
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
    """An error response with Discord's error code."""
    body = {"message": f"{status}: injected by a test", "code": code}
    return web.Response(status=status, body=encode(body), content_type="application/json")


def _line(request: web.Request) -> str:
    return f"{request.method} {request.path}"


def _take(rules: list[_Rule], request: web.Request) -> _Rule | None:
    """The first rule for this request. Uses it up once."""
    line = _line(request)
    for rule in rules:
        if rule.part in line:
            rule.left -= 1
            if rule.left <= 0:
                rules.remove(rule)
            return rule
    return None
