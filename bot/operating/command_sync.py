"""Registers the commands with Discord: once for each change, in the background, until it succeeds."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import discord
from discord import app_commands

from bot.core.discord_errors import compute_retry_delay, format_error_code
from bot.core.logs import get_logger
from data.store.connection.store_errors import StoreClosed
from data.store.store import Store

log = get_logger(__name__)
LEASE_MS: Final = 120_000  # ms of a process's lease
POLL_SECONDS: Final = 0.5  # seconds between two checks whether another process is done
DAILY_LIMIT_CODE: Final = 30034  # Discord's code for too many new commands in a day
# Seconds that startup waits for it, so that users do not type a command that is about to change.
MAX_START_WAIT: Final = 10.0
MIN_REPAIR_INTERVAL: Final = 3600_000  # ms without another registration, even if Discord still shows other commands


def _format_failure(error: Exception) -> str:
    if isinstance(error, app_commands.CommandSyncFailure):
        return "Discord rejects the commands; the old ones stay. Report this, with the version"
    if isinstance(error, discord.HTTPException) and error.code == DAILY_LIMIT_CODE:
        return "Discord accepts no more new commands today; the old ones stay, and the bot retries later"
    return "the commands cannot be registered now; the old ones stay, and the bot retries"


@dataclass(eq=False)
class CommandRegistration:
    _tree: app_commands.CommandTree[Any]
    _application_id: int
    _store: Store
    _now: Callable[[], int]
    _mark: str = field(default="", init=False)
    _registered_at: int = field(default=0, init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)

    async def begin(self) -> None:
        """Start registering; wait at most `MAX_START_WAIT`."""
        self._task = asyncio.create_task(self._register_until_done())
        # Not a timeout, which would cancel discord.py in the middle of a request.
        await asyncio.wait({self._task}, timeout=MAX_START_WAIT)

    async def restore_commands(self) -> None:
        """Register again if another program has replaced the commands, and not another version of the bot."""
        if not self._mark or not self._is_idle() or 0 <= self._now() - self._registered_at < MIN_REPAIR_INTERVAL:
            return
        if await self._store.operations.lease_command_sync(self._mark, now=self._now(), until=self._now()) is not False:
            return
        log.warning("Discord shows other commands than these; registering again")
        await self._store.operations.note_commands_registered(self._mark, is_success=False)
        self._task = asyncio.create_task(self._register_until_done())

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _is_idle(self) -> bool:
        return self._task is None or self._task.done()

    async def _register_until_done(self) -> None:
        failed = 0
        while True:
            try:
                is_registered = await self._register()
            except StoreClosed:
                return
            except Exception as error:
                wait = compute_retry_delay(error, failed) / 1000
                failed += 1
                log.warning(_format_failure(error), code=format_error_code(error), seconds=round(wait))
                with suppress(Exception):  # else other processes wait for this lease to expire
                    await self._store.operations.note_commands_registered(self._mark, is_success=False)
                await asyncio.sleep(wait)
            else:
                if is_registered:
                    return
                await asyncio.sleep(POLL_SECONDS)

    async def _register(self) -> bool:
        """Register the commands if this process has the lease; return whether they are registered."""
        translator = self._tree.translator
        assert translator is not None
        payloads = [await one.get_translated_payload(self._tree, translator) for one in self._tree.get_commands()]
        as_text = json.dumps([self._application_id, payloads], sort_keys=True)
        self._mark = hashlib.sha256(as_text.encode()).hexdigest()[:32]
        now = self._now()
        has_lease = await self._store.operations.lease_command_sync(self._mark, now=now, until=now + LEASE_MS)
        if has_lease:
            # One request replaces all commands; only new ones count against Discord's daily limit.
            await self._tree.sync()
            await self._store.operations.note_commands_registered(self._mark)
            self._registered_at = self._now()
            log.info("the commands are registered")
        return has_lease is not None
