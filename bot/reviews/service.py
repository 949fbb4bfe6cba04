"""Reviews of finished matches, made in a worker process with low priority and stored.

Work in progress is kept in memory only: after a restart the next request begins it again.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, NamedTuple, Self

from structlog.contextvars import bound_contextvars

from bot.computers.player_names import ComputationError
from bot.computers.worker_pool import ShutdownError, WorkerPool
from bot.core.logs import get_logger
from bot.core.metrics import REVIEWS
from bot.core.names import put_bounded
from bot.reviews.reviewer import REVIEWER_COMMAND
from bot.tables.past_match import Replay
from bot.tables.service import Table
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import StoreClosed
from data.store.reviews.store import ReviewStore
from data.store.store import Store
from engine.reviews.findings import DamagedReviewError, Review, from_plain

log = get_logger(__name__)

MAX_JOBS: Final = 6  # the most reviews that run or wait
PROGRESS_TIMEOUT: Final = 180.0  # seconds without progress after which the worker counts as stuck
REVIEW_TIMEOUT: Final = 1800.0  # the longest time of a review, in seconds
MAX_BYTES: Final = 4 * 2**20  # the largest review, in bytes
CACHE_SIZE: Final = 50  # the reviews that are cached
SHOW_AGAIN_AFTER: Final = 24 * 3600 * 1000  # milliseconds until a review may be shown to everyone again

Refusal = Literal["busy", "full"]


def create_workers() -> WorkerPool:
    return WorkerPool(
        most_workers=1,
        silence_timeout=PROGRESS_TIMEOUT,
        answer_timeout=REVIEW_TIMEOUT,
        queue_timeout=REVIEW_TIMEOUT * MAX_JOBS,
        most_answer_bytes=MAX_BYTES,
        command=REVIEWER_COMMAND,
    )


class Progress(NamedTuple):
    done: int
    total: int


class Showing(NamedTuple):
    """A review that is being shown to everyone."""

    shown_at: int
    previous_at: int | None  # when it was shown before; None if never


@dataclass(eq=False, slots=True)
class ReviewJob:
    match_id: int
    progress: Progress | None = None  # None before its start
    review: Review | None = None
    is_over: bool = False  # whether it has ended; without a review it has failed
    others: Collection[Self] = ()
    """All reviews in progress, this one among them; they are made one after another."""
    _progress_event: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_waiting(self) -> bool:
        return self.progress is None and any(other.progress is not None for other in self.others)

    def read_progress(self, part: object) -> None:
        """Read a line of progress; ignore anything else."""
        match part:
            case int(done), int(of) if 0 <= done <= of:
                self.progress = Progress(done, of)
                self._notify_waiters()

    def end(self, review: Review | None) -> None:
        self.review, self.is_over = review, True
        self._notify_waiters()

    def _notify_waiters(self) -> None:
        self._progress_event.set()
        self._progress_event = asyncio.Event()

    async def wait_for_progress(self) -> None:
        if not self.is_over:
            await self._progress_event.wait()


class ReviewService:
    def __init__(self, store: Store, now: Callable[[], int], workers: WorkerPool | None = None) -> None:
        self._review_store = ReviewStore(store.transactions)
        self._now = now
        self.workers = workers or create_workers()
        self._jobs: dict[int, ReviewJob] = {}
        self._match_by_user: dict[int, int] = {}  # by user: the match of the review that they began
        self._tasks: set[asyncio.Task[None]] = set()
        self._cache: OrderedDict[int, tuple[int, Review]] = OrderedDict()  # by match, with the time of the review

    async def load(self, past: Replay) -> Review | None:
        match_id = past.head.match_id
        found = await self._review_store.find_review(match_id)
        if found is None:
            return None
        known = self._cache.get(match_id)
        if known is not None and known[0] == found.made_at:
            self._cache.move_to_end(match_id)
            return known[1]
        try:
            review = from_plain(json.loads(found.text), past.end.rules)
        except (DamagedReviewError, ValueError) as error:
            log.warning("a review cannot be read and will be made again", match=match_id, reason=str(error)[:200])
            return None
        put_bounded(self._cache, match_id, (found.made_at, review), CACHE_SIZE)
        return review

    async def was_shown(self, match_id: int) -> bool:
        """Return whether the review was shown to everyone. Then all who may see the match may read it."""
        found = await self._review_store.find_review(match_id)
        return found is not None and found.shown_at is not None

    def find_job(self, match_id: int) -> ReviewJob | None:
        return self._jobs.get(match_id)

    def request(self, user_id: int, past: Replay) -> ReviewJob | Refusal:
        """Begin a review, or return the one in progress. A user can begin only one at a time."""
        match_id = past.head.match_id
        if (job := self._jobs.get(match_id)) is not None:
            return job
        if user_id in self._match_by_user:
            return "busy"
        if len(self._jobs) >= MAX_JOBS:
            REVIEWS.labels("busy").inc()
            return "full"
        job = self._jobs[match_id] = ReviewJob(match_id, others=self._jobs.values())
        self._match_by_user[user_id] = match_id
        task = asyncio.create_task(self._run(user_id, past, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def begin_showing(self, match_id: int) -> Showing | None:
        """Mark a review as shown to everyone; None if it was shown recently."""
        found, now = await self._review_store.find_review(match_id), self._now()
        if found is None or not await self._review_store.begin_showing(match_id, again=now - SHOW_AGAIN_AFTER, now=now):
            return None
        return Showing(now, found.shown_at)

    async def undo_showing(self, match_id: int, showing: Showing) -> None:
        """Undo `begin_showing` after a failed post."""
        await self._review_store.cancel_showing(match_id, at=showing.shown_at, before=showing.previous_at)

    async def wait_until_idle(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def end(self) -> None:
        await self.workers.end()
        await self.wait_until_idle()

    async def _run(self, user_id: int, past: Replay, job: ReviewJob) -> None:
        review: Review | None = None
        match_id, outcome = job.match_id, "failed"
        with bound_contextvars(match=match_id):
            try:
                request = past.events, past.end.rules, match_id
                text = (await self.workers.work(user_id, request, (bytes,), on_part=job.read_progress)).decode()
                review = from_plain(json.loads(text), past.end.rules)
                facts = build_seat_facts(past, review)
                if await self._review_store.save_review(match_id, text, facts, now=self._now()):
                    outcome = "made"
                else:
                    review = None  # its match has been deleted
            except ComputationError as failed:
                outcome = failed.why
            except (ShutdownError, StoreClosed):
                outcome = "ended"
            except (DatabaseUnavailable, DamagedReviewError, ValueError) as error:
                log.warning("a review was not kept", reason=repr(error)[:200])
                review = None
            except Exception:
                log.exception("a review failed")
                review = None
            finally:
                log.info("a review is over", how=outcome)
                REVIEWS.labels(outcome).inc()
                del self._jobs[match_id], self._match_by_user[user_id]
                job.end(review)


def build_seat_facts(past: Replay, review: Review) -> Mapping[int, Mapping[str, Any]]:
    """Return what profiles use: the seats that one user played from beginning to end."""
    return {seat.seat: asdict(seat) for seat in review.seats if has_played_through(past.end, seat.seat)}


def has_played_through(table: Table, seat: int) -> bool:
    sitting, part = table.seats[seat].user_id, table.state.ownerships.get(seat)
    if sitting is None or part is None or part.owner != sitting:
        return False
    return not part.standin_tiles and part.totals_when_left is None
