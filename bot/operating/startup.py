"""Failed starts: whether and when to retry, and what the operator reads."""

import asyncio
from collections.abc import Coroutine
from random import Random
from typing import Any, Final, TypeVar

import aiohttp
import discord

from bot.core.discord_errors import compute_retry_delay, format_error_code
from bot.core.logs import get_logger
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import StoreUnavailable

log = get_logger(__name__)
Result = TypeVar("Result")
FIRST_WAIT: Final = 2  # seconds until the first retry; each further wait doubles
MAX_WAIT: Final = 300  # longest wait in seconds; Discord allows a bot a thousand sessions a day
STABLE_AFTER: Final = 600.0  # seconds of running that reset the count of failures
JITTER: Final = 1.25  # random factor, so that processes do not retry together
MAX_ERROR_LENGTH: Final = 160  # characters of an error message in the log
_LOGIN_REFUSED: Final = "Discord does not accept the token in DISCORD_TOKEN. Copy it again from the developer portal."
_OUTDATED: Final = "Discord no longer supports this version of the bot. Install the newest version and start again."
_CLOSE_CODE_FIXES: Final = {
    4004: _LOGIN_REFUSED,
    4010: "Discord rejects these shard ids. Start all processes with the same --shards, and with ids below it.",
    4011: (
        "The bot is on so many servers that Discord requires more shards. Leave out --shards to use the number that "
        "Discord recommends, or raise it to the same number in every process."
    ),
    4012: _OUTDATED,
    4013: _OUTDATED,
}
_INTENTS_REFUSED: Final = (
    "Discord refuses the intents of this bot, although none is privileged. Check in the developer portal, on the pages "
    "Bot and App Verification, whether the application is restricted, and start again."
)


def find_remedy(error: BaseException) -> str | None:
    """Return the remedy if a retry cannot help, else None."""
    match error:
        case discord.LoginFailure() | discord.HTTPException(status=401):
            return _LOGIN_REFUSED
        case discord.PrivilegedIntentsRequired():
            return _INTENTS_REFUSED
        case discord.ConnectionClosed():
            return _CLOSE_CODE_FIXES.get(error.code)
    return None


class Attempts:
    def __init__(self, stop: asyncio.Event) -> None:
        self.stop = stop
        self._rng = Random()  # noqa: S311 - only spreads the load
        self._failed = 0
        self._began = 0.0

    def note_start(self) -> None:
        self._began = asyncio.get_running_loop().time()

    async def run_unless_stopped(self, work: Coroutine[Any, Any, Result]) -> Result | None:
        """Run `work`; cancel it and return None when the bot is stopped."""
        self.note_start()
        working, stopping = asyncio.create_task(work), asyncio.create_task(self.stop.wait())
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if working.done():
            return working.result()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        return None

    async def wait_to_retry(self, error: Exception | None) -> bool:
        """Log a failure, and wait; return False when the bot is stopped. Raises the error if a retry cannot help."""
        if self.stop.is_set():
            return False
        if error is not None and _is_permanent(error):
            raise error
        if asyncio.get_running_loop().time() - self._began > STABLE_AFTER:
            self._failed = 0
        delay = compute_retry_delay(error, self._failed, first=FIRST_WAIT, longest=MAX_WAIT) / 1000
        wait = delay * self._rng.uniform(1, JITTER)
        self._failed += 1
        _log_retry(error, attempt=self._failed, seconds=round(wait))
        try:
            async with asyncio.timeout(wait):
                await self.stop.wait()
        except TimeoutError:
            return True
        return False


def _is_permanent(error: Exception) -> bool:
    return (isinstance(error, StoreUnavailable) and not error.is_transient) or find_remedy(error) is not None


def _log_retry(error: Exception | None, *, attempt: int, seconds: int) -> None:
    shown: dict[str, Any] = {"attempt": attempt, "seconds": seconds}
    if error is not None:
        shown["why"] = format_error_line(error)
    match error:
        case None:
            log.warning("the connection to Discord ended; reconnecting", **shown)
        case StoreUnavailable() | DatabaseUnavailable():
            log.warning("the database cannot be opened now; retrying", **shown)
        case discord.RateLimited() | discord.HTTPException(status=429):
            log.warning("Discord delays the start of this bot; no action is needed", **shown)
        case discord.HTTPException() if error.status >= 500:
            log.warning("Discord has a problem; retrying the start", **shown)
        case discord.HTTPException():
            log.warning("Discord refuses the bot; retrying the start", code=format_error_code(error), **shown)
        case discord.GatewayNotFound() | aiohttp.ClientError() | OSError():
            log.warning("Discord cannot be reached; check this machine's network. Retrying the start", **shown)
        case _:
            log.error("the bot failed; restarting it", exc_info=error, attempt=attempt, seconds=seconds)


def format_error_line(error: Exception) -> str:
    """Return an error's text in one line. Discord's proxy may send a page of HTML."""
    if isinstance(error, discord.HTTPException) and error.text.lstrip().startswith("<"):
        return f"{error.status}, with a web page instead of an answer"
    if isinstance(error, StoreUnavailable | DatabaseUnavailable):
        return str(error)
    return " ".join(str(error).split())[:MAX_ERROR_LENGTH] or type(error).__name__
