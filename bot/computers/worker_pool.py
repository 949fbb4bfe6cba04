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

from bot.computers.player_names import ComputationError
from bot.computers.thinker import LENGTH_PREFIX, PartialAnswer
from bot.core.logs import get_logger
from bot.core.metrics import COMPUTER_WORKERS
from engine.match.actions import Action

T = TypeVar("T")
OnPart = Callable[[object], None]
log = get_logger(__name__)
PROGRAM: Final = (sys.executable, "-m", "bot.computers.thinker")
MAX_WORKERS: Final = 4  # workers at most, however many cores there are
SILENCE_TIMEOUT: Final = 8.0  # seconds of silence before a worker is killed
ANSWER_TIMEOUT: Final = 8.0  # seconds for a whole answer, with its parts
QUEUE_TIMEOUT: Final = 2.0  # seconds in the queue
MAX_QUEUED: Final = 16  # length of the queue
MAX_QUEUED_PER_USER: Final = 3  # queued requests for the tables of one user
IDLE_TIMEOUT: Final = 300.0  # seconds until idle workers end
MAX_ANSWER_BYTES: Final = 64 * 1024  # bytes of an answer
MAX_PARTS: Final = 5_000  # parts before an answer
ANSWERS_PER_WORKER: Final = 1000  # answers after which a worker is replaced
RESTART_DELAYS: Final = 1.0, 60.0  # seconds until the next start after a failure: at first, and at most
ACTIONS: Final[tuple[type[Action], ...]] = get_args(Action)


class ShutdownError(Exception):
    """The bot stops; pending turns are due again at the next start."""


@dataclass(eq=False, slots=True)
class Worker:
    process: Process
    answers: int = 0

    async def ask(self, request: object, kinds: tuple[type[T], ...], on_part: OnPart, most_bytes: int) -> T:
        """Send a request, pass its partial answers to `on_part`, and return the answer, of one of these kinds.

        Raises OSError or EOFError if the worker dies, ValueError for any other or too long an answer, ComputationError
        with the worker's own reason.
        """
        stdin = self.process.stdin
        assert stdin is not None
        packed = pickle.dumps(request)
        stdin.write(LENGTH_PREFIX.pack(len(packed)) + packed)
        await stdin.drain()
        parts = 0
        while isinstance(answer := await self._read_answer(most_bytes), PartialAnswer):
            parts += 1
            if parts > MAX_PARTS:
                raise ValueError("an answer of endless parts")
            on_part(answer.value)
        self.answers += 1
        if isinstance(answer, ComputationError):
            raise answer
        if not isinstance(answer, kinds):
            raise ValueError(str(answer)[:1000])
        return answer

    async def _read_answer(self, most_bytes: int) -> object:
        stdout = self.process.stdout
        assert stdout is not None
        head = await stdout.readexactly(LENGTH_PREFIX.size)
        (length,) = LENGTH_PREFIX.unpack(head)
        if length > most_bytes:
            raise ValueError("an answer of an endless length")
        packed = await stdout.readexactly(length)
        try:
            answer: object = pickle.loads(packed)  # noqa: S301 - of our own process
        except Exception as error:  # the pickled data decides which
            raise ValueError(repr(error)) from error
        return answer

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        await asyncio.gather(self.process.wait(), self._drain_output())

    async def _drain_output(self) -> None:
        """Discard pending output: it would hide the end of the process from asyncio."""
        assert self.process.stdout is not None
        while await self.process.stdout.read(MAX_ANSWER_BYTES):
            pass


@dataclass(slots=True)
class WorkerPool:
    """The pool. `most` limits the number of workers; none start before the first request."""

    most_workers: int = field(default_factory=lambda: max(1, min(MAX_WORKERS, _count_cores() - 1)))
    silence_timeout: float = SILENCE_TIMEOUT
    answer_timeout: float = ANSWER_TIMEOUT
    queue_timeout: float = QUEUE_TIMEOUT
    most_answer_bytes: int = MAX_ANSWER_BYTES
    command: Sequence[str] = PROGRAM
    _busy: int = 0
    _idle: list[Worker] = field(default_factory=list)
    _alive: set[Worker] = field(default_factory=set)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    # By user, in the order of their turns.
    _waiting: OrderedDict[int, deque[asyncio.Future[None]]] = field(default_factory=OrderedDict)
    _restart_at: float = 0.0
    _failures: int = 0
    _reaper: asyncio.TimerHandle | None = None
    _ended: bool = False

    @property
    def pids(self) -> list[int]:
        return [worker.process.pid for worker in self._alive]

    async def ask(self, owner_id: int, request: object, *, patient: bool = True) -> Action:
        """Return the chosen action; without `patient`, do not queue. Raises ComputationError or ShutdownError."""
        return await self.work(owner_id, request, ACTIONS, patient=patient)

    async def work(
        self,
        owner_id: int,
        request: object,
        kinds: tuple[type[T], ...],
        *,
        on_part: OnPart = lambda _: None,
        patient: bool = True,
    ) -> T:
        """Return the answer to a request; `on_part` gets its parts. Raises ComputationError or ShutdownError."""
        task = asyncio.create_task(self._work(owner_id, request, kinds, on_part, patient=patient))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise ShutdownError from None
            task.cancel()  # the caller was cancelled
            raise

    async def end(self) -> None:
        self._ended = True
        if self._reaper is not None:
            self._reaper.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(self._kill(worker) for worker in list(self._alive)))

    async def _work(
        self, owner_id: int, request: object, kinds: tuple[type[T], ...], on_part: OnPart, *, patient: bool
    ) -> T:
        if self._ended:
            raise ShutdownError
        if not patient and self._busy >= self.most_workers:
            raise ComputationError("busy")
        await self._wait_for_turn(owner_id)
        worker: Worker | None = None
        try:
            worker = await self._acquire_worker()
            async with asyncio.timeout(self.answer_timeout), asyncio.timeout(self.silence_timeout) as silence:

                def forward_part(part: object) -> None:
                    silence.reschedule(asyncio.get_running_loop().time() + self.silence_timeout)
                    on_part(part)

                answer = await worker.ask(request, kinds, forward_part, self.most_answer_bytes)
        except ComputationError:
            assert worker is not None
            self._idle.append(worker)  # the worker is healthy and reported why
            worker = None
            raise
        except TimeoutError:
            log.warning("a process took too long to answer, and was killed", seconds=self.silence_timeout)
            raise ComputationError("late") from None
        except (OSError, EOFError, ValueError) as error:
            self._back_off(error)
            raise ComputationError("failed") from None
        else:
            self._failures = 0
            if worker.answers < ANSWERS_PER_WORKER:
                self._idle.append(worker)
                worker = None
            return answer
        finally:
            if worker is not None:
                await self._kill(worker)
            self._pass_turn()
            self._schedule_reaping()

    async def _wait_for_turn(self, owner_id: int) -> None:
        """Wait for a free worker. Raises ComputationError(busy)."""
        if self._busy < self.most_workers:
            self._busy += 1
            return
        queue = self._waiting.get(owner_id, deque())
        if len(queue) >= MAX_QUEUED_PER_USER or sum(map(len, self._waiting.values())) >= MAX_QUEUED:
            raise ComputationError("busy")
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        self._waiting[owner_id] = queue
        try:
            async with asyncio.timeout(self.queue_timeout):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                self._pass_turn()  # the turn came too late
            else:
                with suppress(ValueError):  # a freed worker may have removed it already
                    queue.remove(turn)
                if not queue and self._waiting.get(owner_id) is queue:
                    del self._waiting[owner_id]
            if isinstance(error, TimeoutError):
                raise ComputationError("busy") from None
            raise

    def _pass_turn(self) -> None:
        while self._waiting:
            owner_id, queue = self._waiting.popitem(last=False)
            turn = queue.popleft()
            if queue:
                self._waiting[owner_id] = queue  # behind the other users
            if not turn.done():
                turn.set_result(None)
                return
        self._busy -= 1

    async def _acquire_worker(self) -> Worker:
        """Return a free worker. Raises OSError if none can start, or one failed just now."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.returncode is None:
                return worker
            await self._kill(worker)
        if asyncio.get_running_loop().time() < self._restart_at:
            raise BlockingIOError("one failed just now")
        process = await asyncio.create_subprocess_exec(
            *self.command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=_build_environment(), start_new_session=True
        )
        worker = Worker(process)
        self._alive.add(worker)
        COMPUTER_WORKERS.inc()
        return worker

    def _back_off(self, error: Exception) -> None:
        if isinstance(error, BlockingIOError):
            return
        first, most = RESTART_DELAYS
        wait = min(most, first * 2**self._failures)
        self._failures = min(self._failures + 1, 10)
        self._restart_at = asyncio.get_running_loop().time() + wait
        log.warning("a process that thinks has failed", reason=repr(error), seconds=wait)

    async def _kill(self, worker: Worker) -> None:
        await worker.kill()
        self._forget(worker)

    def _forget(self, worker: Worker) -> None:
        if worker in self._alive:
            self._alive.remove(worker)
            COMPUTER_WORKERS.dec()

    def _schedule_reaping(self) -> None:
        if self._reaper is not None:
            self._reaper.cancel()
        if not self._ended:
            self._reaper = asyncio.get_running_loop().call_later(IDLE_TIMEOUT, self._end_idle)

    def _end_idle(self) -> None:
        for worker in self._idle:
            assert worker.process.stdin is not None
            worker.process.stdin.close()  # the worker exits without a signal
            self._forget(worker)
        self._idle.clear()


def _count_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _build_environment() -> dict[str, str]:
    kept = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")
    known = {name: value for name, value in os.environ.items() if name in kept or name.startswith("PYTHON")}
    return {**known, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
