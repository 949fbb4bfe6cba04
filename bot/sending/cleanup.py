"""Periodic deletion of outdated data, a little at a time."""

from collections.abc import Awaitable, Callable
from typing import Final

from bot.core.logs import get_logger
from bot.tables.acts import TableActions
from data.store.connection.store_errors import StoreClosed
from data.store.store import Store
from engine.table.commands import Rearm
from engine.table.table_events import CLOCK_SKEW

log = get_logger(__name__)

HOUR: Final = 3600 * 1000
RETENTION: Final = 30 * 24 * HOUR
"""Ms for which interactions, sent posts and the uncompressed logs of finished matches are kept. Discord forgets an
interaction after fifteen minutes.
"""
RECENT_SPAN: Final = 30 * 24 * HOUR  # ms that the recent leaderboard covers ...
RECENT_PRECISION: Final = HOUR // 6  # ... plus at most this many


class Cleanup:
    """Prunes the store once an hour, packs old logs, and keeps the recent leaderboard recent."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self.prune_hooks: list[Callable[[int], Awaitable[None]]] = []
        """Called once an hour with the time, to delete rows that a feature no longer needs."""
        self._next_prune_at = 0
        self._recount_at = 0

    async def sweep(self) -> None:
        """Do one small step if it is time; the next follows in the next sweep, or later if nothing is left."""
        if self._now() >= self._recount_at and await self._store.results.advance_recent_period(
            self._now() - RECENT_SPAN
        ):
            self._recount_at = self._now() + RECENT_PRECISION
        if self._now() < self._next_prune_at:
            return
        before, operations = self._now() - RETENTION, self._store.operations
        pruned, compressed = await operations.prune(before), await operations.compress_logs(before)
        if pruned:
            log.info("old requests and posts were deleted", rows=pruned)
        if compressed:
            log.info("logs of old matches were compressed", matches=compressed)
        for prune in self.prune_hooks:
            await prune(self._now())
        if not pruned and not compressed:
            self._next_prune_at = self._now() + HOUR


CHECK_INTERVAL: Final = 60_000  # ms between two checks: another machine may have written a future time
PAGE_SIZE: Final = 50  # tables read at once


class ClockCorrection:
    """Corrects leases and due times that are too far in the future because a clock was ahead."""

    def __init__(self, store: Store, acts: TableActions, now: Callable[[], int]) -> None:
        self._store = store
        self._acts = acts
        self._now = now
        self._checked_at: int | None = None

    async def correct(self) -> None:
        now = self._now()
        posts = await self._store.outbox.reschedule_ahead(now)
        tables = await self._correct_tables(now) if self._is_time(now) else 0
        if posts or tables:
            log.warning(
                "the clock of a machine was ahead, and what it put off to that time is done now: "
                "see that every machine's time is synchronised (timedatectl)",
                posts=posts,
                tables=tables,
            )

    def _is_time(self, now: int) -> bool:
        # Also check if this clock was set back.
        if self._checked_at is not None and 0 <= now - self._checked_at < CHECK_INTERVAL:
            return False
        self._checked_at = now
        return True

    async def _correct_tables(self, now: int) -> int:
        """Correct the clocks of tables written in the future; return how many there were."""
        found = last = 0
        while heads := await self._store.matches.list_future_heads(now + CLOCK_SKEW, PAGE_SIZE, after=last):
            for head in heads:
                last = head.match_id
                try:
                    await self._acts.act(head.match_id, Rearm())
                except StoreClosed:
                    raise
                except Exception as error:
                    # One unreadable table must not block the others.
                    log.error("the clock of a table could not be put right", match=last, exc_info=error)
                else:
                    found += 1
        return found
