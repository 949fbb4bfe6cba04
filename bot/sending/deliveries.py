"""Whether what is said gets through: what became of the last attempts, at whatever table."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import discord

from bot.core.discord_errors import PASSES, is_passing, wait_after

ILL: Final = 8
"""After so many failures in a row, none of which is about the message, nothing gets through."""


class Deliveries:
    """Counts them. While nothing gets through, one table at a time finds out whether that is over: thousands that try
    again by themselves would keep a Discord down that is about to get up.
    """

    def __init__(self) -> None:
        self.arrived = 0
        """Messages that Discord took, changed or deleted, or that it refused for what they are."""
        self.failed = 0
        """Those of which nobody knows, or that Discord was not able to take."""
        self.in_a_row = 0
        """How many of these since the last that arrived."""
        self.last_failure: Exception | None = None
        self.probe_at = 0.0
        """When one table may find out next whether anything gets through again (the loop's time)."""

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Around one message that is sent, changed or deleted."""
        try:
            yield
        except Exception as error:
            if isinstance(error, discord.HTTPException) and not is_passing(error):
                self._arrived()
            else:
                self.fail(error)
            raise
        self._arrived()

    def _arrived(self) -> None:
        self.arrived += 1
        self.in_a_row = 0

    def fail(self, error: Exception) -> None:
        """An attempt came to nothing, whatever it was about to ask."""
        if error is self.last_failure:
            return  # counted where it happened
        self.failed += 1
        self.in_a_row += 1
        self.last_failure = error
        self.probe_at = asyncio.get_running_loop().time() + _pause(error, self.in_a_row - ILL)

    @property
    def ill(self) -> bool:
        """Whether nothing gets through."""
        return self.in_a_row >= ILL

    def may_probe(self) -> bool:
        """Whether it is time for one table to find out whether that is over; answers so once."""
        now = asyncio.get_running_loop().time()
        if now < self.probe_at:
            return False
        # Should that one never come back, somebody else tries.
        self.probe_at = now + _pause(self.last_failure, 0)
        return True


def _pause(error: Exception | None, attempts: int) -> float:
    """Seconds until the next one tries; whatever is wrong with a message says nothing about the others."""
    wait = wait_after(error, attempts) / 1000
    return wait if is_passing(error) else min(PASSES, wait)
