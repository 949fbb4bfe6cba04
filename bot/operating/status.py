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
from bot.core.environment import Finding, read_version
from bot.operating.doctor import MODERATOR_FIXES, format_sentence
from data.store.connection.faults import REMEDIES, DatabaseFault
from data.store.connection.shards import UNSHARDED
from data.store.outbox.outbox_values import Backlog
from data.store.store import Store

DATABASE_TIMEOUT: Final = 2.0  # seconds for the database's part of the page
CACHE_SECONDS: Final = 5.0  # seconds for which its answer is cached
GATEWAY_TIMEOUT: Final = 120.0  # seconds without the gateway; discord.py mostly reconnects earlier
SWEEP_TIMEOUT: Final = 60.0  # seconds without the end of a sweep, which starts every five
POST_TIMEOUT: Final = 300.0  # seconds that a post waits before it counts as stuck
CLOCK_TIMEOUT: Final = 120.0  # seconds that a due clock waits before it counts as stuck


@dataclass(slots=True)
class HealthMonitor:
    """The health of the process. Its parts are set as they start: the page exists before the bot."""

    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    client: Boneyard | None = None
    store: Store | None = None
    _started_at: float = field(init=False)
    _backlog: Backlog | None = field(default=None, init=False)  # last answer of the database
    _is_answering: bool = field(default=False, init=False)
    _queried_at: float = field(default=float("-inf"), init=False)
    _query: asyncio.Task[Backlog] | None = field(default=None, init=False)
    _connected_at: float = field(init=False)  # when all shards were last connected, by `clock`
    _up: bool = field(default=False, init=False)
    _counted_failures: int = field(default=0, init=False)
    _shown_shards: Set[int] = field(default=frozenset(), init=False)  # shards with gauges

    def __post_init__(self) -> None:
        self._started_at = self._connected_at = self.clock()
        metrics.VERSION.labels(read_version()).set(1)

    async def refresh(self) -> None:
        up = read_shard_states(self.client)
        self._show_shards(up)
        self._up = bool(up) and all(up.values())
        if self._up:
            self._connected_at = self.clock()
        if self.client is not None:
            for shard, seconds in self.client.latencies:
                metrics.LATENCY.labels(str(shard)).set(seconds)
            metrics.SERVERS.set(len(self.client.guilds))
        await self._query_database()

    def _show_shards(self, up: Mapping[int, bool]) -> None:
        for shard in self._shown_shards - up.keys():
            if up:
                metrics.GATEWAY.remove(str(shard))
            else:
                metrics.GATEWAY.labels(str(shard)).set(0)
        for shard, is_up in up.items():
            metrics.GATEWAY.labels(str(shard)).set(is_up)
        self._shown_shards = up.keys() if up else self._shown_shards

    async def _query_database(self) -> None:
        if self.store is None:
            metrics.DATABASE.set(0)
            return
        if self.clock() - self._queried_at < CACHE_SECONDS and self._is_answering:
            return
        # One query at a time: they must not pile up while the database hangs.
        if self._query is None or self._query.done():
            own_shards = UNSHARDED if self.client is None else self.client.services.presence.own_shards
            query = self.store.operations.load_backlog(now=int(self.wall() * 1000), of=own_shards)
            self._query = asyncio.create_task(query)
        await asyncio.wait([self._query], timeout=DATABASE_TIMEOUT)
        self._queried_at = self.clock()
        self._is_answering = self._query.done() and not self._query.cancelled() and self._query.exception() is None
        if self._is_answering:
            self._backlog = self._query.result()
        metrics.DATABASE.set(self._is_answering)
        metrics.DATABASE_ERRORS.inc(max(0, self.store.failure_count - self._counted_failures))
        self._counted_failures = self.store.failure_count
        if self._backlog is not None:
            metrics.WAITING_POSTS.set(self._backlog.posts)
            metrics.POST_AGE.set(self._backlog.oldest / 1000)
            metrics.OUTDATED_BOARDS.set(self._backlog.boards)
            metrics.CLOSED_CHANNELS.set(len(self._backlog.closed))
            metrics.OVERDUE_TABLES.set(self._backlog.due)
            metrics.OVERDUE_AGE.set(self._backlog.due_age / 1000)
            metrics.QUARANTINED_MATCHES.set(self._backlog.quarantined)
            fixable = sum(one.trouble in MODERATOR_FIXES for one in self._backlog.stalled)
            metrics.BLOCKED_SEASONS.labels("server").set(fixable)
            metrics.BLOCKED_SEASONS.labels("operator").set(len(self._backlog.stalled) - fixable)

    def list_findings(self) -> list[Finding]:
        found = [_check_gateway(self._up, self.clock() - self._connected_at), self._check_database()]
        if self.client is not None and self._up:
            since_sweep = self.clock() - self.client.swept_at
            fix = "Check the log for `a sweep failed`, and the database. The bot continues when the database answers."
            found.append(Finding(f"sweep: {since_sweep:.0f} s ago", since_sweep < SWEEP_TIMEOUT, fix))
        if self._backlog is not None and self._is_answering:
            oldest, due = self._backlog.oldest / 1000, self._backlog.due_age / 1000
            fix = "No message reaches Discord. Check the log for `the table cannot be shown now`."
            waiting = f"messages: {self._backlog.posts} waiting, for {oldest:.0f} s"
            found.append(Finding(waiting, oldest < POST_TIMEOUT, fix))
            fix = "Clocks that ran out are not handled. Check the log for `what is due at a table could not be done`."
            found.append(Finding(f"clocks: {self._backlog.due} late, by {due:.0f} s", due < CLOCK_TIMEOUT, fix))
            if self._backlog.quarantined:
                # Not a failure of the bot: the host or a moderator is asked to close it.
                text = f"matches in quarantine: {self._backlog.quarantined}; `boneyard doctor` lists them"
                found.append(Finding(text, True))
        return found

    def _check_database(self) -> Finding:
        if self.store is None:
            fix = "It is being opened. If that takes long, the log has the reason."
            return Finding("database: not open yet", self.clock() - self._started_at < SWEEP_TIMEOUT, fix)
        fault = self.store.fault
        if not self._is_answering:
            return Finding("database: no answer", False, format_sentence(REMEDIES[fault or DatabaseFault.SILENT]))
        # Reads may succeed while every write fails, as on a full disk.
        if fault is not None:
            return Finding(
                f"database: answers, but the last request failed ({fault})", False, format_sentence(REMEDIES[fault])
            )
        return Finding("database: answers", True)


def read_shard_states(client: Boneyard | None) -> Mapping[int, bool]:
    """Return which shards of this process are connected; empty before they are known."""
    if client is None or client.shard_ids is None:
        return {}
    shards = client.shards
    return {number: number in shards and not shards[number].is_closed() for number in client.shard_ids}


def _check_gateway(up: bool, seconds_away: float) -> Finding:
    fix = "Discord has a problem, or this machine can't reach it. The bot reconnects. See discordstatus.com."
    text = "gateway: connected" if up else f"gateway: disconnected for {seconds_away:.0f} s"
    return Finding(text, seconds_away < GATEWAY_TIMEOUT, fix)


LOOPBACK: Final = "127.0.0.1"
HEALTH_TIMEOUT: Final = 5.0  # seconds that `boneyard health` waits
MAX_ANSWER_BYTES: Final = 64_000  # bytes of an answer; the bot sends some hundreds
ANSWER_PREFIXES: Final = (" ok  ", "FIX  ")  # first line of the bot's answer, to recognize it
_DIRECT_OPENER: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # bypasses proxies


@dataclass(frozen=True, slots=True)
class StatusAddress:
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `9464`, `127.0.0.1:9464` or `[::1]:9464`; a port alone is on this machine. Raises ValueError."""
        host, colon, port = text.strip().rpartition(":")
        is_port = port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16
        if not is_port or (colon and not host) or any(sign.isspace() for sign in host):
            raise ValueError(f"BONEYARD_STATUS must be a port such as 9464, or HOST:PORT, but is {text!r}")
        return cls(host.strip("[]") or LOOPBACK, int(port))

    @property
    def is_local(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


def fetch_report(address: StatusAddress) -> tuple[bool, str]:
    # An address for all interfaces is asked on this machine.
    url = StatusAddress({"0.0.0.0": LOOPBACK, "::": "::1"}.get(address.host, address.host), address.port).url  # noqa: S104
    try:
        is_healthy, text = _fetch_page(f"{url}/healthz")
    except OSError as error:
        reason = getattr(error, "reason", error)
        return False, f"Nothing answers at {url} ({reason}). Is the bot running with this BONEYARD_STATUS?\n"
    except http.client.HTTPException:
        text = ""
    if not text.startswith(ANSWER_PREFIXES):
        # Another server on the port may answer 200 while the bot waits for the port.
        return False, f"Another program answers at {url}. End it, or set BONEYARD_STATUS to another port.\n"
    return is_healthy, text


def _fetch_page(url: str) -> tuple[bool, str]:
    """Return whether the answer is healthy, and its text. Raises OSError and HTTPException."""
    try:
        with _DIRECT_OPENER.open(url, timeout=HEALTH_TIMEOUT) as answer:
            return True, answer.read(MAX_ANSWER_BYTES).decode(errors="replace")
    except urllib.error.HTTPError as ill:
        return False, ill.read(MAX_ANSWER_BYTES).decode(errors="replace")


log = logs.get_logger(__name__)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
BIND_RETRY_SECONDS: Final = 5.0  # seconds between attempts to bind a used port, such as the previous process's

ProcessCollector(registry=metrics.REGISTRY)
GCCollector(registry=metrics.REGISTRY)


@asynccontextmanager
async def serve_status(address: StatusAddress | None, monitor: HealthMonitor) -> AsyncIterator[None]:
    """Serve the status page at the address, if any, and retry while its port is used."""
    if address is None:
        yield
        return
    if not address.is_local:
        log.warning("other machines can reach the status page; it shows only numbers", port=address.port)
    counted = metrics.LogLineCounter()
    logging.getLogger().addHandler(counted)
    runner = web.AppRunner(_build_app(address, monitor), access_log=None, shutdown_timeout=0.5)
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
    is_logged = False
    while True:
        try:
            await web.TCPSite(runner, address.host, address.port).start()
        except OSError as error:
            if not is_logged:
                log.warning(
                    "the port of the status page is in use; retrying. BONEYARD_STATUS can be another port",
                    code=error.errno,
                )
            is_logged = True
            await asyncio.sleep(BIND_RETRY_SECONDS)
        else:
            log.info("the status page is available", port=address.port)
            return


def _build_app(address: StatusAddress, monitor: HealthMonitor) -> web.Application:
    async def handle_health(request: web.Request) -> web.Response:
        await monitor.refresh()
        findings = monitor.list_findings()
        is_healthy = all(finding.is_ok for finding in findings)
        return web.Response(text="".join(f"{finding}\n" for finding in findings), status=200 if is_healthy else 503)

    async def handle_metrics(request: web.Request) -> web.Response:
        await monitor.refresh()
        return web.Response(body=generate_latest(metrics.REGISTRY), headers={"Content-Type": CONTENT_TYPE_LATEST})

    @web.middleware
    async def check_host(request: web.Request, handler: Handler) -> web.StreamResponse:
        # Prevents DNS rebinding: a web page could read this one under its own host name.
        if address.is_local and not _is_local_host(request.host):
            return web.Response(text="Ask for 127.0.0.1.\n", status=403)
        return await handler(request)

    app = web.Application(middlewares=[check_host], client_max_size=1024)
    app.router.add_get("/healthz", handle_health)
    app.router.add_get("/metrics", handle_metrics)
    return app


def _is_local_host(host: str) -> bool:
    """Return whether a Host header names this machine, with or without a port."""
    name = host if host.endswith("]") else host.rsplit(":", 1)[0]
    return StatusAddress(name.strip("[]"), 1).is_local
