"""The status pages `/healthz` and `/metrics`, at the address in `BONEYARD_STATUS`."""

import asyncio
import http.client
import ipaddress
import logging
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Self

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, GCCollector, ProcessCollector, generate_latest

from bot.client import Boneyard
from bot.core import logs, metrics
from bot.core.environment import Finding, this_version
from bot.operating.doctor import PUT_RIGHT
from data.store.connection.shards import UNDIVIDED
from data.store.outbox.outbox_values import Backlog
from data.store.store import Store

ANSWERS_WITHIN: Final = 2.0  # seconds for the database's part of the page
FRESH: Final = 5.0  # seconds for which its answer is cached
ADRIFT: Final = 120.0  # seconds without the gateway; discord.py mostly reconnects earlier
SWEPT: Final = 60.0  # seconds without the end of a sweep, which starts every five
SILENT: Final = 300.0  # seconds that a post waits before it counts as stuck
LATE: Final = 120.0  # seconds that a due clock waits before it counts as stuck


@dataclass(slots=True)
class Vitals:
    """The health of the process. Its parts are set as they start: the page exists before the bot."""

    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    client: Boneyard | None = None
    store: Store | None = None
    _born: float = field(init=False)
    _seen: Backlog | None = field(default=None, init=False)  # last answer of the database
    _answered: bool = field(default=False, init=False)
    _asked_at: float = field(default=float("-inf"), init=False)
    _asking: asyncio.Task[Backlog] | None = field(default=None, init=False)
    _heard_at: float = field(init=False)  # when all shards were last connected, by `clock`
    _up: bool = field(default=False, init=False)
    _counted: int = field(default=0, init=False)
    _shown: Set[int] = field(default=frozenset(), init=False)  # shards with gauges

    def __post_init__(self) -> None:
        self._born = self._heard_at = self.clock()
        metrics.VERSION.labels(this_version()).set(1)

    async def look(self) -> None:
        up = connected(self.client)
        self._show(up)
        self._up = bool(up) and all(up.values())
        if self._up:
            self._heard_at = self.clock()
        if self.client is not None:
            for shard, seconds in self.client.latencies:
                metrics.LATENCY.labels(str(shard)).set(seconds)
            metrics.SERVERS.set(len(self.client.guilds))
        await self._ask_the_database()

    def _show(self, up: Mapping[int, bool]) -> None:
        for shard in self._shown - up.keys():
            if up:
                metrics.GATEWAY.remove(str(shard))
            else:
                metrics.GATEWAY.labels(str(shard)).set(0)
        for shard, is_up in up.items():
            metrics.GATEWAY.labels(str(shard)).set(is_up)
        self._shown = up.keys() if up else self._shown

    async def _ask_the_database(self) -> None:
        if self.store is None:
            metrics.DATABASE.set(0)
            return
        if self.clock() - self._asked_at < FRESH and self._answered:
            return
        # One query at a time: they must not pile up while the database hangs.
        if self._asking is None or self._asking.done():
            mine = UNDIVIDED if self.client is None else self.client.services.presence.mine
            self._asking = asyncio.create_task(self.store.operations.backlog(now=int(self.wall() * 1000), of=mine))
        await asyncio.wait([self._asking], timeout=ANSWERS_WITHIN)
        self._asked_at = self.clock()
        self._answered = self._asking.done() and not self._asking.cancelled() and self._asking.exception() is None
        if self._answered:
            self._seen = self._asking.result()
        metrics.DATABASE.set(self._answered)
        metrics.DATABASE_ERRORS.inc(max(0, self.store.failures - self._counted))
        self._counted = self.store.failures
        if self._seen is not None:
            metrics.POSTS.set(self._seen.posts)
            metrics.POST_AGE.set(self._seen.oldest / 1000)
            metrics.BOARDS.set(self._seen.boards)
            metrics.CLOSED.set(len(self._seen.closed))
            metrics.DUE.set(self._seen.due)
            metrics.DUE_AGE.set(self._seen.due_age / 1000)
            metrics.SET_ASIDE.set(self._seen.aside)
            theirs = sum(one.trouble in PUT_RIGHT for one in self._seen.held)
            metrics.SEASONS_HELD.labels("server").set(theirs)
            metrics.SEASONS_HELD.labels("operator").set(len(self._seen.held) - theirs)

    def findings(self) -> list[Finding]:
        found = [_gateway(self._up, self.clock() - self._heard_at), self._database()]
        if self.client is not None and self._up:
            unswept = self.clock() - self.client.swept_at
            fix = "Check the log for `a sweep failed`, and the database. The bot continues when the database answers."
            found.append(Finding(f"sweep: {unswept:.0f} s ago", unswept < SWEPT, fix))
        if self._seen is not None and self._answered:
            oldest, due = self._seen.oldest / 1000, self._seen.due_age / 1000
            fix = "No message reaches Discord. Check the log for `the table cannot be shown now`."
            found.append(Finding(f"messages: {self._seen.posts} waiting, for {oldest:.0f} s", oldest < SILENT, fix))
            fix = "Clocks that ran out are not handled. Check the log for `what is due at a table could not be done`."
            found.append(Finding(f"clocks: {self._seen.due} late, by {due:.0f} s", due < LATE, fix))
            if self._seen.aside:
                # Not a failure of the bot: the host or a moderator is asked to close it.
                found.append(Finding(f"matches in quarantine: {self._seen.aside}; `boneyard doctor` lists them", True))
        return found

    def _database(self) -> Finding:
        if self.store is None:
            fix = "It is being opened. If that takes long, the log has the reason."
            return Finding("database: not open yet", self.clock() - self._born < SWEPT, fix)
        fix = "Check its server or disk. Until it answers, players are informed that nothing can be saved."
        return Finding("database: answers" if self._answered else "database: no answer", self._answered, fix)


def connected(client: Boneyard | None) -> Mapping[int, bool]:
    """Return which shards of this process are connected; empty before they are known."""
    if client is None or client.shard_ids is None:
        return {}
    there = client.shards
    return {number: number in there and not there[number].is_closed() for number in client.shard_ids}


def _gateway(up: bool, adrift: float) -> Finding:
    fix = "Discord has a problem, or this machine can't reach it. The bot reconnects. See discordstatus.com."
    return Finding("gateway: connected" if up else f"gateway: disconnected for {adrift:.0f} s", adrift < ADRIFT, fix)


HERE: Final = "127.0.0.1"
ASKED: Final = 5.0  # seconds that `boneyard health` waits
LONGEST: Final = 64_000  # bytes of an answer; the bot sends some hundreds
BEGINS: Final = (" ok  ", "FIX  ")  # first line of the bot's answer, to recognize it
_DIRECTLY: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # bypasses proxies


@dataclass(frozen=True, slots=True)
class StatusAddress:
    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse `9464`, `127.0.0.1:9464` or `[::1]:9464`; a port alone is on this machine. Raises ValueError."""
        host, colon, port = text.strip().rpartition(":")
        is_port = port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16
        if not is_port or (colon and not host) or any(sign.isspace() for sign in host):
            raise ValueError(f"BONEYARD_STATUS must be a port such as 9464, or HOST:PORT, but is {text!r}")
        return cls(host.strip("[]") or HERE, int(port))

    @property
    def is_ours(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


def reported(address: StatusAddress) -> tuple[bool, str]:
    # An address for all interfaces is asked on this machine.
    url = StatusAddress({"0.0.0.0": HERE, "::": "::1"}.get(address.host, address.host), address.port).url  # noqa: S104
    try:
        good, told = _answer(f"{url}/healthz")
    except OSError as error:
        reason = getattr(error, "reason", error)
        return False, f"Nothing answers at {url} ({reason}). Is the bot running with this BONEYARD_STATUS?\n"
    except http.client.HTTPException:
        told = ""
    if not told.startswith(BEGINS):
        # Another server on the port may answer 200 while the bot waits for the port.
        return False, f"Another program answers at {url}. End it, or set BONEYARD_STATUS to another port.\n"
    return good, told


def _answer(url: str) -> tuple[bool, str]:
    """Return whether the answer is healthy, and its text. Raises OSError and HTTPException."""
    try:
        with _DIRECTLY.open(url, timeout=ASKED) as answer:
            return True, answer.read(LONGEST).decode(errors="replace")
    except urllib.error.HTTPError as ill:
        return False, ill.read(LONGEST).decode(errors="replace")


log = logs.logger(__name__)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
AGAIN: Final = 5.0  # seconds between attempts to bind a used port, such as the previous process's

ProcessCollector(registry=metrics.REGISTRY)
GCCollector(registry=metrics.REGISTRY)


@asynccontextmanager
async def served(address: StatusAddress | None, vitals: Vitals) -> AsyncIterator[None]:
    """Serve the status page at the address, if any, and retry while its port is used."""
    if address is None:
        yield
        return
    if not address.is_ours:
        log.warning("other machines can reach the status page; it shows only numbers", port=address.port)
    counted = metrics.CountedLines()
    logging.getLogger().addHandler(counted)
    runner = web.AppRunner(_app(address, vitals), access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    listening = asyncio.create_task(_listen(runner, address))
    try:
        yield
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await runner.cleanup()
        logging.getLogger().removeHandler(counted)


async def _listen(runner: web.AppRunner, address: StatusAddress) -> None:
    said = False
    while True:
        try:
            await web.TCPSite(runner, address.host, address.port).start()
        except OSError as error:
            if not said:
                log.warning(
                    "the port of the status page is in use; retrying. BONEYARD_STATUS can be another port",
                    code=error.errno,
                )
            said = True
            await asyncio.sleep(AGAIN)
        else:
            log.info("the status page is available", port=address.port)
            return


def _app(address: StatusAddress, vitals: Vitals) -> web.Application:
    async def health(request: web.Request) -> web.Response:
        await vitals.look()
        findings = vitals.findings()
        good = all(finding.good for finding in findings)
        return web.Response(text="".join(f"{finding}\n" for finding in findings), status=200 if good else 503)

    async def numbers(request: web.Request) -> web.Response:
        await vitals.look()
        return web.Response(body=generate_latest(metrics.REGISTRY), headers={"Content-Type": CONTENT_TYPE_LATEST})

    @web.middleware
    async def ours(request: web.Request, handler: Handler) -> web.StreamResponse:
        # Prevents DNS rebinding: a web page could read this one under its own host name.
        if address.is_ours and not _is_here(request.host):
            return web.Response(text="Ask for 127.0.0.1.\n", status=403)
        return await handler(request)

    app = web.Application(middlewares=[ours], client_max_size=1024)
    app.router.add_get("/healthz", health)
    app.router.add_get("/metrics", numbers)
    return app


def _is_here(host: str) -> bool:
    """Return whether a Host header names this machine, with or without a port."""
    name = host if host.endswith("]") else host.rsplit(":", 1)[0]
    return StatusAddress(name.strip("[]"), 1).is_ours
