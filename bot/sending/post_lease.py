"""Leases on posts while they are being sent: Discord may ask to wait for minutes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from bot.core.discord_errors import guard_requests
from bot.core.logs import get_logger
from data.store.connection.store_errors import StoreClosed
from data.store.outbox import outbox
from data.store.outbox.outbox_values import DeliveryStatus, OutboxRow, PostReleased
from data.store.store import Store

log = get_logger(__name__)

RENEW_SECONDS: Final = 8.0  # seconds between renewals; a lease lasts three times as long


class PostLease:
    """Leased posts, and the outcome of each so far."""

    def __init__(self, store: Store, rows: Sequence[OutboxRow], until: int, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._open = {row.nonce: row for row in rows}
        self._until = until
        self._outcomes: list[DeliveryStatus] = []

    def settle(self, status: DeliveryStatus) -> None:
        """Record the outcome of one post, to be written with the others."""
        self._open.pop(status.row.nonce, None)
        self._outcomes.append(status)

    def drop(self, row: OutboxRow) -> None:
        """Drop a post that another process has leased."""
        self._open.pop(row.nonce, None)

    @contextmanager
    def guard(self, row: OutboxRow) -> Iterator[None]:
        """Guard requests for this post. Raises LeaseLost once another process has leased it."""
        with guard_requests(lambda: row.nonce in self._open and self._now() < self._until):
            yield

    def list_outcomes(self) -> list[DeliveryStatus]:
        """Return the outcomes that are not written yet; None for posts without an attempt."""
        return [*self._outcomes, *(PostReleased(row) for row in self._open.values())]

    async def renew(self) -> bool:
        """Renew the leases and write the known outcomes; False if that fails."""
        at, rows, outcomes = self._now(), list(self._open.values()), self._outcomes.copy()
        renewed = await self._store.outbox.extend_leases(rows, outcomes, now=at)
        del self._outcomes[: len(outcomes)]
        for row in rows:
            if row.nonce not in renewed:
                self.drop(row)
        self._until = at + outbox.LEASE
        return bool(renewed)


@asynccontextmanager
async def open_lease(
    store: Store, rows: Sequence[OutboxRow], until: int, now: Callable[[], int]
) -> AsyncIterator[PostLease]:
    """Hold the leases of posts that were leased until `until`. They expire soon after a crash.

    If renewing fails, for example because the database hangs, other processes take the posts. Then nothing of them is
    sent here any more, and requests raise LeaseLost.
    """
    lease = PostLease(store, rows, until, now)
    renewals: list[asyncio.Task[None]] = []
    is_closing = asyncio.Event()
    # Most posts are sent before that and need no task.
    call_later = asyncio.get_running_loop().call_later
    timer = call_later(RENEW_SECONDS, lambda: renewals.append(asyncio.create_task(_renew(lease, is_closing))))
    try:
        yield lease
    finally:
        timer.cancel()
        is_closing.set()
        if renewals:
            # The outcomes are written after this task, so it overwrites nothing.
            await asyncio.wait(renewals)


async def _renew(lease: PostLease, is_closing: asyncio.Event) -> None:
    ending = asyncio.create_task(is_closing.wait())
    try:
        while not is_closing.is_set() and await lease.renew():
            await asyncio.wait([ending], timeout=RENEW_SECONDS)
    except StoreClosed:
        log.info("somebody else may go on with a post")
    except Exception:
        # The next process first looks whether the post arrived.
        log.exception("a post could not be kept")
    finally:
        ending.cancel()
