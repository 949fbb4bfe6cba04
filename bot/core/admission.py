"""Admit interactions: each once, within the rate limit of its user, and none while the bot is closing."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
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


REMEMBERED: Final = 10_000
"""Interactions of which a second delivery is noticed at once. The store notices the others."""


class Admit(Enum):
    """What is done with an interaction."""

    COME_IN = "come in"
    AGAIN = "again"
    """It was delivered before and is being answered."""
    TOO_FAST = "too_fast"
    CLOSING = "closing"


class Admission:
    """Counts who is inside, so that the bot can wait for them before it closes.

    People have a bucket for acts and one for the suggestions they get while they type.
    """

    def __init__(self, acts: RateLimit, suggestions: RateLimit) -> None:
        self._acts = acts
        self._suggestions = suggestions
        self._known: OrderedDict[int, None] = OrderedDict()
        self._inside = 0
        self._closing = False
        self._empty = asyncio.Event()
        self._empty.set()

    def enter(self, interaction_id: int, user_id: int) -> Admit:
        """Whether an act is served."""
        return self._let_in(interaction_id, user_id, self._acts)

    def suggests(self, interaction_id: int, user_id: int) -> Admit:
        """Whether somebody who types gets suggestions now."""
        return self._let_in(interaction_id, user_id, self._suggestions)

    def _let_in(self, interaction_id: int, user_id: int, limit: RateLimit) -> Admit:
        if interaction_id in self._known:
            return Admit.AGAIN
        self._known[interaction_id] = None
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        if self._closing:
            return Admit.CLOSING
        return Admit.COME_IN if limit.take(user_id) else Admit.TOO_FAST

    @contextmanager
    def inside(self) -> Iterator[None]:
        """While an interaction is being served."""
        self._inside += 1
        self._empty.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if self._inside == 0:
                self._empty.set()

    async def close(self) -> None:
        """Let nobody in any more, and wait until all have left."""
        self._closing = True
        await self._empty.wait()


def open_to_all() -> Admission:
    """A door where nobody is too fast: for tests, and for the playground, where nobody can bother anybody."""
    return Admission(Unlimited(), Unlimited())
