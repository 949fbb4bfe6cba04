"""Whether messages get through to Discord: the outcome of the last attempts at all tables."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import discord

from bot.core.discord_errors import PASSES, is_passing, wait_after

ILL: Final = 8  # failures in a row, not caused by a message, after which nothing gets through


class Deliveries:
    """Counts deliveries. While nothing gets through, one table at a time probes Discord; thousands of retries would
    keep it down.
    """

    def __init__(self) -> None:
        self.arrived = 0  # accepted messages, edits and deletions, or refused because of their content
        self.failed = 0  # unknown outcomes, or failures of Discord
        self.in_a_row = 0  # failures since the last success
        self.last_failure: Exception | None = None
        self.probe_at = 0.0  # when one table may probe next (loop time)

    @contextmanager
    def counted(self) -> Iterator[None]:
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
        """Count a failure before any request was made."""
        if error is self.last_failure:
            return  # counted already
        self.failed += 1
        self.in_a_row += 1
        self.last_failure = error
        self.probe_at = asyncio.get_running_loop().time() + _pause(error, self.in_a_row - ILL)

    @property
    def ill(self) -> bool:
        return self.in_a_row >= ILL

    def may_probe(self) -> bool:
        """Return whether one table may probe now; true once for each probe time."""
        now = asyncio.get_running_loop().time()
        if now < self.probe_at:
            return False
        # If this probe never returns, another table tries.
        self.probe_at = now + _pause(self.last_failure, 0)
        return True


def _pause(error: Exception | None, attempts: int) -> float:
    """Return the seconds until the next probe, whatever message failed."""
    wait = wait_after(error, attempts) / 1000
    return wait if is_passing(error) else min(PASSES, wait)
