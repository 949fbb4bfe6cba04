"""What happens without anybody asking: computers move, lobbies expire, reminders and deadlines fall due, unsent
messages are sent again.

Everything due stands in the store (`due_at`, the outbox, `shown_seq`), so a restart forgets nothing. So does the pulse,
by which the bot knows for how long nobody could play, and gives that time back.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from typing import Final

from bot.computers.service import Computers
from bot.computers.worker_pool import Ended
from bot.core.discord_errors import is_over, wait_after
from bot.core.logs import logger
from bot.core.user_settings import People
from bot.sending.announcer import Announcer
from bot.sending.cleanup import ClockSteps
from bot.sending.guild_presence import Presence
from bot.sending.outage_credit import A_LOOK, Repayment
from bot.tables.acts import QuarantineCheck
from bot.tables.service import Tables
from data.store.connection.faults import is_everywhere
from data.store.connection.shards import Shards
from data.store.connection.store_errors import StoreClosed
from data.store.log.match_values import Head
from data.store.store import Store
from engine.table.refusals import Refused

log = logger(__name__)

BATCH: Final = 50
"""Tables that are read at once."""

BY_ITSELF: Final = ("computer",)
"""What is due without anybody having to be able to play."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What is due at a table could not be done: where it stood, how often in vain, when that was, when to try again."""

    seq: int
    attempts: int
    began: int
    again_at: int


class _Enough(Exception):  # noqa: N818 - nothing went wrong
    """The bot ends; the computers stop between two moves."""


class Scheduler:
    """Does what is due."""

    def __init__(
        self,
        store: Store,
        repayment: Repayment,
        people: People,
        tables: Tables,
        computers: Computers,
        announcer: Announcer,
        presence: Presence,
        steps: ClockSteps,
        quarantined: QuarantineCheck,
        now: Callable[[], int],
    ) -> None:
        self._store = store
        self._repayment = repayment
        self._people = people
        self._tables = tables
        self._computers = computers
        self._announcer = announcer
        self._steps = steps
        self._presence = presence
        self._quarantine_check = quarantined
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._failures: dict[int, Failure] = {}
        self._ending = False

    def soon(self, match_id: int, *, seq: int = 0) -> None:
        """Let the computers of a table move, if it is their turn, or settle a turn when it is time. Neither need wait
        for the next sweep, which says where it saw the table (`seq`).
        """
        running = self._running.get(match_id)
        if not self._ending and (running is None or running.done()):
            self._running[match_id] = asyncio.create_task(self._go_on(match_id, seq))

    async def end(self) -> None:
        """Begin nothing more. Computers make the move they have chosen; the next start goes on from there."""
        self._ending = True
        for timer in self._timers.values():
            timer.cancel()
        await self._computers.end()
        while running := [task for task in self._running.values() if not task.done()]:
            await asyncio.wait(running)

    async def sweep(self) -> None:
        """Do everything that is due and not being done, on the servers that this process looks after.

        Where Discord cannot be heard, no time runs out: nobody could play.
        """
        if self._ending:
            return
        # A machine may sleep in the midst of this, which the next beat finds out: until then nothing runs out by it.
        now = self._now()
        await self.beat()
        if not self._presence.served:
            return
        await self._steps.bring_back()
        await self._quarantine_check.look()
        if self._announcer.at_work <= A_LOOK:  # boards of before have been shown: those who play come first
            await self._repayment.go_on(self._presence.served)
        due = set()
        for shards, kinds in ((self._presence.heard, ()), (self._presence.silent, BY_ITSELF)):
            async for head in self._due(now, shards, kinds):
                due.add(head.match_id)
                # What the store says is due may not know of an outage yet: that is given back first.
                if self._is_time(head) and not self._repayment.waits(head):
                    await self._serve(head)
        self._failures = {match_id: failure for match_id, failure in self._failures.items() if match_id in due}
        await self._announcer.sweep(self._presence.served)

    async def _due(self, now: int, shards: Shards, kinds: Collection[str]) -> AsyncIterator[Head]:
        """Page by page: tables that cannot be served stay due, and must not hide the others behind them."""
        last = None
        while shards and (heads := await self._store.matches.heads_due(now, BATCH, after=last, of=shards, kinds=kinds)):
            for head in heads:
                yield head
            last = heads[-1]

    def _is_time(self, head: Head) -> bool:
        failure = self._failures.get(head.match_id)
        return failure is None or failure.seq != head.seq or is_over(failure.began, failure.again_at, self._now())

    async def _serve(self, head: Head) -> None:
        try:
            await self._act(head)
        except StoreClosed:
            raise
        except Exception as error:
            if is_everywhere(error):
                raise
            # One table that cannot be served must not stop the clocks of the others.
            self._failed(head.match_id, head.seq, error, "what is due at a table could not be done")

    def _failed(self, match_id: int, seq: int, error: Exception, what: str) -> None:
        """Try again later and later. The log has the whole story once for each state of a table."""
        before = self._failures.get(match_id)
        attempts = before.attempts if before is not None and before.seq == seq else 0
        wait = wait_after(None, attempts)
        now = self._now()
        self._failures[match_id] = Failure(seq, attempts + 1, now, now + wait)
        if attempts == 0:
            log.error(what, match=match_id, seconds=wait // 1000, exc_info=error)
        else:
            log.warning(what, match=match_id, seconds=wait // 1000)

    async def begin(self) -> None:
        """The first beat, before anybody can act."""
        await self._presence.begin_beating()
        await self._tables.look_for_outages()

    async def beat(self) -> None:
        """Note that the bot is there; whoever looks at a clock from then on finds given back what it was gone for."""
        if await self._presence.beat():
            await self._tables.look_for_outages()

    async def _act(self, head: Head) -> None:
        assert head.due is not None
        if head.due.kind == "computer":
            self.soon(head.match_id, seq=head.seq)
            return
        try:
            if not await self._people.run_due(head):
                return
        except Refused:
            log.info("a table was not what it was any more", match=head.match_id)
            return
        self.soon(head.match_id)
        self._announcer.refresh(head.match_id)

    async def _go_on(self, match_id: int, seq: int) -> None:
        async def shown(match_id: int) -> None:
            self._announcer.refresh(match_id)
            if self._ending:
                raise _Enough

        try:
            # Whoever has just acted here left the table in memory. What others did elsewhere, the sweep has seen.
            known = None if seq else self._tables.at_rest(match_id)
            table = known or await self._computers.play(match_id, shown)
            while await self._settled(table.head):
                table = await self._computers.play(match_id, shown)
        except (_Enough, Ended, StoreClosed):
            log.info("the computers go on after the next start", match=match_id)
        except Refused as refused:
            log.info("the computers cannot go on", match=match_id, why=refused.why.value)
        except Exception as error:
            if is_everywhere(error):
                log.info("a table goes on when the database works again", match=match_id)
            else:
                self._failed(match_id, seq, error, "a table could not go on")
        finally:
            self._running.pop(match_id, None)

    async def _settled(self, head: Head) -> bool:
        """Whether the last turn of a table just settled because it was time; where it is not yet, look again then.

        It stands in the store as well: should nobody be there by then, the next sweep does it.
        """
        timer = self._timers.pop(head.match_id, None)
        if timer is not None:
            timer.cancel()
        if head.due is None or head.due.kind != "settle" or self._ending:
            return False
        wait = head.due.at - self._now()
        if wait > 0:
            later = asyncio.get_running_loop().call_later
            self._timers[head.match_id] = later((wait + 1) / 1000, self.soon, head.match_id)
            return False
        if not self._presence.heard.holds(head.guild_id) or not await self._people.run_due(head):
            return False
        self._announcer.refresh(head.match_id)
        return True
