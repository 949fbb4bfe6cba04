"""Whether messages get through to Discord: the outcome of the last attempts at all tables."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import discord

from bot.core.discord_errors import MAX_OUTAGE_WAIT, compute_retry_delay, is_transient

OUTAGE_FAILURES: Final = 8  # failures in a row, not caused by a message, after which nothing gets through


class Deliveries:
    """Counts deliveries. While nothing gets through, one table at a time probes Discord; thousands of retries would
    keep it down.
    """

    def __init__(self) -> None:
        self.arrived_count = 0  # accepted messages, edits and deletions, or refused because of their content
        self.failed_count = 0  # unknown outcomes, or failures of Discord
        self.consecutive_failures = 0  # failures since the last success
        self.last_failure: Exception | None = None
        self.probe_at = 0.0  # when one table may probe next (loop time)

    @contextmanager
    def count_delivery(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if isinstance(error, discord.HTTPException) and not is_transient(error):
                self._note_arrival()
            else:
                self.note_failure(error)
            raise
        self._note_arrival()

    def _note_arrival(self) -> None:
        self.arrived_count += 1
        self.consecutive_failures = 0

    def note_failure(self, error: Exception) -> None:
        """Count a failure before any request was made."""
        if error is self.last_failure:
            return  # counted already
        self.failed_count += 1
        self.consecutive_failures += 1
        self.last_failure = error
        pause = _compute_pause(error, self.consecutive_failures - OUTAGE_FAILURES)
        self.probe_at = asyncio.get_running_loop().time() + pause

    @property
    def is_down(self) -> bool:
        return self.consecutive_failures >= OUTAGE_FAILURES

    def may_probe(self) -> bool:
        """Return whether one table may probe now; true once for each probe time."""
        now = asyncio.get_running_loop().time()
        if now < self.probe_at:
            return False
        # If this probe never returns, another table tries.
        self.probe_at = now + _compute_pause(self.last_failure, 0)
        return True


def _compute_pause(error: Exception | None, attempts: int) -> float:
    """Return the seconds until the next probe, whatever message failed."""
    wait = compute_retry_delay(error, attempts) / 1000
    return wait if is_transient(error) else min(MAX_OUTAGE_WAIT, wait)
