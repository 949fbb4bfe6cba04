"""The local Discord: a small server on this machine that a real bot connects to and users play on."""

import errno
import logging
import secrets
import time
from pathlib import Path
from typing import Self

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.playground import page_access, wire
from bot.playground.commands import CommandRegistry
from bot.playground.discord_limits import ApiError, PageError, RateLimits, Throttle
from bot.playground.feed import Feed
from bot.playground.gateway import Gateway
from bot.playground.injected_faults import Faults
from bot.playground.interactions import InteractionRegistry
from bot.playground.page_access import FileRoutes, RequestDeduplicator, build_locked_response
from bot.playground.page_routes import PageRoutes, WelcomeRoutes
from bot.playground.page_words import choose_words
from bot.playground.payloads import BotStart, WallClock
from bot.playground.replies import InteractionResponder
from bot.playground.rest import API, RestRoutes
from bot.playground.rest_channels import ChannelRoutes, MessageRoutes, ReplyRoutes
from bot.playground.world_setup import WelcomeScreen, WelcomeSource, open_world
from bot.playground.world_storage import WorldStorage

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
MAX_PORTS = 50
MAX_REQUEST = 110 * 1024 * 1024  # bytes of a whole request: ten files of ten MiB and their message


class LocalDiscord:
    """The local Discord server. `file` stores its world between runs; None keeps it in memory.

    It binds `port` on the loopback interface, or the next free one. The bot connects with `token` (default: random).
    Users need the key in `address`, which is stored in the file; `new_key` replaces it. The default `rates` are
    generous. `welcome` is what a new user sees first. Raises `WorldStorageError` (an OSError) if the file cannot be
    used.
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
        rates: RateLimits | None = None,
        new_key: bool = False,
        welcome: WelcomeSource | None = None,
    ) -> None:
        self.port = port
        self.port_was_taken = False
        self.token = token or secrets.token_urlsafe(32)
        self.faults = faults or Faults()
        self.throttle = Throttle(rates or RateLimits.create_generous(), now)
        self._storage = WorldStorage(file)
        self.world, registered = open_world(self._storage, now)
        if new_key:
            self.world.renew_page_key()
        self.commands = CommandRegistry(self.world, registered)
        self.interactions = InteractionRegistry(self.world, answer_within, self.faults.count_deliveries)
        self.replies = InteractionResponder(self.world, self.interactions)
        self.gateway = Gateway(self.world, self.token, self.faults, self.throttle)
        self._feed = Feed(self.world)
        self.bot_start = BotStart(self.world.events)
        self._welcome = WelcomeScreen(welcome)
        self._deduplicator = RequestDeduplicator()
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
    def addresses(self) -> list[tuple[str, int]]:
        """Every bound address while the server runs."""
        return [(host, port) for host, port in self._runner.addresses] if self._runner else []

    async def start(self) -> str:
        """Start the server and return its URL. Raises OSError if no port near the wanted one is free."""
        app = web.Application(middlewares=[self._handle_request], client_max_size=MAX_REQUEST)
        for part in (
            RestRoutes(self.world, self.commands, self.throttle),
            ChannelRoutes(self.world),
            MessageRoutes(self.world, self.throttle),
            ReplyRoutes(self.world, self.interactions, self.replies),
            PageRoutes(self.world, self.commands, self.interactions, self.gateway, self._feed, self.bot_start),
            WelcomeRoutes(self.world, self._welcome),
            FileRoutes(self._storage),
        ):
            app.add_routes(part.list_routes())
        app.router.add_get("/gateway", self.gateway.serve)
        app.router.add_get("/gateway/", self.gateway.serve)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
        try:
            await self._runner.setup()
            self.port = await self._bind(self._runner)
        except OSError:
            await self.stop()
            raise
        self.world.url = self.url
        self._storage.schedule_write()
        return self.url

    async def _bind(self, runner: web.AppRunner) -> int:
        wanted = self.port
        for port in [wanted] if wanted == 0 else range(wanted, min(wanted + MAX_PORTS, 65536)):
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
        await self._storage.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    async def reset_token(self) -> str:
        """Give the bot a new token, as its owner does at the portal. Every session with the old one ends."""
        self.token = self.gateway.token = secrets.token_urlsafe(32)
        await self.gateway.end_sessions()
        return self.token

    @web.middleware
    async def _handle_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check origin and key of every request. Requests of the bot then pass the rate limits."""
        try:
            page_access.check_origin(request, self.port)
            if request.path.startswith(API):
                self.bot_start.advance("login")
                return await self._handle_bot_request(request, handler)
            if request.path.startswith("/gateway"):
                self.bot_start.advance("connecting")
            if not self._has_key(request):
                return build_locked_response(request)
            return await self._deduplicator.handle(request, lambda again: self._convert_errors(again, handler))
        except PageError as error:
            return wire.build_json_response({"message": error.format_message(choose_words(request))}, error.status)

    async def _handle_bot_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Handle a request of the bot: rate limits, token, injected faults."""
        answer: web.StreamResponse | None = self.throttle.limit_request(request)
        if answer is None:
            answer = await self._convert_errors(request, self._inject_faults(handler))
        self.throttle.finish_response(request, answer)
        return answer

    def _inject_faults(self, handler: Handler) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            self._authorize(request)
            if (fault_response := await self.faults.intercept_request(request)) is not None:
                return fault_response
            return self.faults.intercept_response(request, await handler(request))

        return handle

    async def _convert_errors(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Handle a request and turn errors into JSON."""
        try:
            return await handler(request)
        except PageError as error:
            return wire.build_json_response({"message": error.format_message(choose_words(request))}, error.status)
        except ApiError as error:
            log.debug("refused %s %s: %s", request.method, request.path, error)
            return wire.build_json_response(error.body, error.status)
        except ConnectionError:
            raise  # the client has disconnected
        except (ValueError, OverflowError, RecursionError, OSError) as error:
            # Malformed input that no page and no bot sends: infinite numbers, invalid file names.
            log.warning("refused a %s request: %s", request.method, type(error).__name__)
            return wire.build_json_response({"message": "400: Bad Request", "code": 0}, 400)
        except web.HTTPNotFound:
            if request.path.startswith(API):
                return wire.build_json_response({"message": "404: Not Found", "code": 0}, 404)
            raise

    def _has_key(self, request: web.Request) -> bool:
        if request.path.startswith("/gateway"):
            return True  # the bot, which says its token first of all
        files_key = (self.world.files_key,) if request.path.startswith("/attachments/") else ()
        return page_access.is_authorized(request, self.world.page_key, *files_key)

    def _authorize(self, request: web.Request) -> None:
        # Interaction routes have their own token in the path.
        if request.path.startswith((API + "/interactions/", API + "/webhooks/")):
            return
        if not secrets.compare_digest(request.headers.get("Authorization", "").encode(), f"Bot {self.token}".encode()):
            raise ApiError(401, 0, "401: Unauthorized")
