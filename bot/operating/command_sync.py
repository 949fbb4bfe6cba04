"""Telling Discord of the commands: once for each list of them, beside everything else, as often as it takes."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import discord
from discord import app_commands

from bot.core.discord_errors import code_of, wait_after
from bot.core.logs import logger
from data.store.connection.store_errors import StoreClosed
from data.store.store import Store

log = logger(__name__)

TURN: Final = 120_000
"""Milliseconds that a process has for it before another one tries."""
LOOK: Final = 0.5
"""Seconds between two looks whether another process is done."""
DAILY: Final = 30034
"""Discord's code where an application has made too many new commands in a day."""
HEAD_START: Final = 10.0
"""Seconds that the bot waits for it before it goes online: nobody is to type a command that is about to change. Matches
that run wait no longer than that, whatever becomes of it.
"""
SETTLED: Final = 3600_000
"""Milliseconds in which Discord is not told again, though it goes on showing other commands."""


def _told(error: Exception) -> str:
    """What whoever runs the bot reads."""
    if isinstance(error, app_commands.CommandSyncFailure):
        return "Discord does not take the commands as they are; the former stay. Report this, with the version"
    if isinstance(error, discord.HTTPException) and error.code == DAILY:
        return "Discord takes no more new commands today; the former stay, and it is told again by itself"
    return "the commands cannot be registered now; the former stay, and it is tried again"


class Registering:
    """Keeps what Discord shows of the commands as it is here."""

    def __init__(
        self, tree: app_commands.CommandTree[Any], application_id: int, store: Store, now: Callable[[], int]
    ) -> None:
        self._tree = tree
        self._application_id = application_id
        self._store = store
        self._now = now
        self._mark = ""
        self._told_at = 0
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Begin with it. Whether it succeeds or not, it takes no longer here than its `HEAD_START`."""
        self._task = asyncio.create_task(self._until_known())
        # Not a timeout: nothing that discord.py is in the middle of is broken off.
        await asyncio.wait({self._task}, timeout=HEAD_START)

    async def mistaken(self) -> None:
        """Somebody used a command that does not exist here. Where no other version of the bot has told Discord of it,
        somebody else's program has: tell Discord again.
        """
        if not self._mark or not self._is_idle() or 0 <= self._now() - self._told_at < SETTLED:
            return
        if await self._store.operations.registers_commands(self._mark, now=self._now(), until=self._now()) is not False:
            return
        log.warning("Discord shows other commands than these; it is told again")
        await self._store.operations.commands_registered(self._mark, well=False)
        self._task = asyncio.create_task(self._until_known())

    def end(self) -> None:
        """Stop trying; the next start goes on with it."""
        if self._task is not None:
            self._task.cancel()

    def _is_idle(self) -> bool:
        return self._task is None or self._task.done()

    async def _until_known(self) -> None:
        failed = 0
        while True:
            try:
                known = await self._once()
            except StoreClosed:
                return
            except Exception as error:
                wait = wait_after(error, failed) / 1000
                failed += 1
                log.warning(_told(error), code=code_of(error), seconds=round(wait))
                with suppress(Exception):  # else another process waits for ours to run out of time
                    await self._store.operations.commands_registered(self._mark, well=False)
                await asyncio.sleep(wait)
            else:
                if known:
                    return
                await asyncio.sleep(LOOK)

    async def _once(self) -> bool:
        """Whether Discord knows the commands, for which it is told of them where that is up to this process."""
        translator = self._tree.translator
        assert translator is not None
        told = [await one.get_translated_payload(self._tree, translator) for one in self._tree.get_commands()]
        as_text = json.dumps([self._application_id, told], sort_keys=True)
        self._mark = hashlib.sha256(as_text.encode()).hexdigest()[:32]
        now = self._now()
        ours = await self._store.operations.registers_commands(self._mark, now=now, until=now + TURN)
        if ours:
            # One request that overwrites all of them; only commands that did not exist count against Discord's daily
            # limit.
            await self._tree.sync()
            await self._store.operations.commands_registered(self._mark)
            self._told_at = self._now()
            log.info("the commands are registered")
        return ours is not None
