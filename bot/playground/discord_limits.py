"""How often a bot may ask, and what it gets when it asks more often: Discord's rate limits, and the ban behind them."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Final, Literal, Self

from aiohttp import web

from bot.playground.payloads import Json, WallClock, encode, made_at
from data.words import Words, words

Path = tuple[str | int, ...]
"""Where in a request something is wrong, for instance `("components", 0, "label")`."""


NO_SERVER_IN_COMMON = 50278
"""The code for a person who shares no server with the bot, so that no message reaches them."""


class ApiError(Exception):
    """Discord says no to the bot: an HTTP status and Discord's JSON error body."""

    def __init__(self, status: int, code: int, message: str, errors: Json | None = None) -> None:
        super().__init__(f"{status} {code}: {message} {errors or ''}".rstrip())
        self.status = status
        self.body: Json = {"message": message, "code": code}
        if errors:
            self.body["errors"] = errors


Fact = str | int | Callable[[Words], str]
"""What a sentence is filled with; a part of it that is words itself is said in the same language."""


class PageError(Exception):
    """The page may not do this; the message is one plain sentence for the person, in English."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status

    def told(self, said: Words) -> str:
        """The sentence in the reader's language."""
        return str(self)


class RefusedError(PageError):
    """The same, with its sentence in every language: `page.refused_*` in `data/wording`."""

    def __init__(self, key: str, status: int = 400, **facts: Fact) -> None:
        self._key, self._facts = f"page.refused_{key}", facts
        super().__init__(self.told(words()), status)

    def told(self, said: Words) -> str:
        """The sentence in the reader's language."""
        return said(self._key, **{name: fact(said) if callable(fact) else fact for name, fact in self._facts.items()})


class Complaints:
    """Everything wrong with one request body, collected as Discord's nested `errors` tree."""

    def __init__(self) -> None:
        self._tree: Json = {}

    def add(self, path: Path, code: str, message: str) -> None:
        """Note one complaint about the value at `path`."""
        node = self._tree
        for step in path:
            node = node.setdefault(str(step), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def length(self, path: Path, value: object, least: int, most: int) -> None:
        """Complain unless the value is a text of `least` to `most` characters."""
        if not isinstance(value, str):
            self.add(path, "BASE_TYPE_REQUIRED", "This field is required")
        elif not least <= len(value) <= most:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")

    def count(self, path: Path, items: Sequence[object], most: int) -> None:
        """Complain about more than `most` items."""
        if len(items) > most:
            self.add(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")

    @property
    def empty(self) -> bool:
        """Whether nothing is wrong so far."""
        return not self._tree

    def refuse(self) -> None:
        """Raise 50035 Invalid Form Body if there was any complaint."""
        if not self.empty:
            raise self.error()

    def error(self) -> ApiError:
        """50035 with everything noted."""
        return ApiError(400, 50035, "Invalid Form Body", self._tree)


def invalid(path: Path, code: str, message: str) -> ApiError:
    """50035 with a single complaint."""
    complaints = Complaints()
    complaints.add(path, code, message)
    return complaints.error()


def unauthorized() -> ApiError:
    """The token is not the one this Discord gave out."""
    return ApiError(401, 0, "401: Unauthorized")


def unknown(what: str, code: int) -> ApiError:
    """`Unknown <what>` with Discord's code for it."""
    return ApiError(404, code, f"Unknown {what}")


def unknown_channel() -> ApiError:
    """The channel was deleted or never existed."""
    return unknown("Channel", 10003)


def unknown_message() -> ApiError:
    """The message was deleted, never existed, or is not visible on this route."""
    return unknown("Message", 10008)


def unknown_interaction() -> ApiError:
    """The three seconds for a first response are over."""
    return unknown("interaction", 10062)


def already_acknowledged() -> ApiError:
    """A second first response."""
    return ApiError(400, 40060, "Interaction has already been acknowledged.")


def invalid_webhook_token() -> ApiError:
    """The fifteen minutes of an interaction token are over."""
    return ApiError(401, 50027, "Invalid Webhook Token")


def missing_access() -> ApiError:
    """The bot cannot see this channel."""
    return ApiError(403, 50001, "Missing Access")


def missing_permissions() -> ApiError:
    """The bot sees the channel but may not do this in it."""
    return ApiError(403, 50013, "Missing Permissions")


EVERY_OTHER: Final = ""
"""The rate of every route that has none of its own."""

FREE: Final = ("/api/v10/interactions/", "/api/v10/webhooks/")
"""What an interaction's token opens does not count against the bot's fifty a second."""

ANSWERS: Final = "/api/v10/interactions/"
"""A first answer is held by its three seconds, not by a bucket."""

INVALID: Final = (401, 403, 429)
"""Answers that count towards the ban."""

MAJOR: Final = ("channel", "guild", "scope", "token")
"""The parts of a path that have buckets of their own."""

Scope = Literal["user", "shared", "global"]
"""Whose limit it is: the bot's own on a route, that of a place which others use as well, or that on all it asks."""

OLD, OLD_EDITS, DOORS = 3600.0, 30046, 40003
"""Seconds after which a message is old; the codes of the limit on editing those, and of that on opening doors."""

PAGE: Final = "<!DOCTYPE html><html><head><title>Error</title></head><body><h1>You cannot pass</h1></body></html>"
"""What stands before Discord answers with a page, not with JSON, and without a `Via` header."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many in so many seconds, counted from the first of them."""

    most: int
    seconds: float


ROUTES: Final[Mapping[str, Rate]] = {
    "POST /api/v10/channels/{channel}/messages": Rate(5, 5),
    "GET /api/v10/channels/{channel}/messages": Rate(5, 5),
    "PATCH /api/v10/channels/{channel}/messages/{message}": Rate(5, 5),
    "DELETE /api/v10/channels/{channel}/messages/{message}": Rate(5, 1),
    "POST /api/v10/users/@me/channels": Rate(10, 10),
    "POST /api/v10/webhooks/{app}/{token}": Rate(5, 2),
    "PATCH /api/v10/webhooks/{app}/{token}/messages/{message}": Rate(5, 2),
    EVERY_OTHER: Rate(10, 10),
}
"""Discord names its rates in the headers only and changes them as it likes; these were seen by many."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What this Discord allows. As it is made, all that the real one does."""

    routes: Mapping[str, Rate] = field(default_factory=lambda: ROUTES)
    overall: Rate = Rate(50, 1)
    """All requests of the bot together."""
    invalid: Rate = Rate(10_000, 600)
    """So many requests in vain end in a ban, which lasts as long."""
    starts: Rate = Rate(1000, 86_400)
    """So many sessions may begin; then the token is taken away."""
    pause: float = 5.0
    """Seconds between two sessions that begin, for each of `max_concurrency`."""
    max_concurrency: int = 1
    most_servers: int = 2500
    """So many servers a shard may have at most."""
    old_edits: Rate = Rate(3, 20)
    """So many edits of messages that are older than an hour, in each channel."""
    doors: Rate = Rate(50, 600)
    """So many people the bot may write to for the first time."""

    @classmethod
    def generous(cls) -> Self:
        """Nobody ever waits, for tests of other things. The headers are there, and the most servers of a shard."""
        plenty = Rate(1_000_000, 1)
        return cls({EVERY_OTHER: plenty}, plenty, plenty, Rate(1_000_000, 86_400), 0.0, old_edits=plenty, doors=plenty)

    def hurried(self, speed: float) -> Self:
        """The same for a bot whose clock runs so many times faster than ours."""

        def faster(rate: Rate) -> Rate:
            return replace(rate, seconds=rate.seconds / speed)

        return replace(
            self,
            routes={route: faster(rate) for route, rate in self.routes.items()},
            overall=faster(self.overall),
            invalid=faster(self.invalid),
            starts=faster(self.starts),
            pause=self.pause / speed,
            old_edits=faster(self.old_edits),
            doors=faster(self.doors),
        )


@dataclass(slots=True)
class _Window:
    """One bucket: how much of it is used, and when it is empty again."""

    ends: float = 0.0
    used: int = 0

    def take(self, rate: Rate, now: float) -> float:
        """Use it once. 0 where that is allowed, else the seconds until it is."""
        if now >= self.ends or self.ends > now + rate.seconds:  # the latter where the clock was set back
            self.ends, self.used = now + rate.seconds, 0
        if self.used >= rate.most:
            return max(self.ends - now, 0.001)
        self.used += 1
        return 0.0


class Throttle:
    """Counts what the bot asks, and refuses what is too much."""

    def __init__(self, rates: Rates, now: WallClock) -> None:
        self.rates = rates
        self._now = now
        self._windows: dict[tuple[str, str], _Window] = {}
        self._overall = _Window()
        self._starts = _Window()
        self._doors = _Window()
        self._began: dict[int, float] = {}
        self._in_vain: deque[float] = deque(maxlen=rates.invalid.most)
        self._banned_until = 0.0
        self.told = {"user": 0, "shared": 0, "global": 0, "banned": 0}
        """How many requests were answered with 429, by the scope."""
        self.invalid = 0
        """How many requests were answered with what counts towards the ban."""

    def ban(self, seconds: float) -> None:
        """From now on every request is refused, by what stands before Discord."""
        self._banned_until = self._now() + seconds

    def before(self, request: web.Request) -> web.Response | None:
        """What a request gets that is one too many, None where it may pass."""
        now = self._now()
        if now < self._banned_until:
            self.told["banned"] += 1
            return turned_away(429, self._banned_until - now)
        if not request.path.startswith(FREE):
            wait_all = self._overall.take(self.rates.overall, now)
            if wait_all:
                return rate_limited(wait_all, "global")
        if request.path.startswith(ANSWERS):
            return None
        wait_here = self._window(request).take(self._rate(request), now)
        return rate_limited(wait_here) if wait_here else None

    def after(self, request: web.Request, answer: web.StreamResponse) -> None:
        """Write on an answer how much is left, and count it where it was in vain."""
        scope = answer.headers.get("X-RateLimit-Scope", "user")
        if answer.status == 429 and answer.content_type == "application/json":
            self.told[scope] += 1
        if answer.status in INVALID and scope != "shared":
            self._count_in_vain()
        if scope == "global" or answer.content_type == "text/html" or request.path.startswith(ANSWERS):
            return
        rate, window = self._rate(request), self._window(request)
        answer.headers["X-RateLimit-Limit"] = str(rate.most)
        answer.headers["X-RateLimit-Remaining"] = str(rate.most - window.used)
        answer.headers["X-RateLimit-Reset"] = f"{window.ends:.3f}"
        answer.headers["X-RateLimit-Reset-After"] = f"{max(window.ends - self._now(), 0.0):.3f}"
        answer.headers["X-RateLimit-Bucket"] = hashlib.sha256(_route(request).encode()).hexdigest()[:32]

    def edits(self, channel_id: str, message_id: str) -> web.Response | None:
        """What an edit gets where the message is old and too many of those were edited in this channel."""
        now = self._now()
        if now - made_at(message_id) <= OLD:
            return None
        window = self._windows.setdefault((str(OLD_EDITS), channel_id), _Window())
        wait = window.take(self.rates.old_edits, now)
        return rate_limited(wait, code=OLD_EDITS) if wait else None

    def opens_door(self) -> None:
        """The bot begins to talk with somebody. Refuses with 40003 where it does so too fast."""
        if self._doors.take(self.rates.doors, self._now()):
            raise ApiError(403, DOORS, "You are opening direct messages too fast.")

    def _count_in_vain(self) -> None:
        self.invalid += 1
        now, rate = self._now(), self.rates.invalid
        self._in_vain.append(now)
        if len(self._in_vain) == rate.most and now - self._in_vain[0] <= rate.seconds:
            self._in_vain.clear()
            self.ban(rate.seconds)

    def _rate(self, request: web.Request) -> Rate:
        return self.rates.routes.get(_route(request)) or self.rates.routes[EVERY_OTHER]

    def _window(self, request: web.Request) -> _Window:
        major = "/".join(request.match_info.get(part, "") for part in MAJOR)
        return self._windows.setdefault((_route(request), major), _Window())

    # -- sessions

    def start(self) -> dict[str, int]:
        """Discord's `session_start_limit`."""
        self._renew_starts()
        left = self.rates.starts.most - self._starts.used
        return {
            "total": self.rates.starts.most,
            "remaining": left,
            "reset_after": int(max(self._starts.ends - self._now(), 0) * 1000) or int(self.rates.starts.seconds * 1000),
            "max_concurrency": self.rates.max_concurrency,
        }

    def _renew_starts(self) -> None:
        if self._now() >= self._starts.ends:
            self._starts = _Window()

    def may_start(self, shard: int) -> bool:
        """Whether a session of this shard may begin by now; its turn in `max_concurrency` is taken then."""
        now, turn = self._now(), shard % self.rates.max_concurrency
        if turn in self._began and 0 <= now - self._began[turn] < self.rates.pause:
            return False
        self._began[turn] = now
        return True

    def spend_start(self) -> bool:
        """Count a session that begins. False where the day's are used up."""
        return not self._starts.take(self.rates.starts, self._now())


def rate_limited(seconds: float, scope: Scope = "user", code: int = 0) -> web.Response:
    """A 429 that asks to come back after so many seconds. Some limits have a code that says which they are."""
    message = "You are being rate limited." if code != OLD_EDITS else "Maximum number of edits to old messages reached."
    body = {"message": message, "retry_after": round(seconds, 3), "global": scope == "global"}
    body |= {"code": code} if code else {}
    # Without a Via header discord.py takes a 429 for a ban and gives up.
    headers = {"Via": "1.1 local", "Retry-After": str(ceil(seconds)), "X-RateLimit-Scope": scope}
    headers |= {"X-RateLimit-Global": "true"} if scope == "global" else {}
    return web.Response(status=429, body=encode(body), content_type="application/json", headers=headers)


def turned_away(status: int, seconds: float = 0.0) -> web.Response:
    """The page of what stands before Discord: with 429 a ban for so many seconds, else Discord cannot be reached."""
    headers = {"Retry-After": str(ceil(seconds))} if seconds else {}
    return web.Response(status=status, text=PAGE, content_type="text/html", headers=headers)


def _route(request: web.Request) -> str:
    """A route without what stands in its place: the method and the path with names in braces."""
    resource = request.match_info.route.resource
    return f"{request.method} {'' if resource is None else resource.canonical}"
