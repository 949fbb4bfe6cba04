"""Keeping posts for as long as it takes to send them: Discord may ask for minutes of patience in the middle."""

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

RENEW: Final = 8.0
"""Seconds after which whoever still deals with posts says so. What was taken is theirs for three times as long."""


class Held:
    """Posts that were taken together, and what became of each so far."""

    def __init__(self, store: Store, rows: Sequence[OutboxRow], until: int, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._open = {row.nonce: row for row in rows}
        self._until = until
        self._became: list[Fate] = []

    def settle(self, fate: Fate) -> None:
        """This became of one of them. It is noted with the others."""
        self._open.pop(fate.row.nonce, None)
        self._became.append(fate)

    def leave(self, row: OutboxRow) -> None:
        """It is somebody else's by now."""
        self._open.pop(row.nonce, None)

    @contextmanager
    def only(self, row: OutboxRow) -> Iterator[None]:
        """What is asked of Discord inside is for this post. It raises TooLate once somebody else deals with it."""
        with only_while(lambda: row.nonce in self._open and self._now() < self._until):
            yield

    def became(self) -> list[Fate]:
        """What became of all of them that was not noted yet; nobody has tried those of which nothing was said."""
        return [*self._became, *(Untried(row) for row in self._open.values())]

    async def keep(self) -> bool:
        """Say that they are still dealt with, and what became of some: after a crash nobody need look for these. False
        where that cannot be said to the others.
        """
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
    """While this lasts, nobody else takes the posts that were taken `until` then. Should the process die, somebody does
    soon.

    Where that cannot be said to the others, as when the database hangs, somebody takes them as well. From then on
    nothing of them is sent here any more, and what was about to be raises TooLate.
    """
    held = Held(store, rows, until, now)
    keeper: list[asyncio.Task[None]] = []
    over = asyncio.Event()
    # Nearly all are sent before that, and cost no task.
    timer = asyncio.get_running_loop().call_later(RENEW, lambda: keeper.append(asyncio.create_task(_keep(held, over))))
    try:
        yield held
    finally:
        timer.cancel()
        over.set()
        if keeper:
            # What becomes of the posts is written after this, and nothing of it is overwritten.
            await asyncio.wait(keeper)


async def _keep(held: Held, over: asyncio.Event) -> None:
    ending = asyncio.create_task(over.wait())
    try:
        while not over.is_set() and await held.keep():
            await asyncio.wait([ending], timeout=RENEW)
    except StoreClosed:
        log.info("somebody else may go on with a post")
    except Exception:
        # Whoever takes it up looks first whether it arrived.
        log.exception("a post could not be kept")
    finally:
        ending.cancel()
