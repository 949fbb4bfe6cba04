"""Periodic work: computers move, lobbies expire, reminders and deadlines fall due, unsent messages are retried.

The store contains everything that is due (`due_at`, the outbox, `shown_seq`), so a restart forgets nothing. It also has
the heartbeats, which show how long no player could play, so that clocks get that time back.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from typing import Final

from bot.computers.service import ComputerPlayers
from bot.computers.worker_pool import ShutdownError
from bot.core.discord_errors import compute_retry_delay, is_wait_over
from bot.core.logs import get_logger
from bot.core.user_settings import UserSettings
from bot.sending.announcer import Announcer
from bot.sending.cleanup import ClockCorrection
from bot.sending.guild_presence import Presence
from bot.sending.outage_credit import CREDIT_BATCH, OutageCredit
from bot.tables.acts import QuarantineRestorer
from bot.tables.service import TableCache
from data.store.connection.faults import is_database_down
from data.store.connection.shards import Shards
from data.store.connection.store_errors import StoreClosed
from data.store.log.match_values import Head
from data.store.store import Store
from engine.table.refusals import RefusalError

log = get_logger(__name__)

BATCH_SIZE: Final = 50  # tables read at once
PLAYERLESS_KINDS: Final = ("computer",)  # due even if no player can act


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure at a table: its state, the number of attempts, when the last one was and when to retry."""

    seq: int
    attempts: int
    began: int
    retry_at: int


class _SchedulerStopping(Exception):  # noqa: N818 - nothing went wrong
    """The bot stops; computers stop between two moves."""


@dataclass(eq=False, repr=False)
class Scheduler:
    _store: Store
    _outage_credit: OutageCredit
    _user_settings: UserSettings
    _tables: TableCache
    _computers: ComputerPlayers
    _announcer: Announcer
    _presence: Presence
    _clock_correction: ClockCorrection
    _quarantine_check: QuarantineRestorer
    _now: Callable[[], int]

    def __post_init__(self) -> None:
        self._running: dict[int, asyncio.Task[None]] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._failures: dict[int, Failure] = {}
        self._ending = False

    def wake(self, match_id: int, *, seq: int = 0) -> None:
        """Let the computers of a table move, or settle a turn that is due, before the next sweep.

        `seq` is the version that a sweep has read.
        """
        running = self._running.get(match_id)
        if not self._ending and (running is None or running.done()):
            self._running[match_id] = asyncio.create_task(self._continue(match_id, seq))

    async def end(self) -> None:
        """Start no more work. Computers finish their current move; the next start continues."""
        self._ending = True
        for timer in self._timers.values():
            timer.cancel()
        await self._computers.end()
        while running := [task for task in self._running.values() if not task.done()]:
            await asyncio.wait(running)

    async def sweep(self) -> None:
        """Do everything that is due on the served shards, unless it is running.

        No time runs out while Discord is disconnected, because no player could act.
        """
        if self._ending:
            return
        # The machine may have slept, which the next heartbeat detects: until then no time runs out.
        now = self._now()
        await self.send_heartbeat()
        if not self._presence.served_shards:
            return
        await self._clock_correction.correct()
        await self._quarantine_check.restore_readable()
        if self._announcer.running_count <= CREDIT_BATCH:  # earlier boards have been shown: active players come first
            await self._outage_credit.run_batch(self._presence.served_shards)
        due = set()
        for shards, kinds in ((self._presence.connected_shards, ()), (self._presence.silent_shards, PLAYERLESS_KINDS)):
            async for head in self._iterate_due(now, shards, kinds):
                due.add(head.match_id)
                # Stored due times may ignore an outage, so its credit is written first.
                if self._is_time(head) and not self._outage_credit.is_waiting(head):
                    await self._serve(head)
        self._failures = {match_id: failure for match_id, failure in self._failures.items() if match_id in due}
        await self._announcer.sweep(self._presence.served_shards)

    async def _iterate_due(self, now: int, shards: Shards, kinds: Collection[str]) -> AsyncIterator[Head]:
        last = None
        while shards and (
            heads := await self._store.matches.list_due_heads(now, BATCH_SIZE, after=last, of=shards, kinds=kinds)
        ):
            for head in heads:
                yield head
            last = heads[-1]

    def _is_time(self, head: Head) -> bool:
        failure = self._failures.get(head.match_id)
        return failure is None or failure.seq != head.seq or is_wait_over(failure.began, failure.retry_at, self._now())

    async def _serve(self, head: Head) -> None:
        try:
            await self._act(head)
        except StoreClosed:
            raise
        except Exception as error:
            if is_database_down(error):
                raise
            # One failing table must not stop the clocks of the others.
            self._put_off(head.match_id, head.seq, error, "what is due at a table could not be done")

    def _put_off(self, match_id: int, seq: int, error: Exception, what: str) -> None:
        """Retry later with growing delay. Each state of a table is logged with its traceback once."""
        before = self._failures.get(match_id)
        attempts = before.attempts if before is not None and before.seq == seq else 0
        wait = compute_retry_delay(None, attempts)
        now = self._now()
        self._failures[match_id] = Failure(seq, attempts + 1, now, now + wait)
        if attempts == 0:
            log.error(what, match=match_id, seconds=wait // 1000, exc_info=error)
        else:
            log.warning(what, match=match_id, seconds=wait // 1000)

    async def begin(self) -> None:
        """Send the first heartbeat, before any user can act."""
        await self._presence.send_first_heartbeat()
        await self._tables.load_outages()

    async def send_heartbeat(self) -> None:
        """Send a heartbeat; from then on clocks include the credit for the time before."""
        if await self._presence.send_heartbeat():
            await self._tables.load_outages()

    async def _act(self, head: Head) -> None:
        assert head.due is not None
        if head.due.kind == "computer":
            self.wake(head.match_id, seq=head.seq)
            return
        try:
            if not await self._user_settings.run_due(head):
                return
        except RefusalError:
            log.info("a table was not what it was any more", match=head.match_id)
            return
        self.wake(head.match_id)
        self._announcer.refresh(head.match_id)

    async def _continue(self, match_id: int, seq: int) -> None:
        async def on_shown(match_id: int) -> None:
            self._announcer.refresh(match_id)
            if self._ending:
                raise _SchedulerStopping

        try:
            # After an act the table is in the cache. A sweep has seen changes of other processes.
            known = None if seq else self._tables.find_awaiting_player(match_id)
            table = known or await self._computers.play(match_id, on_shown)
            while await self._settle(table.head):
                table = await self._computers.play(match_id, on_shown)
        except (_SchedulerStopping, ShutdownError, StoreClosed):
            log.info("the computers go on after the next start", match=match_id)
        except RefusalError as refused:
            log.info("the computers cannot go on", match=match_id, why=refused.why.value)
        except Exception as error:
            if is_database_down(error):
                log.info("a table goes on when the database works again", match=match_id)
            else:
                self._put_off(match_id, seq, error, "a table could not go on")
        finally:
            self._running.pop(match_id, None)

    async def _settle(self, head: Head) -> bool:
        """Settle the last turn of a table if it is due; else schedule that.

        The store has the time too: after a restart the next sweep settles it.
        """
        timer = self._timers.pop(head.match_id, None)
        if timer is not None:
            timer.cancel()
        if head.due is None or head.due.kind != "settle" or self._ending:
            return False
        wait = head.due.at - self._now()
        if wait > 0:
            later = asyncio.get_running_loop().call_later
            self._timers[head.match_id] = later((wait + 1) / 1000, self.wake, head.match_id)
            return False
        if not self._presence.connected_shards.has_guild(head.guild_id) or not await self._user_settings.run_due(head):
            return False
        self._announcer.refresh(head.match_id)
        return True
