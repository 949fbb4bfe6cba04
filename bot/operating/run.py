"""`boneyard run`: opens the store, connects, and runs until stopped."""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

import discord

from bot.app import build
from bot.client import Boneyard
from bot.computers.external_players import ExternalPlayers, read_programs
from bot.core import logs
from bot.core.admission import Admission, RateLimit, create_unlimited_admission
from bot.core.environment import Settings, read_clock
from bot.core.logs import get_logger
from bot.operating.sharding import AUTOMATIC, ShardAssignment
from bot.operating.startup import Attempts, find_remedy
from bot.operating.status import HealthMonitor, StatusAddress, serve_status
from bot.operating.watchdog import watch
from bot.playground.launch import redirect_clients
from data.store.connection.store_errors import DatabaseOwnerError, StoreUnavailable
from data.store.store import Store

log = get_logger(__name__)
DATABASE_TIMEOUT: Final = 5.0  # seconds until waiting for the database fails, while an answer can still be sent
DRAIN_TIMEOUT: Final = 8.0  # seconds to finish running work; most service managers kill after ten
CLOSE_TIMEOUT: Final = 0.5  # further seconds for the database to close
EXIT_TIMEOUT: Final = 9.0  # seconds until the process exits in any case; committed changes are safe


def start_exit_timer() -> None:
    """Exit after `EXIT_TIMEOUT` seconds, even if a thread hangs that Python would wait for."""
    timer = threading.Timer(EXIT_TIMEOUT, _exit_now)
    timer.daemon = True
    timer.start()


async def drain_client(client: Boneyard, *, stopping: bool) -> None:
    if stopping:
        client.services.store.set_deadline(DATABASE_TIMEOUT)
    try:
        async with asyncio.timeout(DRAIN_TIMEOUT):
            await client.drain()
    except TimeoutError:
        log.warning("some work takes too long; the next start continues it")


def _exit_now() -> None:
    log.warning("some work hangs, so the bot exits without waiting for it; the next start continues it")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


FAILED: Final = 1
OTHER_OWNER: Final = 3  # exit status for another application's database; a retry cannot help
LOGIN_TIMEOUT: Final = 120.0  # seconds for a login
GUILDS_TIMEOUT: Final = 900.0  # seconds from the login to all guilds; many processes start one after another
MAX_LOGIN_RATE_LIMIT: Final = 30.0  # longest rate limit in seconds that discord.py waits for during the login


def run(settings: Settings, *, local: str | None = None, shards: ShardAssignment = AUTOMATIC) -> int:
    """Run until SIGINT or SIGTERM; return the exit status. `local` is the address of a local Discord.

    A problem that needs the operator is one line on standard error and status 1, or 3 if the database belongs to
    another application. All other failures are logged and retried (`bot.operating.startup`).
    """
    logs.configure_logging(level=logging.WARNING if local else logging.INFO, secrets=(settings.token or "",))
    # The bot has no voice features.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    if local:
        logging.getLogger("discord").setLevel(logging.ERROR)
    if not settings.token:
        return _print_failure("There is no token. Set DISCORD_TOKEN, or try the bot without one: boneyard play")
    try:
        status = None if settings.status is None else StatusAddress.parse(settings.status)
        commands = read_programs(settings.players)
    except ValueError as error:
        return _print_failure(str(error))
    if local is not None:
        redirect_clients(local)
    try:
        asyncio.run(_run(settings.token, settings.database_url, shards, commands, status, local=local is not None))
    except DatabaseOwnerError as error:
        return _print_failure(str(error), OTHER_OWNER)
    except StoreUnavailable as error:
        return _print_failure(str(error))
    except discord.DiscordException as error:
        fix = find_remedy(error)
        if fix is None:
            raise
        return _print_failure(fix)
    return 0


def _print_failure(line: str, status: int = FAILED) -> int:
    print(line, file=sys.stderr)
    return status


async def _run(
    token: str,
    database_url: str | None,
    shards: ShardAssignment,
    commands: Mapping[str, str],
    status: StatusAddress | None,
    *,
    local: bool,
) -> None:
    monitor, stop = HealthMonitor(), asyncio.Event()

    def request_stop() -> None:
        if not stop.is_set():
            start_exit_timer()
        stop.set()

    async with serve_status(status, monitor):
        _stop_on_signal(request_stop)
        if local:
            _stop_on_stdin_end(asyncio.get_running_loop(), request_stop)
        attempts = Attempts(stop)
        store = await _open_store(database_url, attempts)
        if store is None:
            return
        try:
            while True:
                admission = create_unlimited_admission() if local else _build_admission()
                client = build(store, admission=admission, division=shards, programs=ExternalPlayers(commands))
                client.playground = local
                monitor.store, monitor.client = store, client
                if not await attempts.wait_to_retry(await _run_client(client, token, attempts)):
                    break
        finally:
            await store.close(within=CLOSE_TIMEOUT if stop.is_set() else None)


async def _open_store(database_url: str | None, attempts: Attempts) -> Store | None:
    """Open the store, with retries; None if the bot is stopped first. Raises StoreUnavailable."""
    while True:
        try:
            return await attempts.run_unless_stopped(Store.open(database_url, claimed=False))
        except StoreUnavailable as error:
            if not await attempts.wait_to_retry(error):
                return None


async def _run_client(client: Boneyard, token: str, attempts: Attempts) -> Exception | None:
    """Run one client; return the error that ended it, None for a stop. Raises DatabaseOwnerError."""
    failed: Exception | None = None
    async with client:
        working = asyncio.create_task(_connect(client, token))
        stopping = asyncio.create_task(attempts.stop.wait())
        watching = asyncio.create_task(watch(client))
        attempts.note_start()
        await asyncio.wait({working, stopping, watching}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        watching.cancel()
        await drain_client(client, stopping=attempts.stop.is_set())
        await client.close()
        working.cancel()
        ended, _ = await asyncio.gather(working, watching, return_exceptions=True)
        failed = ended if isinstance(ended, Exception) else None
    if isinstance(failed, DatabaseOwnerError):
        raise failed
    return failed


async def _connect(client: Boneyard, token: str) -> None:
    # discord.py would silently wait for a rate limit of any length.
    client.http.max_ratelimit_timeout = MAX_LOGIN_RATE_LIMIT
    async with asyncio.timeout(LOGIN_TIMEOUT) as client.start_timeout:
        await client.login(token)
        client.http.max_ratelimit_timeout = None
        client.start_timeout.reschedule(asyncio.get_running_loop().time() + GUILDS_TIMEOUT)
        await client.connect()


def _build_admission() -> Admission:
    """Return the rate limits. Fast players click twice a second; autocomplete needs more."""
    return Admission(RateLimit(read_clock, burst=20, per_second=2), RateLimit(read_clock, burst=40, per_second=10))


def _stop_on_signal(stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: Ctrl-C raises KeyboardInterrupt instead
            log.debug("no handler for this signal here", number=int(number))


def _stop_on_stdin_end(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Stop when the playground, at the other end of the pipe, ends in any way."""

    def wait() -> None:
        # Not sys.stdin: Python aborts at exit while a thread holds its lock.
        while os.read(0, 4096):
            pass
        with suppress(RuntimeError):  # the loop may have ended first
            loop.call_soon_threadsafe(stop)

    threading.Thread(target=wait, daemon=True).start()
