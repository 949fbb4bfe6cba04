"""Running the bot: open the store, connect, stay until told to stop."""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import aiohttp
import discord

from bot.base import logs
from bot.base.admission import Admission, open_to_all
from bot.base.environment import Settings, now
from bot.base.rate_limits import RateLimit
from bot.operating.client import Boneyard
from bot.operating.status import Address, served
from bot.operating.vitals import Vitals
from bot.operating.wiring import build
from bot.playground.redirect import point_at
from data.store import OtherApplication, Store, StoreUnavailable

log = logs.logger(__name__)

FAILED: Final = 1
NOT_ITS_OWN: Final = 3
"""The status where the database belongs to another application; trying again will not do."""

DRAIN: Final = 8.0
"""Seconds to finish what was begun when the bot is told to stop; those who stop it mostly wait ten."""


def run(settings: Settings, *, local: str | None = None) -> int:
    """Run until SIGINT or SIGTERM; the exit status. `local` is the address of a local Discord to talk to instead.

    Whatever keeps the bot from starting is one line on standard error and status 1; 3 where the database belongs to
    another application.
    """
    # In the playground the person who plays reads the same terminal.
    logs.begin(level=logging.WARNING if local else logging.INFO, secrets=(settings.token or "",))
    # The bot never speaks; what it lacks for that is nobody's concern.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    if local:
        # The page shows what it warns of.
        logging.getLogger("discord").setLevel(logging.ERROR)
    if not settings.token:
        return _failed("There is no token. Set DISCORD_TOKEN, or try the bot without one: boneyard play")
    try:
        status = None if settings.status is None else Address.read(settings.status)
    except ValueError as error:
        return _failed(str(error))
    if local is not None:
        point_at(local)
    try:
        asyncio.run(_watched(settings.token, settings.database_url, local=local is not None, status=status))
    except StoreUnavailable as error:
        return _failed(str(error))
    except OtherApplication as error:
        return _failed(str(error), NOT_ITS_OWN)
    except discord.LoginFailure:
        return _failed("Discord does not accept the token in DISCORD_TOKEN. Copy it again from the developer portal.")
    except discord.DiscordException as error:
        # It is ill, or does not take the commands: what it says is all that can be said.
        return _failed(f"Discord turned the bot away: {_in_a_line(error)}")
    except (aiohttp.ClientError, OSError) as error:
        return _failed(f"Discord cannot be reached: {_in_a_line(error)}")
    return 0


def _in_a_line(error: Exception) -> str:
    """What an error says; some say it in several lines, and some nothing at all."""
    return " ".join(str(error).split()) or type(error).__name__


def _failed(line: str, status: int = FAILED) -> int:
    print(line, file=sys.stderr)
    return status


async def _watched(token: str, database_url: str | None, *, local: bool, status: Address | None) -> None:
    vitals = Vitals()
    async with served(status, vitals):
        await _run(token, database_url, local=local, vitals=vitals)


async def _run(token: str, database_url: str | None, *, local: bool, vitals: Vitals) -> None:
    stop = asyncio.Event()
    _on_signal(stop.set)
    store = await Store.open(database_url)
    try:
        client = build(store, admission=open_to_all() if local else _admission())
        client.playground = local
        vitals.store, vitals.client = store, client
        if local:
            _on_end_of_stdin(asyncio.get_running_loop(), stop.set)
        async with client:
            working = asyncio.create_task(client.start(token))
            stopping = asyncio.create_task(stop.wait())
            await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if working.done():
                working.result()
            await _drained(client)
            await client.close()
            await asyncio.gather(working, return_exceptions=True)
    finally:
        await store.close()


def _admission() -> Admission:
    """Playing at one's fastest takes two presses a second for a while; typing, some suggestions more."""
    return Admission(RateLimit(now, most=20, per_second=2), RateLimit(now, most=40, per_second=10))


async def _drained(client: Boneyard) -> None:
    """Let people who have just pressed get their answer, and everybody see what it led to."""
    try:
        async with asyncio.timeout(DRAIN):
            await client.drain()
    except TimeoutError:
        log.warning("something takes too long; the next start goes on with it")


def _on_signal(stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: Ctrl-C raises KeyboardInterrupt instead
            log.debug("no handler for this signal here", number=int(number))


def _on_end_of_stdin(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """The playground holds the other end of a pipe: however it dies, its bot goes with it."""

    def wait() -> None:
        # Not through sys.stdin: Python aborts when it ends while a thread holds the lock of that object.
        while os.read(0, 4096):
            pass
        with suppress(RuntimeError):  # the loop may have ended first
            loop.call_soon_threadsafe(stop)

    threading.Thread(target=wait, daemon=True).start()
