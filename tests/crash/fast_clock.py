"""The accelerated clock that all bots and checks share."""

import mmap
import time
from dataclasses import replace
from pathlib import Path

from bot.playground.discord_limits import Rate, RateLimits

SPEED = 30  # Acceleration: one minute of a table clock takes two seconds of real time
START = 1_735_689_600_000  # The clock equals real time at the start of 2025


def read_fast_clock() -> int:
    """Return the correct time of that clock in UTC epoch ms."""
    return START + (read_real_clock() - START) * SPEED


def build_fast_limits(speed: float) -> RateLimits:
    """Return Discord's limits for a bot whose clock runs `speed` times faster."""

    def speed_up(rate: Rate) -> Rate:
        return replace(rate, seconds=rate.seconds / speed)

    limits = RateLimits()
    names = ("overall", "invalid", "starts", "old_edits", "direct_channels")
    return replace(
        limits,
        routes={route: speed_up(rate) for route, rate in limits.routes.items()},
        pause=limits.pause / speed,
        **{name: speed_up(getattr(limits, name)) for name in names},
    )


class ClockOffset:
    """The clock error of all bots in ms, stored as a number in a shared file."""

    def __init__(self, file: Path) -> None:
        if not file.exists():
            file.write_bytes(bytes(8))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), 8)

    def set(self, offset: int) -> None:
        self._shared[:] = offset.to_bytes(8, "little")

    def __call__(self) -> int:
        """Return UTC epoch ms of the clock as the bots read it."""
        return read_fast_clock() + int.from_bytes(self._shared[:], "little")


def read_real_clock() -> int:
    return time.time_ns() // 1_000_000
