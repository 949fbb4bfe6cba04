"""Throwing away what nobody needs any more or what does not count any more, now and then and a little at a time."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from bot.base.logs import logger
from data.store import Store

log = logger(__name__)

HOUR: Final = 3600 * 1000
KEEP: Final = 30 * 24 * HOUR
"""Interactions and sent posts are kept for so long, in ms, and logs of matches that are over as they were written.
Discord forgets an interaction after fifteen minutes.
"""
LATELY: Final = 30 * 24 * HOUR
"""The leaderboard of the last days is of so many ms ..."""
FIGURES: Final = 180 * 24 * HOUR
"""Figures that nobody has touched for so many ms are forgotten."""
ATTACKS: Final = 30 * 24 * HOUR
"""Of older deals of the day only what attempts came to is kept."""
EXACT: Final = HOUR // 6
"""... and at most so many more."""


class Cleanup:
    """Once an hour prunes the store and packs old logs; keeps the leaderboard of the last days one of the last days."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._again_at = 0
        self._lately_at = 0

    async def sweep(self) -> None:
        """One small step, if it is time. There is another one in the next sweep, or later if nothing was left."""
        if self._now() >= self._lately_at and await self._store.count_lately(self._now() - LATELY):
            self._lately_at = self._now() + EXACT
        if self._now() < self._again_at:
            return
        before = self._now() - KEEP
        gone, packed = await self._store.prune(before), await self._store.pack_logs(before)
        if gone:
            log.info("old requests and posts were thrown away", rows=gone)
        if packed:
            log.info("logs of old matches were packed", matches=packed)
        await self._store.prune_figures(self._now() - FIGURES)
        await self._store.prune_attacks(_day_at(self._now() - ATTACKS))
        if not gone and not packed:
            self._again_at = self._now() + HOUR


def _day_at(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()
