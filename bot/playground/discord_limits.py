"""Errors of the local Discord, its rate limits, and the ban for too many invalid requests."""

import hashlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final, Literal, Self

from aiohttp import web

from bot.playground.payloads import Json, WallClock, encode, get_creation_time
from data.words import Words, load_words

Path = tuple[str | int, ...]  # the location of an error in a request body, for example `("components", 0, "label")`


NO_SERVER_IN_COMMON = 50278  # a user without a common server cannot get direct messages


class ApiError(Exception):
    """An error response of Discord: an HTTP status and a JSON error body."""

    def __init__(self, status: int, code: int, message: str, errors: Json | None = None) -> None:
        super().__init__(f"{status} {code}: {message} {errors or ''}".rstrip())
        self.status = status
        self.body: Json = {"message": message, "code": code}
        if errors:
            self.body["errors"] = errors


Fact = str | int | Callable[[Words], str]  # a value for a sentence; a function returns it in the reader's language


class PageError(Exception):
    """A request of the page is refused. The message is one plain English sentence for the user."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status

    def format_message(self, reader_words: Words) -> str:
        """The sentence in the reader's language."""
        return str(self)


class RefusedError(PageError):
    """A refusal whose sentence exists in every language: `page.refused_*` in `data/wording`."""

    def __init__(self, key: str, status: int = 400, **facts: Fact) -> None:
        self._key, self._facts = f"page.refused_{key}", facts
        super().__init__(self.format_message(load_words()), status)

    def format_message(self, reader_words: Words) -> str:
        return reader_words(
            self._key, **{name: fact(reader_words) if callable(fact) else fact for name, fact in self._facts.items()}
        )


class FormErrors:
    """The errors of one request body, collected as Discord's nested `errors` tree."""

    def __init__(self) -> None:
        self._tree: Json = {}

    def add(self, path: Path, code: str, message: str) -> None:
        """Add an error for the value at `path`."""
        node = self._tree
        for step in path:
            node = node.setdefault(str(step), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def check_length(self, path: Path, value: object, least: int, most: int) -> None:
        """Add an error unless the value is a text of `least` to `most` characters."""
        if not isinstance(value, str):
            self.add(path, "BASE_TYPE_REQUIRED", "This field is required")
        elif not least <= len(value) <= most:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")

    def check_count(self, path: Path, items: Sequence[object], most: int) -> None:
        """Add an error for more than `most` items."""
        if len(items) > most:
            self.add(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")

    def raise_if_any(self) -> None:
        """Raise 50035 Invalid Form Body if there are errors."""
        if self._tree:
            raise ApiError(400, 50035, "Invalid Form Body", self._tree)


def build_form_error(path: Path, code: str, message: str) -> ApiError:
    """Error 50035 with a single entry."""
    tree: Json = {"_errors": [{"code": code, "message": message}]}
    for step in reversed(path):
        tree = {str(step): tree}
    return ApiError(400, 50035, "Invalid Form Body", tree)


def build_unknown_error(kind: str, code: int) -> ApiError:
    return ApiError(404, code, f"Unknown {kind}")


def build_unknown_channel() -> ApiError:
    return build_unknown_error("Channel", 10003)


def build_unknown_message() -> ApiError:
    return build_unknown_error("Message", 10008)


def build_missing_access() -> ApiError:
    """The bot cannot see this channel."""
    return ApiError(403, 50001, "Missing Access")


OTHER_ROUTES: Final = ""  # the key of the rate for all other routes

INTERACTION_PATH: Final = "/api/v10/interactions/"  # limited to three seconds, not by a bucket

# Paths that are not counted against the bot's 50 requests a second.
UNCOUNTED_PATHS: Final = (INTERACTION_PATH, "/api/v10/webhooks/")

INVALID_STATUSES: Final = (401, 403, 429)  # statuses that count towards the ban

MAJOR_PARAMETERS: Final = ("channel", "guild", "scope", "token")  # path parts with separate buckets

Scope = Literal["user", "shared", "global"]
"""Whose limit it is: the bot's on a route, a shared one, or the bot's on all routes."""

OLD_AFTER, OLD_EDITS, DIRECT_CHANNELS = 3600.0, 30046, 40003
"""After this many seconds a message is old; the error codes for editing old messages and for opening direct channels.
"""

PROXY_PAGE: Final = "<!DOCTYPE html><html><head><title>Error</title></head><body><h1>You cannot pass</h1></body></html>"
"""The HTML page of the proxy in front of Discord, sent without a `Via` header."""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `most` requests in a fixed window of `seconds`."""

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
    OTHER_ROUTES: Rate(10, 10),
}
"""Discord does not document these rates and may change them; developers have observed them."""


@dataclass(frozen=True, slots=True)
class RateLimits:
    """All limits of this Discord. The defaults are those of the real one."""

    routes: Mapping[str, Rate] = field(default_factory=lambda: ROUTES)
    overall: Rate = Rate(50, 1)  # all requests of the bot together
    invalid: Rate = Rate(10_000, 600)  # this many invalid requests end in a ban of the same length
    starts: Rate = Rate(1000, 86_400)  # sessions that may start; after that the token is reset
    pause: float = 5.0  # seconds between two session starts, for each of `max_concurrency`
    max_concurrency: int = 1
    most_servers: int = 2500  # servers per shard
    old_edits: Rate = Rate(3, 20)  # edits per channel of messages older than an hour
    direct_channels: Rate = Rate(50, 600)  # new direct channels that the bot may open

    @classmethod
    def create_generous(cls) -> Self:
        """Limits that no test reaches. Headers and the server limit of a shard stay."""
        plenty, starts = Rate(1_000_000, 1), Rate(1_000_000, 86_400)
        return cls({OTHER_ROUTES: plenty}, plenty, plenty, starts, pause=0.0, old_edits=plenty, direct_channels=plenty)


@dataclass(slots=True)
class _Window:
    """One bucket: the requests used, and the time at which it resets."""

    ends: float = 0.0
    used: int = 0

    def take(self, rate: Rate, now: float) -> float:
        """Count a request. Return 0 if it is allowed, else the seconds to wait."""
        if now >= self.ends or self.ends > now + rate.seconds:  # the latter where the clock was set back
            self.ends, self.used = now + rate.seconds, 0
        if self.used >= rate.most:
            return max(self.ends - now, 0.001)
        self.used += 1
        return 0.0


class Throttle:
    """Counts the bot's requests and refuses those above the limits."""

    def __init__(self, rates: RateLimits, now: WallClock) -> None:
        self.rates = rates
        self._now = now
        self._windows: dict[tuple[str, str], _Window] = {}
        self._overall = _Window()
        self._starts = _Window()
        self._direct_channels = _Window()
        self._slot_starts: dict[int, float] = {}
        self._invalid_times: deque[float] = deque(maxlen=rates.invalid.most)
        self._banned_until = 0.0
        self.limited_counts = {"user": 0, "shared": 0, "global": 0, "banned": 0}  # responses with status 429, by scope
        self.invalid = 0  # responses that count towards the ban

    def ban(self, seconds: float) -> None:
        """Refuse every request of the bot for this many seconds."""
        self._banned_until = self._now() + seconds

    def limit_request(self, request: web.Request) -> web.Response | None:
        """The response to a request above a limit, None for an allowed request."""
        now = self._now()
        if now < self._banned_until:
            self.limited_counts["banned"] += 1
            return build_proxy_response(429, self._banned_until - now)
        if not request.path.startswith(UNCOUNTED_PATHS):
            wait_all = self._overall.take(self.rates.overall, now)
            if wait_all:
                return build_limit_response(wait_all, "global")
        if request.path.startswith(INTERACTION_PATH):
            return None
        wait_here = self._get_window(request).take(self._get_rate(request), now)
        return build_limit_response(wait_here) if wait_here else None

    def finish_response(self, request: web.Request, answer: web.StreamResponse) -> None:
        """Add the rate limit headers to a response and count invalid requests."""
        scope = answer.headers.get("X-RateLimit-Scope", "user")
        if answer.status == 429 and answer.content_type == "application/json":
            self.limited_counts[scope] += 1
        if answer.status in INVALID_STATUSES and scope != "shared":
            self._count_invalid()
        if scope == "global" or answer.content_type == "text/html" or request.path.startswith(INTERACTION_PATH):
            return
        rate, window = self._get_rate(request), self._get_window(request)
        answer.headers["X-RateLimit-Limit"] = str(rate.most)
        answer.headers["X-RateLimit-Remaining"] = str(rate.most - window.used)
        answer.headers["X-RateLimit-Reset"] = f"{window.ends:.3f}"
        answer.headers["X-RateLimit-Reset-After"] = f"{max(window.ends - self._now(), 0.0):.3f}"
        answer.headers["X-RateLimit-Bucket"] = hashlib.sha256(_get_route(request).encode()).hexdigest()[:32]

    def limit_edit(self, channel_id: str, message_id: str) -> web.Response | None:
        """The response to an edit above the limit for old messages of this channel, None for an allowed edit."""
        now = self._now()
        if now - get_creation_time(message_id) <= OLD_AFTER:
            return None
        window = self._windows.setdefault((str(OLD_EDITS), channel_id), _Window())
        wait = window.take(self.rates.old_edits, now)
        return build_limit_response(wait, code=OLD_EDITS) if wait else None

    def count_direct_channel(self) -> None:
        """Count a new direct channel. Raises ApiError 40003 if the bot opens too many."""
        if self._direct_channels.take(self.rates.direct_channels, self._now()):
            raise ApiError(403, DIRECT_CHANNELS, "You are opening direct messages too fast.")

    def _count_invalid(self) -> None:
        self.invalid += 1
        now, rate = self._now(), self.rates.invalid
        self._invalid_times.append(now)
        if len(self._invalid_times) == rate.most and now - self._invalid_times[0] <= rate.seconds:
            self._invalid_times.clear()
            self.ban(rate.seconds)

    def _get_rate(self, request: web.Request) -> Rate:
        return self.rates.routes.get(_get_route(request)) or self.rates.routes[OTHER_ROUTES]

    def _get_window(self, request: web.Request) -> _Window:
        major = "/".join(request.match_info.get(part, "") for part in MAJOR_PARAMETERS)
        return self._windows.setdefault((_get_route(request), major), _Window())

    def build_start_limit(self) -> dict[str, int]:
        """Discord's `session_start_limit`."""
        if self._now() >= self._starts.ends:
            self._starts = _Window()
        remaining = self.rates.starts.most - self._starts.used
        return {
            "total": self.rates.starts.most,
            "remaining": remaining,
            "reset_after": int(max(self._starts.ends - self._now(), 0) * 1000) or int(self.rates.starts.seconds * 1000),
            "max_concurrency": self.rates.max_concurrency,
        }

    def may_start(self, shard: int) -> bool:
        """Whether a session of this shard may start now. If so, its slot of `max_concurrency` is used."""
        now, turn = self._now(), shard % self.rates.max_concurrency
        if turn in self._slot_starts and 0 <= now - self._slot_starts[turn] < self.rates.pause:
            return False
        self._slot_starts[turn] = now
        return True

    def spend_start(self) -> bool:
        """Count a started session. Return False if the limit of the day is used up."""
        return not self._starts.take(self.rates.starts, self._now())


def build_limit_response(seconds: float, scope: Scope = "user", code: int = 0) -> web.Response:
    """A 429 response that names the seconds to wait. Some limits have their own code."""
    message = "You are being rate limited." if code != OLD_EDITS else "Maximum number of edits to old messages reached."
    body = {"message": message, "retry_after": round(seconds, 3), "global": scope == "global"}
    body |= {"code": code} if code else {}
    # Without a Via header discord.py treats a 429 as a ban and gives up.
    headers = {"Via": "1.1 local", "Retry-After": str(ceil(seconds)), "X-RateLimit-Scope": scope}
    headers |= {"X-RateLimit-Global": "true"} if scope == "global" else {}
    return web.Response(status=429, body=encode(body), content_type="application/json", headers=headers)


def build_proxy_response(status: int, seconds: float = 0.0) -> web.Response:
    """The HTML page of the proxy: a ban for this many seconds with 429, otherwise Discord is not reachable."""
    headers = {"Retry-After": str(ceil(seconds))} if seconds else {}
    return web.Response(status=status, text=PROXY_PAGE, content_type="text/html", headers=headers)


def _get_route(request: web.Request) -> str:
    """The method and the path with parameter names in braces."""
    resource = request.match_info.route.resource
    return f"{request.method} {'' if resource is None else resource.canonical}"
