"""CPU seconds of this process and of whatever it has started: what a test costs is the difference (`--costs`)."""

import os

_elsewhere = [0.0]


def spent() -> float:
    """Those of this process, of those it has started and that have ended, and those that others worked for it."""
    return sum(os.times()[:4]) + _elsewhere[0]


def elsewhere(seconds: float) -> None:
    """So many more were spent by a process that works for several tests and goes on."""
    _elsewhere[0] += seconds
