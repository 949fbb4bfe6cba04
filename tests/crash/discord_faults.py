"""All kinds of Discord faults at once, from one seed."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from aiohttp import web

from bot.playground.feed import Session
from bot.playground.injected_faults import ERROR_RESPONSES, Faults

LOST_RATE, FAILURE_RATE, RATE_LIMIT_SHARE, DUPLICATE_RATE, LATE_RATE = 0.10, 0.05, 0.03, 0.25, 0.25
"""Rates of lost responses, requests rejected with 5xx and 429, and duplicate and late interactions."""
PROXY_ERROR_RATE = 0.01  # Requests that fail in a proxy of Discord, or because of a limit of another client
PROXY_ERRORS = ("limited with others", "banned", "nobody behind the door")

OTHER_PROCESS_RATE = 0.75  # Share of duplicate deliveries that go to another process
LATE_DUPLICATE_RATE = 0.6  # Share of duplicate deliveries that arrive late
ACCEPTED_REPEAT_RATE = 0.7  # Share of second responses to an interaction that are accepted like first ones

CALLBACK = re.compile(r"POST /api/v10/interactions/(\d+)/[^/]+/callback")
POST_REQUEST = re.compile(r"POST /api/v10/channels/\d+/messages")
MESSAGE_REQUEST = re.compile(r"(POST|PATCH) /api/v10/(channels/\d+/messages|webhooks/).*")
FAILABLE_REQUEST = re.compile(r".* /api/v10/(channels|webhooks|interactions)/.*")
"""Requests that may be rejected; login is excluded."""


@dataclass(slots=True)
class DiscordFaults(Faults):
    """Random faults. Any bot process may receive any interaction."""

    rng: Random = field(default_factory=Random)
    is_active: bool = True
    on_post: Callable[[], None] | None = None
    """Called once, right after a message was posted and before its sender knows."""
    on_response: Callable[[str, dict[str, object]], None] | None = None
    """Called with the token and the message of every response of the bot."""
    _responses: dict[str, bytes] = field(default_factory=dict)

    def list_receivers(self, name: str, sessions: list[Session]) -> Iterable[tuple[Session, float]]:
        """Deliver an interaction to one process, to two, or twice to one. Late deliveries overtake others."""
        live_sessions = [session for session in sessions if session.socket is not None]
        if name != "INTERACTION_CREATE" or not live_sessions:
            return [(session, 0.0) for session in sessions]
        first = self.rng.choice(live_sessions)
        chosen = [(first, self._choose_delay(LATE_RATE))]
        if self._should_fail(DUPLICATE_RATE):
            others = [
                session for session in live_sessions if session is not first and self.rng.random() < OTHER_PROCESS_RATE
            ]
            chosen.append((others[0] if others else first, self._choose_delay(LATE_DUPLICATE_RATE)))
        return chosen

    def _choose_delay(self, chance: float) -> float:
        return self.rng.uniform(0.02, 0.4) if self._should_fail(chance) else 0.0

    async def intercept_request(self, request: web.Request) -> web.Response | None:
        line = f"{request.method} {request.path}"
        answer = await Faults.intercept_request(self, request)
        if answer is not None:
            return answer
        if FAILABLE_REQUEST.fullmatch(line):
            if self._should_fail(PROXY_ERROR_RATE):
                return ERROR_RESPONSES[self.rng.choice(PROXY_ERRORS)](0.2)
            if self._should_fail(FAILURE_RATE):
                return _build_refusal(self.rng.choice((500, 502, 503)), {"message": "the storm", "code": 0})
            if self._should_fail(RATE_LIMIT_SHARE):
                body = {"message": "You are being rate limited.", "retry_after": 0.2, "global": False}
                return _build_refusal(
                    429, body, {"Via": "1.1 local", "Retry-After": "0.2", "X-RateLimit-Scope": "user"}
                )
        callback = CALLBACK.fullmatch(line)
        if callback and callback[1] in self._responses and self.rng.random() < ACCEPTED_REPEAT_RATE:
            # Discord accepts the second response, so the store has to prevent its effect.
            return web.Response(body=self._responses[callback[1]], content_type="application/json")
        return None

    def intercept_response(self, request: web.Request, answer: web.StreamResponse) -> web.StreamResponse:
        line = f"{request.method} {request.path}"
        if isinstance(answer, web.Response) and answer.status == 200 and isinstance(answer.body, bytes):
            callback = CALLBACK.fullmatch(line)
            if callback:
                self._responses[callback[1]] = answer.body
                message = json.loads(answer.body).get("resource", {}).get("message")
                if message is not None and self.on_response is not None:
                    self.on_response(request.match_info["token"], message)
            elif MESSAGE_REQUEST.fullmatch(line) and "/webhooks/" in line and self.on_response is not None:
                self.on_response(request.match_info["token"], json.loads(answer.body))
        if POST_REQUEST.fullmatch(line) and answer.status == 200 and self.on_post is not None:
            on_post, self.on_post = self.on_post, None
            on_post()
        if MESSAGE_REQUEST.fullmatch(line) and self._should_fail(LOST_RATE) and request.transport is not None:
            request.transport.abort()
        return answer

    def _should_fail(self, chance: float) -> bool:
        return self.is_active and self.rng.random() < chance


def _build_refusal(status: int, body: dict[str, object], headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(
        status=status, body=json.dumps(body).encode(), content_type="application/json", headers=headers or {}
    )
