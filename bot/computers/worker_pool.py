"""A pool of worker processes for computer players, with a fair and bounded queue.

Workers start on demand, and handle one request at a time. A late or wrong answer kills the worker.
"""

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, get_args

from bot.computers.player_names import Unthought
from bot.computers.thinker import LENGTH, Interim
from bot.core.logs import logger
from bot.core.metrics import THINKERS
from engine.match.actions import Action

T = TypeVar("T")
log = logger(__name__)
PROGRAM: Final = (sys.executable, "-m", "bot.computers.thinker")
MOST: Final = 4  # workers at most, however many cores there are
LIMIT: Final = 8.0  # seconds of silence before a worker is killed
WHOLE: Final = 8.0  # seconds for a whole answer, with its parts
PATIENCE: Final = 2.0  # seconds in the queue
ROOM: Final = 16  # length of the queue
EACH: Final = 3  # queued requests for the tables of one user
IDLE: Final = 300.0  # seconds until idle workers end
LONGEST: Final = 64 * 1024  # bytes of an answer
PARTS: Final = 5_000  # parts before an answer
RETIRES: Final = 1000  # answers after which a worker is replaced
AGAIN: Final = 1.0, 60.0  # seconds until the next start after a failure: at first, and at most
ACTIONS: Final[tuple[type[Action], ...]] = get_args(Action)


class Ended(Exception):  # noqa: N818 - nothing went wrong
    """The bot stops; pending turns are due again at the next start."""


@dataclass(eq=False, slots=True)
class Worker:
    process: Process
    thoughts: int = 0

    async def ask(self, request: object, kinds: tuple[type[T], ...], told: Callable[[object], None], longest: int) -> T:
        """Send a request, pass its partial answers to `told`, and return the answer, of one of these kinds.

        Raises OSError or EOFError if the worker dies, ValueError for any other or too long an answer, Unthought with
        the worker's own reason.
        """
        stdin = self.process.stdin
        assert stdin is not None
        packed = pickle.dumps(request)
        stdin.write(LENGTH.pack(len(packed)) + packed)
        await stdin.drain()
        parts = 0
        while isinstance(answer := await self._said(longest), Interim):
            parts += 1
            if parts > PARTS:
                raise ValueError("an answer of endless parts")
            told(answer.said)
        self.thoughts += 1
        if isinstance(answer, Unthought):
            raise answer
        if not isinstance(answer, kinds):
            raise ValueError(str(answer)[:1000])
        return answer

    async def _said(self, longest: int) -> object:
        stdout = self.process.stdout
        assert stdout is not None
        head = await stdout.readexactly(LENGTH.size)
        (length,) = LENGTH.unpack(head)
        if length > longest:
            raise ValueError("an answer of an endless length")
        packed = await stdout.readexactly(length)
        try:
            said: object = pickle.loads(packed)  # noqa: S301 - of our own process
        except Exception as error:  # the pickled data decides which
            raise ValueError(repr(error)) from error
        return said

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        await asyncio.gather(self.process.wait(), self._drain_output())

    async def _drain_output(self) -> None:
        """Discard pending output: it would hide the end of the process from asyncio."""
        assert self.process.stdout is not None
        while await self.process.stdout.read(LONGEST):
            pass


@dataclass(slots=True)
class Workers:
    """The pool. `most` limits the number of workers; none start before the first request."""

    most: int = field(default_factory=lambda: max(1, min(MOST, _cores() - 1)))
    limit: float = LIMIT
    whole: float = WHOLE
    patience: float = PATIENCE
    longest: int = LONGEST
    program: Sequence[str] = PROGRAM
    _busy: int = 0
    _idle: list[Worker] = field(default_factory=list)
    _alive: set[Worker] = field(default_factory=set)
    _asking: set[asyncio.Task[Any]] = field(default_factory=set)
    # By user, in the order of their turns.
    _waiting: OrderedDict[int, deque[asyncio.Future[None]]] = field(default_factory=OrderedDict)
    _again_at: float = 0.0
    _failures: int = 0
    _reaper: asyncio.TimerHandle | None = None
    _ended: bool = False

    @property
    def pids(self) -> list[int]:
        return [worker.process.pid for worker in self._alive]

    async def ask(self, whose: int, request: object, *, patient: bool = True) -> Action:
        """Return the chosen action; without `patient`, do not queue. Raises Unthought or Ended."""
        return await self.work(whose, request, ACTIONS, patient=patient)

    async def work(
        self,
        whose: int,
        request: object,
        kinds: tuple[type[T], ...],
        *,
        told: Callable[[object], None] = lambda _: None,
        patient: bool = True,
    ) -> T:
        """Return the answer to a request; `told` gets its parts. Raises Unthought or Ended."""
        task = asyncio.create_task(self._work(whose, request, kinds, told, patient=patient))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise Ended from None
            task.cancel()  # the caller was cancelled
            raise

    async def end(self) -> None:
        self._ended = True
        if self._reaper is not None:
            self._reaper.cancel()
        for task in list(self._asking):
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)
        await asyncio.gather(*(self._kill(worker) for worker in list(self._alive)))

    async def _work(
        self, whose: int, request: object, kinds: tuple[type[T], ...], told: Callable[[object], None], *, patient: bool
    ) -> T:
        if self._ended:
            raise Ended
        if not patient and self._busy >= self.most:
            raise Unthought("busy")
        await self._wait_for_turn(whose)
        worker: Worker | None = None
        try:
            worker = await self._free_worker()
            async with asyncio.timeout(self.whole), asyncio.timeout(self.limit) as silence:

                def heard(part: object) -> None:
                    silence.reschedule(asyncio.get_running_loop().time() + self.limit)
                    told(part)

                answer = await worker.ask(request, kinds, heard, self.longest)
        except Unthought:
            assert worker is not None
            self._idle.append(worker)  # the worker is healthy and reported why
            worker = None
            raise
        except TimeoutError:
            log.warning("a process took too long to answer, and was killed", seconds=self.limit)
            raise Unthought("late") from None
        except (OSError, EOFError, ValueError) as error:
            self._back_off(error)
            raise Unthought("failed") from None
        else:
            self._failures = 0
            if worker.thoughts < RETIRES:
                self._idle.append(worker)
                worker = None
            return answer
        finally:
            if worker is not None:
                await self._kill(worker)
            self._pass_turn()
            self._schedule_reaping()

    async def _wait_for_turn(self, whose: int) -> None:
        """Wait for a free worker. Raises Unthought(busy)."""
        if self._busy < self.most:
            self._busy += 1
            return
        mine = self._waiting.get(whose, deque())
        if len(mine) >= EACH or sum(map(len, self._waiting.values())) >= ROOM:
            raise Unthought("busy")
        place = asyncio.get_running_loop().create_future()
        mine.append(place)
        self._waiting[whose] = mine
        try:
            async with asyncio.timeout(self.patience):
                await place
        except BaseException as error:
            if place.done() and not place.cancelled():
                self._pass_turn()  # the turn came too late
            else:
                with suppress(ValueError):  # a freed worker may have removed it already
                    mine.remove(place)
                if not mine and self._waiting.get(whose) is mine:
                    del self._waiting[whose]
            if isinstance(error, TimeoutError):
                raise Unthought("busy") from None
            raise

    def _pass_turn(self) -> None:
        while self._waiting:
            whose, mine = self._waiting.popitem(last=False)
            place = mine.popleft()
            if mine:
                self._waiting[whose] = mine  # behind the other users
            if not place.done():
                place.set_result(None)
                return
        self._busy -= 1

    async def _free_worker(self) -> Worker:
        """Return a free worker. Raises OSError if none can start, or one failed just now."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.returncode is None:
                return worker
            await self._kill(worker)
        if asyncio.get_running_loop().time() < self._again_at:
            raise BlockingIOError("one failed just now")
        worker = Worker(
            await asyncio.create_subprocess_exec(
                *self.program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=_environment(), start_new_session=True
            )
        )
        self._alive.add(worker)
        THINKERS.inc()
        return worker

    def _back_off(self, error: Exception) -> None:
        if isinstance(error, BlockingIOError):
            return
        first, most = AGAIN
        wait = min(most, first * 2**self._failures)
        self._failures = min(self._failures + 1, 10)
        self._again_at = asyncio.get_running_loop().time() + wait
        log.warning("a process that thinks has failed", reason=repr(error), seconds=wait)

    async def _kill(self, worker: Worker) -> None:
        await worker.kill()
        self._forget(worker)

    def _forget(self, worker: Worker) -> None:
        if worker in self._alive:
            self._alive.remove(worker)
            THINKERS.dec()

    def _schedule_reaping(self) -> None:
        if self._reaper is not None:
            self._reaper.cancel()
        if not self._ended:
            self._reaper = asyncio.get_running_loop().call_later(IDLE, self._end_idle)

    def _end_idle(self) -> None:
        for worker in self._idle:
            assert worker.process.stdin is not None
            worker.process.stdin.close()  # the worker exits without a signal
            self._forget(worker)
        self._idle.clear()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _environment() -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")}
    known |= {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
    return {**known, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
