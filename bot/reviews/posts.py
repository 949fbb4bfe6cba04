"""Private messages that wait for a review: they show its progress and then the review.

As for hands (`live_hands.py`), the way to edit them is kept in memory only. After a restart their button asks again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import discord

from bot.core.discord_errors import REQUEST_ERRORS, format_error_code
from bot.core.logs import get_logger
from bot.reviews.service import ReviewJob
from bot.sending.live_hands import TRACKED_MS
from bot.tables.messages import Content
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import StoreClosed
from engine.table.refusals import RefusalError

log = get_logger(__name__)

PAUSE: Final = 3.0  # the shortest time between two edits of a message, in seconds

Key = tuple[int, int]  # the user and the match
BuildContent = Callable[[], Awaitable[Content]]


class ReviewProgressUpdater:
    """Updates the newest message of a user for each match."""

    def __init__(self) -> None:
        self._tasks: dict[Key, asyncio.Task[None]] = {}

    @property
    def follower_count(self) -> int:
        return len(self._tasks)

    def follow(
        self, key: Key, job: ReviewJob, message_id: int, webhook: discord.Webhook, build_content: BuildContent
    ) -> None:
        """Update a message that shows progress. `content` makes its next content."""
        before = self._tasks.pop(key, None)
        if before is not None:
            before.cancel()
        task = asyncio.create_task(self._follow(job, message_id, webhook, build_content))
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._remove_task(key, done))

    async def wait_until_idle(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    async def end(self) -> None:
        for task in list(self._tasks.values()):
            task.cancel()
        await self.wait_until_idle()

    async def _follow(
        self, job: ReviewJob, message_id: int, webhook: discord.Webhook, build_content: BuildContent
    ) -> None:
        try:
            async with asyncio.timeout(TRACKED_MS / 1000):
                while not job.is_over:
                    await job.wait_for_progress()
                    if not job.is_over:
                        await _edit_message(message_id, webhook, await build_content())
                        await self._wait_between_edits(job)
                await _edit_message(message_id, webhook, await build_content())
        except TimeoutError:
            return
        except REQUEST_ERRORS as error:
            log.info("no user waits for a review any more", code=format_error_code(error))
        except (RefusalError, DatabaseUnavailable, StoreClosed) as error:
            log.info("a review could not be shown", reason=repr(error)[:200])

    async def _wait_between_edits(self, job: ReviewJob) -> None:
        try:
            async with asyncio.timeout(PAUSE):
                while not job.is_over:
                    await job.wait_for_progress()
        except TimeoutError:
            return

    def _remove_task(self, key: Key, task: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a review was not shown", exc_info=error)


async def _edit_message(message_id: int, webhook: discord.Webhook, content: Content) -> None:
    await webhook.edit_message(message_id, view=content.view, attachments=content.files)
