"""Faults that tests inject into the local Discord."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Final, Generic, TypeVar

from aiohttp import web

from bot.playground.discord_limits import Scope, build_limit_response, build_proxy_response
from bot.playground.feed import Session
from bot.playground.payloads import encode

# Paths that do not count towards Discord's global limit.
UNCOUNTED_PATH = re.compile(r"^/api/v\d+/(interactions|webhooks)/")
ERROR_RESPONSES: Final[Mapping[str, Callable[[float], web.Response]]] = {
    "limited with others": lambda seconds: build_limit_response(seconds, "shared"),
    "banned": lambda seconds: build_proxy_response(429, seconds),
    "nobody behind the door": lambda _: build_proxy_response(520),
}
"""Error responses by name. Those with a duration take its seconds."""


Effect = TypeVar("Effect")


@dataclass(slots=True)
class _FaultRule(Generic[Effect]):
    part: str
    remaining: int
    effect: Effect


@dataclass(slots=True)
class _ResponseLoss:
    part: str
    chance: float
    rng: Random
    status: int | None
    remaining: int | None


@dataclass(slots=True)
class Faults:
    """Faults in the bot's requests. `part` is a piece of `"METHOD /path"`, for example `"POST /api/v10/channels"`."""

    _statuses: list[_FaultRule[Callable[[], web.Response]]] = field(default_factory=list)
    _delays: list[_FaultRule[float]] = field(default_factory=list)
    _loss: _ResponseLoss | None = None
    _duplicates: int = 0
    _close_codes: list[int] = field(default_factory=list)
    _limit_seconds: float = 0.0
    _limited_until: float = 0.0
    lost_responses: int = 0  # responses lost so far
    limited_requests: int = 0  # requests refused by the global limit

    def inject_status(
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
        if status == 429:
            response = partial(build_limit_response, 1.0 if retry_after is None else retry_after, scope, code)
        else:
            response = partial(build_error_response, status, code)
        self._statuses.append(_FaultRule(part, times, response))

    def inject_proxy_page(self, part: str, status: int, times: int = 1) -> None:
        """Answer the next `times` matching requests with the proxy's HTML page: a ban (429), else an outage (52x)."""
        response = partial(build_proxy_response, status, 1.0 if status == 429 else 0.0)
        self._statuses.append(_FaultRule(part, times, response))

    def limit_everything(self, seconds: float) -> None:
        """Answer all requests with a global 429 for this many seconds, starting with the next request.

        The period starts late so that a bot on a busy machine meets the limit too. Responses to interactions do not
        count.
        """
        self._limit_seconds = seconds

    def delay(self, part: str, seconds: float, times: int = 1) -> None:
        self._delays.append(_FaultRule(part, times, seconds))

    def lose_responses(
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
        self._loss = _ResponseLoss(part, probability, rng, status, times)

    def close_sessions(self, code: int, times: int = 1) -> None:
        """Close the next `times` new sessions with this gateway close code."""
        self._close_codes += [code] * times

    def take_close_code(self) -> tuple[int, str] | None:
        """The close code for a session that starts now, None to let it start."""
        return (self._close_codes.pop(0), "closed by a test") if self._close_codes else None

    def deliver_twice(self, times: int = 1) -> None:
        """Send the next `times` interactions to the bot twice, as a gateway may do after a resume."""
        self._duplicates = times

    def count_deliveries(self) -> int:
        """How often the bot receives the interaction that starts now."""
        if self._duplicates <= 0:
            return 1
        self._duplicates -= 1
        return 2

    def list_receivers(self, name: str, sessions: list[Session]) -> Iterable[tuple[Session, float]]:
        """The sessions that receive an event, each with a delay in seconds. Here: all of them without delay."""
        return [(session, 0.0) for session in sessions]

    def clear(self) -> None:
        self._statuses.clear()
        self._delays.clear()
        self._loss = None
        self._duplicates = 0
        self._close_codes.clear()
        self._limit_seconds = self._limited_until = 0.0

    async def intercept_request(self, request: web.Request) -> web.Response | None:
        """The response to send instead of executing a request, if any. Applies delays first."""
        if (self._limit_seconds or self._limited_until) and not UNCOUNTED_PATH.search(request.path):
            now = asyncio.get_running_loop().time()
            if self._limit_seconds:
                self._limited_until, self._limit_seconds = now + self._limit_seconds, 0.0
            if self._limited_until > now:
                self.limited_requests += 1
                return build_limit_response(self._limited_until - now, "global")
        if (seconds := _take_effect(self._delays, request)) is not None:
            await asyncio.sleep(seconds)
        return self.find_response(request)

    def find_response(self, request: web.Request) -> web.Response | None:
        """The response that replaces the execution of a request, or a connection to `"GET /gateway"`, if any."""
        build_response = _take_effect(self._statuses, request)
        return None if build_response is None else build_response()

    def intercept_response(self, request: web.Request, answer: web.StreamResponse) -> web.StreamResponse:
        """The response that the bot receives."""
        loss = self._loss
        if (
            loss is None
            or loss.remaining == 0
            or loss.part not in _format_request(request)
            or loss.rng.random() >= loss.chance
        ):
            return answer
        self.lost_responses += 1
        if loss.remaining is not None:
            loss.remaining -= 1
        if loss.status is not None:
            body = {"message": f"{loss.status}: the answer was lost", "code": 0}
            return web.Response(status=loss.status, body=encode(body), content_type="application/json")
        if request.transport is not None:
            request.transport.abort()
        return answer


def build_error_response(status: int, code: int = 0) -> web.Response:
    body = {"message": f"{status}: injected by a test", "code": code}
    return web.Response(status=status, body=encode(body), content_type="application/json")


def _format_request(request: web.Request) -> str:
    return f"{request.method} {request.path}"


def _take_effect(rules: list[_FaultRule[Effect]], request: web.Request) -> Effect | None:
    """The effect of the first rule for this request. Uses it up once."""
    line = _format_request(request)
    for rule in rules:
        if rule.part in line:
            rule.remaining -= 1
            if rule.remaining <= 0:
                rules.remove(rule)
            return rule.effect
    return None
