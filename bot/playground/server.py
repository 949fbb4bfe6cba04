"""The local Discord: a small server on this machine that a real bot connects to and users play on."""

import errno
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

from aiohttp import web

from bot.playground import page_access, wire
from bot.playground.commands import Commands
from bot.playground.discord_limits import ApiError, PageError, Rates, Throttle
from bot.playground.feed import Feed
from bot.playground.gateway import Gateway
from bot.playground.injected_faults import Faults
from bot.playground.interactions import Interactions
from bot.playground.page_access import Files, Once, locked
from bot.playground.page_routes import Local, Sights
from bot.playground.page_words import asked_words
from bot.playground.payloads import BotStart, WallClock
from bot.playground.replies import Replies
from bot.playground.rest import API, Rest
from bot.playground.rest_channels import Channels, Messages, ReplyRoutes
from bot.playground.world_setup import Front, FrontDoor, open_world
from bot.playground.world_storage import Shelf

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
PORTS_TRIED = 50
MOST_REQUEST = 110 * 1024 * 1024  # bytes of a whole request: ten files of ten MiB and their message

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LocalDiscord:
    """The local Discord server. `file` stores its world between runs; None keeps it in memory.

    It binds `port` on the loopback interface, or the next free one. The bot connects with `token` (default: random).
    Users need the key in `address`, which is stored in the file; `new_key` replaces it. The default `rates` are
    generous. `front` is what a new user sees first (default: a message that says what to type). Raises `ShelfError` (an
    OSError) if the file cannot be used.
    """

    def __init__(
        self,
        file: Path | None,
        *,
        port: int = 8710,
        token: str | None = None,
        now: WallClock = time.time,
        answer_within: float = 3.0,
        faults: Faults | None = None,
        rates: Rates | None = None,
        new_key: bool = False,
        front: Front | None = None,
    ) -> None:
        self.port = port
        self.port_was_taken = False
        self.token = token or secrets.token_urlsafe(32)
        self.faults = faults or Faults()
        self.throttle = Throttle(rates or Rates.generous(), now)
        self._shelf = Shelf(file)
        self._files_key = secrets.token_urlsafe(32)
        self.world, registered = open_world(self._shelf, now, greet=front is None)
        if new_key:
            self.world.lock()
        self.commands = Commands(self.world, registered)
        self.interactions = Interactions(self.world, answer_within, self.faults.deliveries)
        self.replies = Replies(self.world, self.interactions)
        self.gateway = Gateway(self.world, self.token, self.faults, self.throttle)
        self._feed = Feed(self.world)
        self.bot_start = BotStart(self.world.news)
        self._front = FrontDoor(front)
        self._once = Once()
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The URL for the bot, without a trailing slash. It is not secret."""
        return f"http://{HOST}:{self.port}"

    @property
    def address(self) -> str:
        """The page's address with the key. It gives access to every hand and every user."""
        return f"{self.url}/?key={self.world.page_key}"

    @property
    def bot_faults(self) -> list[str]:
        """Errors of the bot that users would not notice."""
        return self.replies.bot_faults

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Every bound address while the server runs."""
        return [(host, port) for host, port in self._runner.addresses] if self._runner else []

    async def start(self) -> str:
        """Start the server and return its URL. Raises OSError if no port near the wanted one is free."""
        app = web.Application(middlewares=[self._guarded], client_max_size=MOST_REQUEST)
        rest, messages = Rest(self.world, self.commands, self.throttle), Messages(self.world, self.throttle)
        replies = ReplyRoutes(self.world, self.interactions, self.replies)
        local = Local(self.world, self.commands, self.interactions, self.gateway, self._feed, self.bot_start)
        sights = Sights(self.world, self._front)
        for part in (rest, Channels(self.world), messages, replies, local, sights, Files(self._shelf)):
            app.add_routes(part.routes())
        app.router.add_get("/gateway", self.gateway.serve)
        app.router.add_get("/gateway/", self.gateway.serve)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
        try:
            await self._runner.setup()
            self.port = await self._bind(self._runner)
        except OSError:
            await self.stop()
            raise
        rest.base = self.url
        for sender in (messages, replies, self.gateway):
            sender.base, sender.files_key = self.url, self._files_key
        self._shelf.wake()
        return self.url

    async def _bind(self, runner: web.AppRunner) -> int:
        wanted = self.port
        for port in [wanted] if wanted == 0 else range(wanted, min(wanted + PORTS_TRIED, 65536)):
            try:
                await web.TCPSite(runner, HOST, port).start()
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
                self.port_was_taken = True
                continue
            return int(runner.addresses[0][1])
        raise OSError(errno.EADDRINUSE, f"no free port from {wanted} on")

    async def stop(self) -> None:
        """Close every connection, store what is not stored yet, and release the port."""
        self._feed.close()
        await self.gateway.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        await self._shelf.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    async def reset_token(self) -> str:
        """Give the bot a new token, as its owner does at the portal. Every session with the old one ends."""
        self.token = self.gateway.token = secrets.token_urlsafe(32)
        await self.gateway.end_all()
        return self.token

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check origin and key of every request. Requests of the bot then pass the rate limits."""
        try:
            page_access.check_origin(request, self.port)
            if request.path.startswith(API):
                self.bot_start.reached("login")
                return await self._limited(request, handler)
            if request.path.startswith("/gateway"):
                self.bot_start.reached("connecting")
            if not self._has_key(request):
                return locked(request)
            return await self._once.answered(request, lambda again: self._answered(again, handler))
        except PageError as error:
            return wire.json_answer({"message": error.told(asked_words(request))}, error.status)

    async def _limited(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Handle a request of the bot: rate limits, token, injected faults."""
        answer: web.StreamResponse | None = self.throttle.before(request)
        if answer is None:
            answer = await self._answered(request, self._faulty(handler))
        self.throttle.after(request, answer)
        return answer

    def _faulty(self, handler: Handler) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            self._authorize(request)
            instead = await self.faults.before(request)
            return self.faults.after(request, await handler(request)) if instead is None else instead

        return handle

    async def _answered(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Handle a request and turn errors into JSON."""
        try:
            return await handler(request)
        except PageError as error:
            return wire.json_answer({"message": error.told(asked_words(request))}, error.status)
        except ApiError as error:
            log.debug("refused %s %s: %s", request.method, request.path, error)
            return wire.json_answer(error.body, error.status)
        except ConnectionError:
            raise  # the client has disconnected
        except (ValueError, OverflowError, RecursionError, OSError) as error:
            # Malformed input that no page and no bot sends: infinite numbers, invalid file names.
            log.warning("refused a %s request: %s", request.method, type(error).__name__)
            return wire.json_answer({"message": "400: Bad Request", "code": 0}, 400)
        except web.HTTPNotFound:
            if request.path.startswith(API):
                return wire.json_answer({"message": "404: Not Found", "code": 0}, 404)
            raise

    def _has_key(self, request: web.Request) -> bool:
        if request.path.startswith("/gateway"):
            return True  # the bot, which says its token first of all
        # The bot has its own key to attachments, like Discord's signed URLs.
        files_key = (self._files_key,) if request.path.startswith("/attachments/") else ()
        return page_access.is_let_in(request, self.world.page_key, *files_key)

    def _authorize(self, request: web.Request) -> None:
        # Interaction routes have their own token in the path.
        if request.path.startswith((API + "/interactions/", API + "/webhooks/")):
            return
        if not secrets.compare_digest(request.headers.get("Authorization", "").encode(), f"Bot {self.token}".encode()):
            raise ApiError(401, 0, "401: Unauthorized")
