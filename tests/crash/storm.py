"""Trouble of every kind at once, from one seed: what a Discord does on its worst day."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from aiohttp import web

from bot.playground.feed import Session
from bot.playground.injected_faults import TROUBLES, Faults

LOST, FAILING, LIMITED, TWICE, LATE = 0.10, 0.05, 0.03, 0.25, 0.25
"""Answers lost after posting; requests refused with 5xx and 429; interactions that come twice, and that come late."""
STRANGE = 0.01  # Requests that get an answer from what stands before Discord, or of a limit that is not the bot's own
UNUSUAL = ("limited with others", "banned", "nobody behind the door")

ELSEWHERE, AGAIN_LATE = 0.75, 0.6  # How often a second delivery goes to another process, and how often it is late
FORGIVEN = 0.7  # So many second answers to one interaction pass as if they were the first

KINDS = ("lost", "failed", "limited", "strange", "twice", "late")

CALLBACK = re.compile(r"POST /api/v10/interactions/(\d+)/[^/]+/callback")
POSTING = re.compile(r"POST /api/v10/channels/\d+/messages")
SPOKEN = re.compile(r"(POST|PATCH) /api/v10/(channels/\d+/messages|webhooks/).*")
WEATHER = re.compile(r".* /api/v10/(channels|webhooks|interactions)/.*")
"""Requests that may be refused; logging in is not part of the game."""


@dataclass(slots=True)
class Storm(Faults):
    """Faults by chance. Every process of the bot may be given any interaction."""

    rng: Random = field(default_factory=Random)
    raging: bool = True
    told: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))  # How often each trouble struck
    posted: Callable[[], None] | None = None
    """Called once, when a message has just been posted and its sender does not know it yet."""
    heard: Callable[[str, dict[str, object]], None] | None = None
    """Called with the token and the message of every answer that the bot gave to a person."""
    _kept: dict[str, bytes] = field(default_factory=dict)

    def receivers(self, name: str, sessions: list[Session]) -> Iterable[tuple[Session, float]]:
        """One process gets an interaction, or two, or one of them twice; some late, so that they overtake others."""
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

    async def before(self, request: web.Request) -> web.Response | None:
        line = f"{request.method} {request.path}"
        answer = await Faults.before(self, request)
        if answer is not None:
            return answer
        if WEATHER.fullmatch(line):
            if self._strikes("strange", STRANGE):
                return TROUBLES[self.rng.choice(UNUSUAL)](0.2)
            if self._strikes("failed", FAILING):
                return _refusal(self.rng.choice((500, 502, 503)), {"message": "the storm", "code": 0})
            if self._strikes("limited", LIMITED):
                body = {"message": "You are being rate limited.", "retry_after": 0.2, "global": False}
                return _refusal(429, body, {"Via": "1.1 local", "Retry-After": "0.2", "X-RateLimit-Scope": "user"})
        callback = CALLBACK.fullmatch(line)
        if callback and callback[1] in self._kept and self.rng.random() < FORGIVEN:
            # The second answer is not refused: its effect has to be stopped by the store, then, not by Discord.
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
