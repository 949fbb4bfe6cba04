"""Keeping a post for as long as it takes to send it: Discord may ask for minutes of patience in the middle."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from bot.base.logs import logger
from bot.base.requests import only_while
from data.store import OutboxRow, Store, StoreClosed, outbox

log = logger(__name__)

RENEW: Final = 8.0
"""Seconds after which whoever still deals with a post says so. What was taken is theirs for three times as long."""


@asynccontextmanager
async def kept(store: Store, row: OutboxRow, now: Callable[[], int]) -> AsyncIterator[None]:
    """While this lasts, nobody else takes the post that was taken. Should the process die, somebody does soon.

    Where that cannot be said to the others, as when the database hangs, somebody takes it as well. From then on nothing
    of it is sent here any more, and what was about to be raises TooLate.
    """
    until = [now() + outbox.LEASE]
    keeper: list[asyncio.Task[None]] = []
    over = asyncio.Event()
    # Nearly all are sent before that, and cost no task.
    timer = asyncio.get_running_loop().call_later(
        RENEW, lambda: keeper.append(asyncio.create_task(_keep(store, row, now, until, over)))
    )
    try:
        with only_while(lambda: now() < until[0]):
            yield
    finally:
        timer.cancel()
        over.set()
        if keeper:
            # What becomes of the post is written after this, and nothing of it is overwritten.
            await asyncio.wait(keeper)


async def _keep(store: Store, row: OutboxRow, now: Callable[[], int], until: list[int], over: asyncio.Event) -> None:
    ending = asyncio.create_task(over.wait())
    try:
        while not over.is_set():
            at = now()
            if not await store.keep(row, now=at):
                until[0] = at
                break
            until[0] = at + outbox.LEASE
            await asyncio.wait([ending], timeout=RENEW)
    except StoreClosed:
        log.info("somebody else may go on with a post")
    except Exception:
        # Whoever takes it up looks first whether it arrived.
        log.exception("a post could not be kept")
    finally:
        ending.cancel()
