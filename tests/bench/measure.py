"""What a piece of work costs: CPU time, for ratios that hold on any machine.

Wall time on a shared machine swings by a factor of two; the CPU time of this process, all its threads included, by a
few per cent. What is compared is measured in turns, so that a machine that slows down slows both sides, and the
median of the pairs counts. Where a machine has too much else to do for that, the least time of each part does.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from statistics import median
from time import process_time
from typing import Final


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure."""

    pairs: int
    """Readings of each side; the median counts."""
    seconds: float
    """CPU time that one reading lasts at least."""
    least: bool = False
    """Whether each part of a piece of work counts as often as it is done, and the least of its times: the way for a
    machine with much else to do. A part is over before another process has driven its data out of the caches, which
    costs a side that goes through much memory more than one that goes through little.
    """


FULL: Final = Effort(pairs=5, seconds=0.25)
SHORT: Final = Effort(pairs=3, seconds=0.05)


@dataclass(frozen=True, slots=True)
class Work:
    """Something that can be done again and again and costs about the same every time."""

    do: Callable[[], object]
    units: float = 1
    """How many things one call does: positions, plies, pictures. Costs are counted for one of them."""
    before: Callable[[], object] | None = None
    """Done before every call and not counted: what makes a cold start cold."""
    parts: Sequence[Callable[[], object]] = ()
    """What one call does, piece by piece, where that can be told apart: pictures, rounds, games."""

    @classmethod
    def of(
        cls,
        parts: Iterable[Callable[[], object]],
        before: Callable[[], object] | None = None,
        *,
        units: float | None = None,
    ) -> "Work":
        """Work that falls into parts, each of them a unit unless it is said how many all of them are."""
        each = tuple(parts)

        def do() -> None:
            for part in each:
                part()

        return cls(do, len(each) if units is None else units, before, each)


def cost(work: Work, effort: Effort) -> float:
    """CPU seconds for one unit, the median of the readings."""
    with _undisturbed():
        calls = _calls(work, effort)
        return median(_reading(work, calls) for _ in range(effort.pairs))


def ratio(over: Work, under: Work, effort: Effort) -> float:
    """How many times as much a unit of `over` costs as a unit of `under`: the median of readings taken in turns."""
    with _undisturbed():
        over_calls, under_calls = _calls(over, effort), _calls(under, effort)
        if effort.least and over.parts and under.parts:
            ours, theirs = _Least(over), _Least(under)
            for _ in range(effort.pairs):
                # Each for as long as a reading: the first call finds the caches full of what is the other side's.
                ours.call(over_calls)
                theirs.call(under_calls)
            return ours.cost / theirs.cost
        return median(_reading(over, over_calls) / _reading(under, under_calls) for _ in range(effort.pairs))


class _Least:
    """The least CPU seconds that each part of a piece of work took."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._times = [inf] * len(work.parts)

    def call(self, calls: int) -> None:
        """Do it so often."""
        for _ in range(calls):
            if self._work.before is not None:
                self._work.before()
            for number, part in enumerate(self._work.parts):
                start = process_time()
                part()
                self._times[number] = min(self._times[number], max(process_time() - start, 1e-9))

    @property
    def cost(self) -> float:
        """CPU seconds for one unit where each part takes as long as in its best round."""
        return sum(self._times) / self._work.units


def _calls(work: Work, effort: Effort) -> int:
    """How many calls fill a reading. The first call warms up and is not counted."""
    _reading(work, 1)
    calls, spent = 1, _reading(work, 1) * work.units
    while spent < effort.seconds / 8:
        calls *= 4
        spent = _reading(work, calls) * work.units * calls
    return max(1, round(calls * effort.seconds / spent))


def _reading(work: Work, calls: int) -> float:
    """CPU seconds for one unit over so many calls."""
    do, before = work.do, work.before
    gc.collect()
    if before is not None:
        spent = 0.0
        for _ in range(calls):
            before()
            start = process_time()
            do()
            spent += process_time() - start
    else:
        start = process_time()
        for _ in range(calls):
            do()
        spent = process_time() - start
    return max(spent, 1e-9) / (calls * work.units)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """No garbage collection inside a reading, and a quick one between two: what is there now is left alone."""
    was = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if was:
            gc.enable()
