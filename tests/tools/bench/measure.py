"""Measure CPU time in comparison with a reference that runs in the same seconds on the same machine."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time
from typing import Final

MIN_SECONDS: Final = 0.005
"""CPU seconds that one reading takes at least; the clock of some machines has steps of a millisecond."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value, and the number that the limit of its row applies to."""

    value: float
    """In the unit of the row, for people to read."""
    checked: float | None = None
    """A ratio or a count that does not depend on the machine. Less is better."""


def run_calibration_loop() -> int:
    """Do about a millisecond of typical Python work: small numbers, a dictionary, a list and a method call."""
    counts: dict[int, int] = {}
    found = []
    for number in range(4_000):
        key = (number * 7919) & 255
        counts[key] = counts.get(key, 0) + 1
        if key & 3 == 0:
            found.append(number)
    return sum(counts.values()) + len(found)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The minimum CPU seconds of a call, for each side."""

    work: float
    reference: float

    @property
    def ratio(self) -> float:
        """The cost of the work as a multiple of the reference."""
        return self.work / self.reference


def compare(work: Callable[[], object], reference: Callable[[], object], repeats: int) -> Comparison:
    """Measure both sides in turn, so that a slow moment of the machine affects both, and take the minimum of each.

    The first call of each side is not counted: it fills caches.
    """
    with _without_garbage_collection():
        work_calls, reference_calls = _count_calls(work), _count_calls(reference)
        readings = [
            (_read_seconds(work, work_calls), _read_seconds(reference, reference_calls)) for _ in range(repeats)
        ]
    return Comparison(min(one for one, _ in readings), min(other for _, other in readings))


def _count_calls(work: Callable[[], object]) -> int:
    """Return how many calls make a reading of sufficient length."""
    work()
    calls = 1
    while _read_seconds(work, calls) * calls < MIN_SECONDS:
        calls *= 2
    return calls


def _read_seconds(work: Callable[[], object], calls: int) -> float:
    began = process_time()
    for _ in range(calls):
        work()
    return max(process_time() - began, 1e-9) / calls


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
