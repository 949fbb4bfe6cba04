"""Patience with people who press faster than anybody plays: so many acts at once, then so many a second."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

KEPT: Final = 10_000
"""People who are remembered; somebody forgotten starts afresh."""


class RateLimit:
    """A bucket of tokens a person, kept in memory: nobody's database is asked."""

    def __init__(self, now: Callable[[], int], *, most: int = 10, per_second: float = 1.0) -> None:
        self._now = now
        self._most = most
        self._per_ms = per_second / 1000
        self._full_at: OrderedDict[int, float] = OrderedDict()
        """When each person's bucket will be full again (UTC epoch ms); full ones need not be remembered."""

    def take(self, user_id: int) -> bool:
        """Whether somebody may act now. If so, it costs one token."""
        now = self._now()
        known, longest = self._full_at.get(user_id, 0.0), self._most / self._per_ms
        # No bucket takes longer to fill; one that seems to was used while the clock was ahead.
        full_at = max(float(now), known if known <= now + longest else 0.0) + 1 / self._per_ms
        if full_at - now > longest:
            return False
        self._full_at[user_id] = full_at
        self._full_at.move_to_end(user_id)
        while len(self._full_at) > KEPT or (self._full_at and next(iter(self._full_at.values())) <= now):
            self._full_at.popitem(last=False)
        return True

    def __len__(self) -> int:
        """How many people are remembered."""
        return len(self._full_at)


class Unlimited(RateLimit):
    """Patience without end."""

    def __init__(self) -> None:
        super().__init__(lambda: 0)

    def take(self, user_id: int) -> bool:
        """Always."""
        return True
