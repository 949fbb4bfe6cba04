"""Looking back on a match that is over: asked for by its people, worked out in a process of its own behind everything
else, and kept for whoever asks next.

What is under way lives in memory alone: after a restart it begins again when somebody asks.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, NamedTuple

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

WAITING: Final = 6
"""Reviews that may be under way or waited for."""
SILENT: Final = 180.0
"""Seconds in which a process that looks back must tell how far it is; it gets what nobody else wants of a processor."""
WHOLE: Final = 1800.0
"""Seconds that one review may take."""
LONGEST: Final = 4 * 2**20
"""The bytes of one."""
READ: Final = 50
"""Reviews that are kept in memory as they were read, to be leafed through."""
AGAIN: Final = 24 * 3600 * 1000
"""Ms after which a review may be shown to all once more."""

Refusal = Literal["busy", "full"]


def apart() -> Workers:
    """The one process that looks back, beside those that think about moves."""
    return Workers(most=1, limit=SILENT, whole=WHOLE, patience=WHOLE * WAITING, longest=LONGEST, program=REVIEWER)


class HowFar(NamedTuple):
    """How far a review is."""

    done: int
    of: int


class Showing(NamedTuple):
    """Somebody shows a review to all."""

    at: int
    before: int | None
    """When it was shown the time before; None: never."""


@dataclass(eq=False, slots=True)
class Reviewing:
    """A review that is under way."""

    match_id: int
    progress: HowFar | None = None
    """How far it is; None before it has begun."""
    review: Review | None = None
    """What was found, once it is over."""
    over: bool = False
    """Whether nothing comes any more; without a review it has failed."""
    others: Collection["Reviewing"] = ()
    """All that are under way, this one among them; they are made one after the other."""
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def waits(self) -> bool:
        """Whether another one is made first."""
        return self.progress is None and any(other.progress is not None for other in self.others)

    def told(self, part: object) -> None:
        """It is so far. What does not say so is not heard."""
        match part:
            case int(done), int(of) if 0 <= done <= of:
                self.progress = HowFar(done, of)
                self._wake()

    def end(self, review: Review | None) -> None:
        """It is over."""
        self.review, self.over = review, True
        self._wake()

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()

    async def moved(self) -> None:
        """Wait until there is something new."""
        if not self.over:
            await self._moved.wait()


class Reviews:
    """Has them made, and finds those that were."""

    def __init__(self, store: Store, now: Callable[[], int], workers: Workers | None = None) -> None:
        self._store = store
        self._review_store = ReviewStore(store.transactions)
        self._now = now
        self.workers = workers or apart()
        self._making: dict[int, Reviewing] = {}
        """By match."""
        self._begun: dict[int, int] = {}
        """By person, the match whose review they have begun and that is under way."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._read: OrderedDict[int, tuple[int, Review]] = OrderedDict()
        """By match, with when it was made."""

    async def kept(self, past: Replay) -> Review | None:
        """The review of a match; None where it is still to be made."""
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
            log.warning("a review cannot be read and is to be made again", match=match_id, reason=str(error)[:200])
            return None
        self._read[match_id] = found.made_at, review
        while len(self._read) > READ:
            self._read.popitem(last=False)
        return review

    async def was_shown(self, match_id: int) -> bool:
        """Whether the review of a match was shown to all: then whoever may look back on it may look at that, too."""
        found = await self._review_store.review(match_id)
        return found is not None and found.shown_at is not None

    def under_way(self, match_id: int) -> Reviewing | None:
        """The review of a match that is being made."""
        return self._making.get(match_id)

    def ask(self, user_id: int, past: Replay) -> Reviewing | Refusal:
        """Have a match reviewed, or wait with whoever has asked for it before. Nobody has two under way."""
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
        """From now on a review counts as shown to all by the caller; None where it was shown lately."""
        found, now = await self._review_store.review(match_id), self._now()
        if found is None or not await self._review_store.begin_showing(match_id, again=now - AGAIN, now=now):
            return None
        return Showing(now, found.shown_at)

    async def not_shown(self, match_id: int, showing: Showing) -> None:
        """Nothing came of it. Who has seen it when it was shown before may go on looking at it."""
        await self._review_store.not_shown(match_id, at=showing.at, before=showing.before)

    async def idle(self) -> None:
        """Wait until none is under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def end(self) -> None:
        """Nobody looks back any more; whoever asked asks again after the next start."""
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
    """What goes into people's profiles: the seats that one person played from beginning to end."""
    return {seat.seat: asdict(seat) for seat in review.seats if played_through(past.end, seat.seat)}


def played_through(table: Table, seat: int) -> bool:
    """Whether all choices of a seat were made by the person who sits there."""
    sitting, part = table.seats[seat].user_id, table.state.parts.get(seat)
    return (
        sitting is not None and part is not None and part.owner == sitting and not part.stood_in and part.left is None
    )
