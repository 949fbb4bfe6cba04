"""All kinds of Discord faults at once, from one seed."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from aiohttp import web

from bot.playground.feed import Session
from bot.playground.injected_faults import ERROR_RESPONSES, Faults

LOST, FAILING, LIMITED, TWICE, LATE = 0.10, 0.05, 0.03, 0.25, 0.25
"""Rates of lost responses, requests rejected with 5xx and 429, and duplicate and late interactions."""
STRANGE = 0.01  # Requests that fail in a proxy of Discord, or because of a limit of another client
UNUSUAL = ("limited with others", "banned", "nobody behind the door")

ELSEWHERE, AGAIN_LATE = (
    0.75,
    0.6,
)  # Share of duplicate deliveries that go to another process or arrive late
FORGIVEN = 0.7  # Share of second responses to an interaction that are accepted like first ones

KINDS = ("lost", "failed", "limited", "strange", "twice", "late")

CALLBACK = re.compile(r"POST /api/v10/interactions/(\d+)/[^/]+/callback")
POSTING = re.compile(r"POST /api/v10/channels/\d+/messages")
SPOKEN = re.compile(r"(POST|PATCH) /api/v10/(channels/\d+/messages|webhooks/).*")
WEATHER = re.compile(r".* /api/v10/(channels|webhooks|interactions)/.*")
"""Requests that may be rejected; login is excluded."""


@dataclass(slots=True)
class DiscordFaults(Faults):
    """Random faults. Any bot process may receive any interaction."""

    rng: Random = field(default_factory=Random)
    raging: bool = True
    told: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))  # How often each fault occurred
    posted: Callable[[], None] | None = None
    """Called once, right after a message was posted and before its sender knows."""
    heard: Callable[[str, dict[str, object]], None] | None = None
    """Called with the token and the message of every response of the bot."""
    _kept: dict[str, bytes] = field(default_factory=dict)

    def list_receivers(self, name: str, sessions: list[Session]) -> Iterable[tuple[Session, float]]:
        """Deliver an interaction to one process, to two, or twice to one. Late deliveries overtake others."""
        alive = [session for session in sessions if session.socket is not None]
        if name != "INTERACTION_CREATE" or not alive:
            return [(session, 0.0) for session in sessions]
        first = self.rng.choice(alive)
        chosen = [(first, self._lateness(LATE))]
        if self._strikes("twice", TWICE):
            others = [session for session in alive if session is not first and self.rng.random() < ELSEWHERE]
            chosen.append((others[0] if others else first, self._lateness(AGAIN_LATE)))
        return chosen

    def _lateness(self, chance: float) -> float:
        return self.rng.uniform(0.02, 0.4) if self._strikes("late", chance) else 0.0

    async def intercept_request(self, request: web.Request) -> web.Response | None:
        line = f"{request.method} {request.path}"
        answer = await Faults.intercept_request(self, request)
        if answer is not None:
            return answer
        if WEATHER.fullmatch(line):
            if self._strikes("strange", STRANGE):
                return ERROR_RESPONSES[self.rng.choice(UNUSUAL)](0.2)
            if self._strikes("failed", FAILING):
                return _refusal(self.rng.choice((500, 502, 503)), {"message": "the storm", "code": 0})
            if self._strikes("limited", LIMITED):
                body = {"message": "You are being rate limited.", "retry_after": 0.2, "global": False}
                return _refusal(429, body, {"Via": "1.1 local", "Retry-After": "0.2", "X-RateLimit-Scope": "user"})
        callback = CALLBACK.fullmatch(line)
        if callback and callback[1] in self._kept and self.rng.random() < FORGIVEN:
            # Discord accepts the second response, so the store has to prevent its effect.
            return web.Response(body=self._kept[callback[1]], content_type="application/json")
        return None

    def after(self, request: web.Request, answer: web.StreamResponse) -> web.StreamResponse:
        line = f"{request.method} {request.path}"
        if isinstance(answer, web.Response) and answer.status == 200 and isinstance(answer.body, bytes):
            callback = CALLBACK.fullmatch(line)
            if callback:
                self._kept[callback[1]] = answer.body
                said = json.loads(answer.body).get("resource", {}).get("message")
                if said is not None and self.heard is not None:
                    self.heard(request.match_info["token"], said)
            elif SPOKEN.fullmatch(line) and "/webhooks/" in line and self.heard is not None:
                self.heard(request.match_info["token"], json.loads(answer.body))
        if POSTING.fullmatch(line) and answer.status == 200 and self.posted is not None:
            struck, self.posted = self.posted, None
            struck()
        if SPOKEN.fullmatch(line) and self._strikes("lost", LOST) and request.transport is not None:
            request.transport.abort()
        return answer

    def _strikes(self, what: str, chance: float) -> bool:
        struck = self.raging and self.rng.random() < chance
        self.told[what] += struck
        return struck


def _refusal(status: int, body: dict[str, object], headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(
        status=status, body=json.dumps(body).encode(), content_type="application/json", headers=headers or {}
    )
