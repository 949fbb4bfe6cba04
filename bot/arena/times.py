"""How long choices take, kept as counts: a millisecond is known to a twentieth, however many were made. And how much
memory it took.
"""

from collections import Counter
from math import log2
from typing import Final

try:
    import resource
except ImportError:  # Windows has no such thing
    resource = None  # type: ignore[assignment]

Times = Counter[int]
"""How many choices took so long, by `bucket`."""

FINE: Final = 8
"""Buckets to a doubling."""


def bucket(nanoseconds: int) -> int:
    """The bucket of a time: each is 9 % longer than the one before it, beginning with a microsecond."""
    return max(0, round(FINE * log2(max(1, nanoseconds) / 1000)))


def milliseconds(bucket: int) -> float:
    """The time that a bucket stands for."""
    return float(2.0 ** (bucket / FINE) / 1000)


def quantile(times: Times, part: float) -> float | None:
    """The milliseconds that this part of the choices took at most; None where there are none."""
    left = part * times.total()
    for found in sorted(times):
        left -= times[found]
        if left <= 0:
            return milliseconds(found)
    return None


def peak_mib() -> float | None:
    """The memory of the largest process that has played so far, in MiB; None where that cannot be known."""
    if resource is None:
        return None
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return round(max(resource.getrusage(one).ru_maxrss for one in who) / 1024, 1)
