"""Private messages that wait for a review: they show its progress and then the review.

As for hands (`live_hands.py`), the way to edit them is kept in memory only. After a restart their button asks again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import discord

from bot.core.discord_errors import FAILURES, code_of
from bot.core.logs import logger
from bot.reviews.service import Reviewing
from bot.sending.live_hands import LIFE
from bot.tables.messages import Content
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import StoreClosed
from engine.table.refusals import Refused

log = logger(__name__)

PAUSE: Final = 3.0  # the shortest time between two edits of a message, in seconds

Key = tuple[int, int]  # the user and the match


class AwaitedReviews:
    """Updates the newest message of a user for each match."""

    def __init__(self, pause: float = PAUSE) -> None:
        self._pause = pause
        self._following: dict[Key, asyncio.Task[None]] = {}

    @property
    def following(self) -> int:
        return len(self._following)

    def follow(
        self,
        key: Key,
        making: Reviewing,
        message_id: int,
        webhook: discord.Webhook,
        content: Callable[[], Awaitable[Content]],
    ) -> None:
        """Update a message that shows progress. `content` makes its next content."""
        before = self._following.pop(key, None)
        if before is not None:
            before.cancel()
        task = asyncio.create_task(self._follow(making, message_id, webhook, content))
        self._following[key] = task
        task.add_done_callback(lambda done: self._done(key, done))

    async def idle(self) -> None:
        while self._following:
            await asyncio.wait(self._following.values())

    async def end(self) -> None:
        for task in list(self._following.values()):
            task.cancel()
        await self.idle()

    async def _follow(
        self, making: Reviewing, message_id: int, webhook: discord.Webhook, content: Callable[[], Awaitable[Content]]
    ) -> None:
        try:
            async with asyncio.timeout(LIFE / 1000):
                while not making.over:
                    await making.moved()
                    if not making.over:
                        await _changed(message_id, webhook, await content())
                        await self._rest(making)
                await _changed(message_id, webhook, await content())
        except TimeoutError:
            return
        except FAILURES as error:
            log.info("no user waits for a review any more", code=code_of(error))
        except (Refused, DatabaseUnavailable, StoreClosed) as error:
            log.info("a review could not be shown", reason=repr(error)[:200])

    async def _rest(self, making: Reviewing) -> None:
        try:
            async with asyncio.timeout(self._pause):
                while not making.over:
                    await making.moved()
        except TimeoutError:
            return

    def _done(self, key: Key, task: asyncio.Task[None]) -> None:
        if self._following.get(key) is task:
            del self._following[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a review was not shown", exc_info=error)


async def _changed(message_id: int, webhook: discord.Webhook, content: Content) -> None:
    await webhook.edit_message(message_id, view=content.view, attachments=content.files)
