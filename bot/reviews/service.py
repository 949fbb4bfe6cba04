"""Reviews of finished matches, made in a worker process with low priority and stored.

Work in progress is kept in memory only: after a restart the next request begins it again.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, NamedTuple, Self

from bot.computers.player_names import Unthought
from bot.computers.worker_pool import Ended, Workers
from bot.core.logs import bound, logger
from bot.core.metrics import REVIEWS
from bot.reviews.reviewer import REVIEWER
from bot.tables.past_match import Replay
from bot.tables.service import Table
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import StoreClosed
from data.store.reviews.store import ReviewStore
from data.store.store import Store
from engine.reviews.findings import Review, ReviewDamaged, from_plain

log = logger(__name__)

WAITING: Final = 6  # the most reviews that run or wait
SILENT: Final = 180.0  # seconds without progress after which the worker counts as stuck
WHOLE: Final = 1800.0  # the longest time of a review, in seconds
LONGEST: Final = 4 * 2**20  # the largest review, in bytes
READ: Final = 50  # the reviews that are cached
AGAIN: Final = 24 * 3600 * 1000  # milliseconds until a review may be shown to everyone again

Refusal = Literal["busy", "full"]


def apart() -> Workers:
    return Workers(most=1, limit=SILENT, whole=WHOLE, patience=WHOLE * WAITING, longest=LONGEST, program=REVIEWER)


class HowFar(NamedTuple):
    done: int
    of: int


class Showing(NamedTuple):
    """A review that is being shown to everyone."""

    at: int
    before: int | None  # when it was shown before; None if never


@dataclass(eq=False, slots=True)
class Reviewing:
    match_id: int
    progress: HowFar | None = None  # None before its start
    review: Review | None = None
    over: bool = False  # whether it has ended; without a review it has failed
    others: Collection[Self] = ()
    """All reviews in progress, this one among them; they are made one after another."""
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def waits(self) -> bool:
        return self.progress is None and any(other.progress is not None for other in self.others)

    def told(self, part: object) -> None:
        """Read a line of progress; ignore anything else."""
        match part:
            case int(done), int(of) if 0 <= done <= of:
                self.progress = HowFar(done, of)
                self._wake()

    def end(self, review: Review | None) -> None:
        self.review, self.over = review, True
        self._wake()

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()

    async def moved(self) -> None:
        if not self.over:
            await self._moved.wait()


class Reviews:
    def __init__(self, store: Store, now: Callable[[], int], workers: Workers | None = None) -> None:
        self._store = store
        self._review_store = ReviewStore(store.transactions)
        self._now = now
        self.workers = workers or apart()
        self._making: dict[int, Reviewing] = {}
        self._begun: dict[int, int] = {}  # by user: the match of the review that they began
        self._tasks: set[asyncio.Task[None]] = set()
        self._read: OrderedDict[int, tuple[int, Review]] = OrderedDict()  # by match, with the time of the review

    async def kept(self, past: Replay) -> Review | None:
        match_id = past.head.match_id
        found = await self._review_store.review(match_id)
        if found is None:
            return None
        known = self._read.get(match_id)
        if known is not None and known[0] == found.made_at:
            self._read.move_to_end(match_id)
            return known[1]
        try:
            review = from_plain(json.loads(found.text), past.end.rules)
        except (ReviewDamaged, ValueError) as error:
            log.warning("a review cannot be read and will be made again", match=match_id, reason=str(error)[:200])
            return None
        self._read[match_id] = found.made_at, review
        while len(self._read) > READ:
            self._read.popitem(last=False)
        return review

    async def was_shown(self, match_id: int) -> bool:
        """Return whether the review was shown to everyone. Then all who may see the match may read it."""
        found = await self._review_store.review(match_id)
        return found is not None and found.shown_at is not None

    def under_way(self, match_id: int) -> Reviewing | None:
        return self._making.get(match_id)

    def ask(self, user_id: int, past: Replay) -> Reviewing | Refusal:
        """Begin a review, or return the one in progress. A user can begin only one at a time."""
        match_id = past.head.match_id
        if (making := self._making.get(match_id)) is not None:
            return making
        if user_id in self._begun:
            return "busy"
        if len(self._making) >= WAITING:
            REVIEWS.labels("busy").inc()
            return "full"
        making = self._making[match_id] = Reviewing(match_id, others=self._making.values())
        self._begun[user_id] = match_id
        task = asyncio.create_task(self._make(user_id, past, making))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return making

    async def begin_showing(self, match_id: int) -> Showing | None:
        """Mark a review as shown to everyone; None if it was shown recently."""
        found, now = await self._review_store.review(match_id), self._now()
        if found is None or not await self._review_store.begin_showing(match_id, again=now - AGAIN, now=now):
            return None
        return Showing(now, found.shown_at)

    async def not_shown(self, match_id: int, showing: Showing) -> None:
        """Undo `begin_showing` after a failed post."""
        await self._review_store.not_shown(match_id, at=showing.at, before=showing.before)

    async def idle(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def end(self) -> None:
        await self.workers.end()
        await self.idle()

    async def _make(self, user_id: int, past: Replay, making: Reviewing) -> None:
        review: Review | None = None
        match_id, how = making.match_id, "failed"
        with bound(match=match_id):
            try:
                asked = past.events, past.end.rules, match_id
                text = (await self.workers.work(user_id, asked, (bytes,), told=making.told)).decode()
                review = from_plain(json.loads(text), past.end.rules)
                if await self._review_store.keep_review(match_id, text, seat_facts(past, review), now=self._now()):
                    how = "made"
                else:
                    review = None  # its match has been deleted
            except Unthought as failed:
                how = failed.why
            except (Ended, StoreClosed):
                how = "ended"
            except (DatabaseUnavailable, ReviewDamaged, ValueError) as error:
                log.warning("a review was not kept", reason=repr(error)[:200])
                review = None
            except Exception:
                log.exception("a review failed")
                review = None
            finally:
                log.info("a review is over", how=how)
                REVIEWS.labels(how).inc()
                del self._making[match_id], self._begun[user_id]
                making.end(review)


def seat_facts(past: Replay, review: Review) -> Mapping[int, Mapping[str, Any]]:
    """Return what profiles use: the seats that one user played from beginning to end."""
    return {seat.seat: asdict(seat) for seat in review.seats if played_through(past.end, seat.seat)}


def played_through(table: Table, seat: int) -> bool:
    sitting, part = table.seats[seat].user_id, table.state.parts.get(seat)
    return (
        sitting is not None and part is not None and part.owner == sitting and not part.stood_in and part.left is None
    )
