"""Leases on posts while they are being sent: Discord may ask to wait for minutes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from bot.core.discord_errors import only_while
from bot.core.logs import logger
from data.store.connection.store_errors import StoreClosed
from data.store.outbox import outbox
from data.store.outbox.outbox_values import Fate, OutboxRow, Untried
from data.store.store import Store

log = logger(__name__)

RENEW: Final = 8.0  # seconds between renewals; a lease lasts three times as long


class Held:
    """Leased posts, and the outcome of each so far."""

    def __init__(self, store: Store, rows: Sequence[OutboxRow], until: int, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._open = {row.nonce: row for row in rows}
        self._until = until
        self._became: list[Fate] = []

    def settle(self, fate: Fate) -> None:
        """Record the outcome of one post, to be written with the others."""
        self._open.pop(fate.row.nonce, None)
        self._became.append(fate)

    def leave(self, row: OutboxRow) -> None:
        """Drop a post that another process has leased."""
        self._open.pop(row.nonce, None)

    @contextmanager
    def only(self, row: OutboxRow) -> Iterator[None]:
        """Guard requests for this post. Raises TooLate once another process has leased it."""
        with only_while(lambda: row.nonce in self._open and self._now() < self._until):
            yield

    def became(self) -> list[Fate]:
        """Return the outcomes that are not written yet; None for posts without an attempt."""
        return [*self._became, *(Untried(row) for row in self._open.values())]

    async def keep(self) -> bool:
        """Renew the leases and write the known outcomes; False if that fails."""
        at, rows, became = self._now(), list(self._open.values()), self._became.copy()
        mine = await self._store.outbox.keep(rows, became, now=at)
        del self._became[: len(became)]
        for row in rows:
            if row.nonce not in mine:
                self.leave(row)
        self._until = at + outbox.LEASE
        return bool(mine)


@asynccontextmanager
async def kept(store: Store, rows: Sequence[OutboxRow], until: int, now: Callable[[], int]) -> AsyncIterator[Held]:
    """Hold the leases of posts that were leased until `until`. They expire soon after a crash.

    If renewing fails, for example because the database hangs, other processes take the posts. Then nothing of them is
    sent here any more, and requests raise TooLate.
    """
    held = Held(store, rows, until, now)
    keeper: list[asyncio.Task[None]] = []
    over = asyncio.Event()
    # Most posts are sent before that and need no task.
    timer = asyncio.get_running_loop().call_later(RENEW, lambda: keeper.append(asyncio.create_task(_renew(held, over))))
    try:
        yield held
    finally:
        timer.cancel()
        over.set()
        if keeper:
            # The outcomes are written after this task, so it overwrites nothing.
            await asyncio.wait(keeper)


async def _renew(held: Held, over: asyncio.Event) -> None:
    ending = asyncio.create_task(over.wait())
    try:
        while not over.is_set() and await held.keep():
            await asyncio.wait([ending], timeout=RENEW)
    except StoreClosed:
        log.info("somebody else may go on with a post")
    except Exception:
        # The next process first looks whether the post arrived.
        log.exception("a post could not be kept")
    finally:
        ending.cancel()
