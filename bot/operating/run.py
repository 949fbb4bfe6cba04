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
from bot.computers.external_players import Programs, read_programs
from bot.core import logs
from bot.core.admission import Admission, RateLimit, open_to_all
from bot.core.environment import Settings, now
from bot.core.logs import logger
from bot.operating.sharding import AUTOMATIC, Division
from bot.operating.startup import Attempts, remedy
from bot.operating.status import StatusAddress, Vitals, served
from bot.operating.watchdog import watch
from bot.playground.launch import point_at
from data.store.connection.store_errors import OtherApplication, StoreUnavailable
from data.store.store import Store

log = logger(__name__)
ANSWERED: Final = 5.0  # seconds until waiting for the database fails, while an answer can still be sent
DRAIN: Final = 8.0  # seconds to finish running work; most service managers kill after ten
LETS_GO: Final = 0.5  # further seconds for the database to close
LAST: Final = 9.0  # seconds until the process exits in any case; committed changes are safe


def end_in_time() -> None:
    """Exit after `LAST` seconds, even if a thread hangs that Python would wait for."""
    timer = threading.Timer(LAST, _exit_now)
    timer.daemon = True
    timer.start()


async def drained(client: Boneyard, *, stopping: bool) -> None:
    if stopping:
        client.services.store.hurry(ANSWERED)
    try:
        async with asyncio.timeout(DRAIN):
            await client.drain()
    except TimeoutError:
        log.warning("some work takes too long; the next start continues it")


def _exit_now() -> None:
    log.warning("some work hangs, so the bot exits without waiting for it; the next start continues it")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


FAILED: Final = 1
NOT_ITS_OWN: Final = 3  # exit status for another application's database; a retry cannot help
LOGIN: Final = 120.0  # seconds for a login
HEARD: Final = 900.0  # seconds from the login to all guilds; many processes start one after another
PATIENCE: Final = 30.0  # longest rate limit in seconds that discord.py waits for during the login


def run(settings: Settings, *, local: str | None = None, shards: Division = AUTOMATIC) -> int:
    """Run until SIGINT or SIGTERM; return the exit status. `local` is the address of a local Discord.

    A problem that needs the operator is one line on standard error and status 1, or 3 if the database belongs to
    another application. All other failures are logged and retried (`bot.operating.startup`).
    """
    logs.begin(level=logging.WARNING if local else logging.INFO, secrets=(settings.token or "",))
    # The bot has no voice features.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    if local:
        logging.getLogger("discord").setLevel(logging.ERROR)
    if not settings.token:
        return _failed("There is no token. Set DISCORD_TOKEN, or try the bot without one: boneyard play")
    try:
        status = None if settings.status is None else StatusAddress.read(settings.status)
        commands = read_programs(settings.players)
    except ValueError as error:
        return _failed(str(error))
    if local is not None:
        point_at(local)
    try:
        asyncio.run(_run(settings.token, settings.database_url, shards, commands, status, local=local is not None))
    except OtherApplication as error:
        return _failed(str(error), NOT_ITS_OWN)
    except StoreUnavailable as error:
        return _failed(str(error))
    except discord.DiscordException as error:
        told = remedy(error)
        if told is None:
            raise
        return _failed(told)
    return 0


def _failed(line: str, status: int = FAILED) -> int:
    print(line, file=sys.stderr)
    return status


async def _run(
    token: str,
    database_url: str | None,
    shards: Division,
    commands: Mapping[str, str],
    status: StatusAddress | None,
    *,
    local: bool,
) -> None:
    vitals, stop = Vitals(), asyncio.Event()

    def told() -> None:
        if not stop.is_set():
            end_in_time()
        stop.set()

    async with served(status, vitals):
        _on_signal(told)
        if local:
            _on_end_of_stdin(asyncio.get_running_loop(), told)
        attempts = Attempts(stop)
        store = await _opened(database_url, attempts)
        if store is None:
            return
        try:
            while True:
                admission = open_to_all() if local else _admission()
                client = build(store, admission=admission, division=shards, programs=Programs(commands))
                client.playground = local
                vitals.store, vitals.client = store, client
                if not await attempts.again(await _life(client, token, attempts)):
                    break
        finally:
            await store.close(within=LETS_GO if stop.is_set() else None)


async def _opened(database_url: str | None, attempts: Attempts) -> Store | None:
    """Open the store, with retries; None if the bot is stopped first. Raises StoreUnavailable."""
    while True:
        try:
            return await attempts.unless_stopped(Store.open(database_url, claimed=False))
        except StoreUnavailable as error:
            if not await attempts.again(error):
                return None


async def _life(client: Boneyard, token: str, attempts: Attempts) -> Exception | None:
    """Run one client; return the error that ended it, None for a stop. Raises OtherApplication."""
    failed: Exception | None = None
    async with client:
        working = asyncio.create_task(_connected(client, token))
        stopping = asyncio.create_task(attempts.stop.wait())
        watching = asyncio.create_task(watch(client))
        attempts.began()
        await asyncio.wait({working, stopping, watching}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        watching.cancel()
        await drained(client, stopping=attempts.stop.is_set())
        await client.close()
        working.cancel()
        ended, _ = await asyncio.gather(working, watching, return_exceptions=True)
        failed = ended if isinstance(ended, Exception) else None
    if isinstance(failed, OtherApplication):
        raise failed
    return failed


async def _connected(client: Boneyard, token: str) -> None:
    # discord.py would silently wait for a rate limit of any length.
    client.http.max_ratelimit_timeout = PATIENCE
    async with asyncio.timeout(LOGIN) as client.limit:
        await client.login(token)
        client.http.max_ratelimit_timeout = None
        client.limit.reschedule(asyncio.get_running_loop().time() + HEARD)
        await client.connect()


def _admission() -> Admission:
    """Return the rate limits. Fast players click twice a second; autocomplete needs more."""
    return Admission(RateLimit(now, most=20, per_second=2), RateLimit(now, most=40, per_second=10))


def _on_signal(stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: Ctrl-C raises KeyboardInterrupt instead
            log.debug("no handler for this signal here", number=int(number))


def _on_end_of_stdin(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Stop when the playground, at the other end of the pipe, ends in any way."""

    def wait() -> None:
        # Not sys.stdin: Python aborts at exit while a thread holds its lock.
        while os.read(0, 4096):
            pass
        with suppress(RuntimeError):  # the loop may have ended first
            loop.call_soon_threadsafe(stop)

    threading.Thread(target=wait, daemon=True).start()
