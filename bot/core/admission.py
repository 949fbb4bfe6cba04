"""Admit interactions: each once, within the rate limit of its user, and none while the bot is closing."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Final

MAX_USERS: Final = 10_000  # users in a rate limiter; dropped users start with a full bucket


class RateLimit:
    def __init__(self, now: Callable[[], int], *, burst: int = 10, per_second: float = 1.0) -> None:
        self._now = now
        self._burst = burst
        self._per_ms = per_second / 1000
        self._full_at: OrderedDict[int, float] = OrderedDict()  # UTC epoch ms at which each user's bucket is full again

    def take(self, user_id: int) -> bool:
        """Take one token; return whether there was one."""
        now = self._now()
        last_full_at, full_span = self._full_at.get(user_id, 0.0), self._burst / self._per_ms
        # A bucket that takes longer to fill was used while the clock was ahead.
        full_at = max(float(now), last_full_at if last_full_at <= now + full_span else 0.0) + 1 / self._per_ms
        if full_at - now > full_span:
            return False
        self._full_at[user_id] = full_at
        self._full_at.move_to_end(user_id)
        while len(self._full_at) > MAX_USERS or (self._full_at and next(iter(self._full_at.values())) <= now):
            self._full_at.popitem(last=False)
        return True

    def __len__(self) -> int:
        return len(self._full_at)


class NoRateLimit(RateLimit):
    def __init__(self) -> None:
        super().__init__(lambda: 0)

    def take(self, user_id: int) -> bool:
        return True


ENTRY: Final = "entry"  # in the extras of an interaction that was admitted before its handler is known
MAX_INTERACTIONS: Final = 10_000  # interactions that are deduplicated in memory; the store deduplicates all


class AdmissionResult(Enum):
    COME_IN = "come in"
    AGAIN = "again"  # a duplicate delivery
    TOO_FAST = "too_fast"
    CLOSING = "closing"


class Admission:
    """Admits interactions within a user's rate limits, and counts those in progress, so that `close` can wait."""

    def __init__(self, acts: RateLimit, suggestions: RateLimit) -> None:
        self._acts = acts
        self._suggestions = suggestions
        self._seen_ids: OrderedDict[int, None] = OrderedDict()
        self._in_progress = 0
        self._closing = False
        self._empty = asyncio.Event()
        self._empty.set()

    def admit(self, interaction_id: int, user_id: int) -> AdmissionResult:
        return self._admit(interaction_id, user_id, self._acts)

    def admit_suggestion(self, interaction_id: int, user_id: int) -> AdmissionResult:
        return self._admit(interaction_id, user_id, self._suggestions)

    def _admit(self, interaction_id: int, user_id: int, limit: RateLimit) -> AdmissionResult:
        if interaction_id in self._seen_ids:
            return AdmissionResult.AGAIN
        self._seen_ids[interaction_id] = None
        if len(self._seen_ids) > MAX_INTERACTIONS:
            self._seen_ids.popitem(last=False)
        if self._closing:
            return AdmissionResult.CLOSING
        return AdmissionResult.COME_IN if limit.take(user_id) else AdmissionResult.TOO_FAST

    @contextmanager
    def track(self) -> Iterator[None]:
        self._in_progress += 1
        self._empty.clear()
        try:
            yield
        finally:
            self._in_progress -= 1
            if self._in_progress == 0:
                self._empty.set()

    async def close(self) -> None:
        self._closing = True
        await self._empty.wait()


def create_unlimited_admission() -> Admission:
    return Admission(NoRateLimit(), NoRateLimit())
