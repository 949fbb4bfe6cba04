"""The accelerated clock that all bots and checks share."""

import mmap
import time
from pathlib import Path

SPEED = 30  # Acceleration: one minute of a table clock takes two seconds of real time
BEGINNING = 1_735_689_600_000  # The clock equals real time at the start of 2025


def hurried() -> int:
    """Return the correct time of that clock in UTC epoch ms."""
    return BEGINNING + (true() - BEGINNING) * SPEED


class Steps:
    """The clock error of all bots in ms, stored as a number in a shared file."""

    def __init__(self, file: Path) -> None:
        if not file.exists():
            file.write_bytes(bytes(8))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), 8)

    def set(self, ahead: int) -> None:
        self._shared[:] = ahead.to_bytes(8, "little")

    def __call__(self) -> int:
        """Return UTC epoch ms of the clock as the bots read it."""
        return hurried() + int.from_bytes(self._shared[:], "little")


def true() -> int:
    return time.time_ns() // 1_000_000
