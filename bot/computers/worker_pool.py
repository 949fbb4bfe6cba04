"""A few processes that think, begun when there is something to think about, and those who wait for them.

Each has one request at a time. What takes long is told of in parts before the answer. One that is late, or answers with
anything but what was asked for, is killed, and another one is begun when it is needed. Whoever waits is served in turn
with the others, in a row that has an end.
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
MOST: Final = 4
"""More processes than that are not begun, however many cores there are."""
LIMIT: Final = 8.0
"""Seconds that a process may say nothing before it is killed; whoever thinks looks at a shorter time themselves."""
WHOLE: Final = 8.0
"""Seconds that all of an answer may take, its parts included."""
PATIENCE: Final = 2.0
"""Seconds that somebody waits for a process."""
ROOM: Final = 16
"""So many wait at the same time."""
EACH: Final = 3
"""So many of them for one person's tables."""
IDLE: Final = 300.0
"""Seconds after which a process that nobody needs ends."""
LONGEST: Final = 64 * 1024
"""The bytes of an answer."""
PARTS: Final = 5_000
"""The parts before an answer."""
RETIRES: Final = 1000
"""Thoughts after which a process makes way for a fresh one."""
AGAIN: Final = 1.0, 60.0
"""Seconds until another one is begun after one that failed: at first, and at most."""

ACTIONS: Final[tuple[type[Action], ...]] = get_args(Action)


class Ended(Exception):  # noqa: N818 - nothing went wrong
    """The bot ends; what is due then is due again at the next start."""


@dataclass(eq=False, slots=True)
class Worker:
    """One process."""

    process: Process
    thoughts: int = 0

    async def ask(self, request: object, kinds: tuple[type[T], ...], told: Callable[[object], None], longest: int) -> T:
        """Its answer, of one of these kinds; `told` hears the parts. Raises OSError or EOFError where it dies,
        ValueError where it answers with anything else, or more than `longest` bytes, Unthought where it says itself why
        there is none.
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
        except Exception as error:  # what stands in it decides which
            raise ValueError(repr(error)) from error
        return said

    async def kill(self) -> None:
        """It is gone when this returns."""
        with suppress(ProcessLookupError):
            self.process.kill()
        await asyncio.gather(self.process.wait(), self._read_away())

    async def _read_away(self) -> None:
        """What nobody has read of a flood would keep asyncio from noticing that the process has ended."""
        assert self.process.stdout is not None
        while await self.process.stdout.read(LONGEST):
            pass


@dataclass(slots=True)
class Workers:
    """Those processes. `most` is how many there may be; none are begun before the first request."""

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
    _waiting: OrderedDict[int, deque[asyncio.Future[None]]] = field(default_factory=OrderedDict)
    """By person, whose turn is next first."""
    _again_at: float = 0.0
    _failures: int = 0
    _reaper: asyncio.TimerHandle | None = None
    _ended: bool = False

    @property
    def pids(self) -> list[int]:
        """The processes that there are."""
        return [worker.process.pid for worker in self._alive]

    async def ask(self, whose: int, request: object, *, patient: bool = True) -> Action:
        """The action that is chosen; whoever is not `patient` waits for no process. Raises Unthought, or Ended."""
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
        """The answer to a request, of one of these kinds; `told` hears its parts. Raises Unthought, or Ended."""
        task = asyncio.create_task(self._asked(whose, request, kinds, told, patient=patient))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise Ended from None
            task.cancel()  # whoever asked was
            raise

    async def end(self) -> None:
        """Kill all of them, and begin none any more."""
        self._ended = True
        if self._reaper is not None:
            self._reaper.cancel()
        for task in list(self._asking):
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)
        await asyncio.gather(*(self._gone(worker) for worker in list(self._alive)))

    async def _asked(
        self, whose: int, request: object, kinds: tuple[type[T], ...], told: Callable[[object], None], *, patient: bool
    ) -> T:
        if self._ended:
            raise Ended
        if not patient and self._busy >= self.most:
            raise Unthought("busy")
        await self._turn(whose)
        worker: Worker | None = None
        try:
            worker = await self._worker()
            async with asyncio.timeout(self.whole), asyncio.timeout(self.limit) as silence:

                def heard(part: object) -> None:
                    silence.reschedule(asyncio.get_running_loop().time() + self.limit)
                    told(part)

                answer = await worker.ask(request, kinds, heard, self.longest)
        except Unthought:
            assert worker is not None
            self._idle.append(worker)  # it is well, and says why there is no answer
            worker = None
            raise
        except TimeoutError:
            log.warning("a process took too long to answer, and was killed", seconds=self.limit)
            raise Unthought("late") from None
        except (OSError, EOFError, ValueError) as error:
            self._failed(error)
            raise Unthought("failed") from None
        else:
            self._failures = 0
            if worker.thoughts < RETIRES:
                self._idle.append(worker)
                worker = None
            return answer
        finally:
            if worker is not None:
                await self._gone(worker)
            self._next()
            self._look_for_idle()

    async def _turn(self, whose: int) -> None:
        """Wait until a process may be had. Raises Unthought(busy)."""
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
                self._next()  # it came too late
            else:
                with suppress(ValueError):  # whoever had a process to give may have passed it over before
                    mine.remove(place)
                if not mine and self._waiting.get(whose) is mine:
                    del self._waiting[whose]
            if isinstance(error, TimeoutError):
                raise Unthought("busy") from None
            raise

    def _next(self) -> None:
        """Somebody needs their process no longer: whoever waits has it, one person after the other."""
        while self._waiting:
            whose, mine = self._waiting.popitem(last=False)
            place = mine.popleft()
            if mine:
                self._waiting[whose] = mine  # behind the others
            if not place.done():
                place.set_result(None)
                return
        self._busy -= 1

    async def _worker(self) -> Worker:
        """A process that is free. Raises OSError where none can be begun, or one failed just now."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.returncode is None:
                return worker
            await self._gone(worker)
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

    def _failed(self, error: Exception) -> None:
        if isinstance(error, BlockingIOError):
            return
        first, most = AGAIN
        wait = min(most, first * 2**self._failures)
        self._failures = min(self._failures + 1, 10)
        self._again_at = asyncio.get_running_loop().time() + wait
        log.warning("a process that thinks has failed", reason=repr(error), seconds=wait)

    async def _gone(self, worker: Worker) -> None:
        await worker.kill()
        self._forget(worker)

    def _forget(self, worker: Worker) -> None:
        if worker in self._alive:
            self._alive.remove(worker)
            THINKERS.dec()

    def _look_for_idle(self) -> None:
        if self._reaper is not None:
            self._reaper.cancel()
        if not self._ended:
            self._reaper = asyncio.get_running_loop().call_later(IDLE, self._reap)

    def _reap(self) -> None:
        """Nobody has asked for long."""
        for worker in self._idle:
            assert worker.process.stdin is not None
            worker.process.stdin.close()  # it ends by itself
            self._forget(worker)
        self._idle.clear()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _environment() -> dict[str, str]:
    """What such a process needs to find its code, and nothing that is secret."""
    known = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")}
    known |= {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
    return {**known, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
