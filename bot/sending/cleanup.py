"""Throwing away what nobody needs any more or what does not count any more, now and then and a little at a time."""

from collections.abc import Awaitable, Callable
from typing import Final

from bot.core.logs import logger
from bot.tables.acts import Acts
from data.store.connection.store_errors import StoreClosed
from data.store.store import Store
from engine.table.commands import Rearm
from engine.table.table_events import SKEW

log = logger(__name__)

HOUR: Final = 3600 * 1000
KEEP: Final = 30 * 24 * HOUR
"""Interactions and sent posts are kept for so long, in ms, and logs of matches that are over as they were written.
Discord forgets an interaction after fifteen minutes.
"""
LATELY: Final = 30 * 24 * HOUR
"""The leaderboard of the last days is of so many ms ..."""
EXACT: Final = HOUR // 6
"""... and at most so many more."""


class Cleanup:
    """Once an hour prunes the store and packs old logs; keeps the leaderboard of the last days one of the last days."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self.prunes: list[Callable[[int], Awaitable[None]]] = []
        """Called once an hour with the time, to delete rows that a feature no longer needs."""
        self._again_at = 0
        self._lately_at = 0

    async def sweep(self) -> None:
        """One small step, if it is time. There is another one in the next sweep, or later if nothing was left."""
        if self._now() >= self._lately_at and await self._store.results.count_lately(self._now() - LATELY):
            self._lately_at = self._now() + EXACT
        if self._now() < self._again_at:
            return
        before = self._now() - KEEP
        gone, packed = await self._store.operations.prune(before), await self._store.operations.pack_logs(before)
        if gone:
            log.info("old requests and posts were thrown away", rows=gone)
        if packed:
            log.info("logs of old matches were packed", matches=packed)
        for prune in self.prunes:
            await prune(self._now())
        if not gone and not packed:
            self._again_at = self._now() + HOUR


EVERY: Final = 60_000
"""Ms between two looks for tables of the future: another machine may have written them."""
PAGE: Final = 50
"""Tables that are read at once."""


class ClockSteps:
    """Looks for leases and due times that lie further ahead than they ever may.

    They come from a clock that was ahead and has been set right since, or of whose machine nobody has heard again.
    """

    def __init__(self, store: Store, acts: Acts, now: Callable[[], int]) -> None:
        self._store = store
        self._acts = acts
        self._now = now
        self._looked_at: int | None = None

    async def bring_back(self) -> None:
        """Let nothing wait for a time that never was."""
        now = self._now()
        posts = await self._store.outbox.bring_back(now)
        tables = await self._tables(now) if self._is_time(now) else 0
        if posts or tables:
            log.warning(
                "the clock of a machine was ahead, and what it put off to that time is done now: "
                "see that every machine's time is synchronised (timedatectl)",
                posts=posts,
                tables=tables,
            )

    def _is_time(self, now: int) -> bool:
        # Also where this very clock was set back.
        if self._looked_at is not None and 0 <= now - self._looked_at < EVERY:
            return False
        self._looked_at = now
        return True

    async def _tables(self, now: int) -> int:
        """Put the clocks of tables right that were written to in the future; how many there were."""
        found = last = 0
        while heads := await self._store.matches.heads_ahead(now + SKEW, PAGE, after=last):
            for head in heads:
                last = head.match_id
                try:
                    await self._acts.act(head.match_id, Rearm())
                except StoreClosed:
                    raise
                except Exception as error:
                    # One table that cannot be read must not keep the others in the future.
                    log.error("the clock of a table could not be put right", match=last, exc_info=error)
                else:
                    found += 1
        return found
