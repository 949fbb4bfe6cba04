"""The configuration and environment of the process: settings, clock, version, and `Finding` for checks."""

import ctypes
import os
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class Settings:
    token: str | None  # `DISCORD_TOKEN`
    database_url: str | None  # `BONEYARD_DATABASE_URL`; None is a file in the user's data directory
    status: str | None = None  # `BONEYARD_STATUS`: port or HOST:PORT of the status page; None is off
    players: str | None = None  # `BONEYARD_PLAYERS`: the file that names external players


def read_settings() -> Settings:
    return Settings(
        token=os.environ.get("DISCORD_TOKEN", "").strip() or None,
        database_url=os.environ.get("BONEYARD_DATABASE_URL", "").strip() or None,
        status=os.environ.get("BONEYARD_STATUS", "").strip() or None,
        players=os.environ.get("BONEYARD_PLAYERS", "").strip() or None,
    )


SECRET_VARIABLES: Final = ("DISCORD_TOKEN", "BONEYARD_DATABASE_URL")  # read once, by `read_settings`
_DUMPABLE: Final = 4  # option of Linux's `prctl`


def hide_secrets() -> None:
    """Overwrite the secrets in the environment, after they were read, and forbid others to inspect this process."""
    if sys.platform == "linux":
        forbid_inspection()
        library = ctypes.CDLL(None)
        library.getenv.restype = ctypes.c_void_p
        for name in SECRET_VARIABLES:
            # Removing a variable leaves its text in /proc/PID/environ.
            if address := library.getenv(name.encode()):
                ctypes.memset(address, 0, len(os.environb[name.encode()]))
    for name in SECRET_VARIABLES:
        os.environ.pop(name, None)


def forbid_inspection() -> None:
    """Forbid other processes of this user to read the memory, environment and files of this process, on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)


def read_clock() -> int:
    """Return the time, UTC epoch ms. All other code gets a clock as an argument."""
    return time.time_ns() // 1_000_000


@cache
def read_version() -> str:
    """Return the version of the checkout, else of the installation, whose metadata may be outdated."""
    project_file = Path(__file__).parents[2] / "pyproject.toml"
    try:
        project = tomllib.loads(project_file.read_text(encoding="utf-8"))["project"]
        if project["name"] == "boneyard":
            return str(project["version"])
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        pass
    try:
        return version("boneyard")
    except PackageNotFoundError:
        return "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check. `fix` says what to do if it is not good."""

    summary: str
    is_ok: bool
    fix: str = ""

    def __str__(self) -> str:
        return f"{'ok' if self.is_ok else 'FIX':>3}  {self.summary}" + ("" if self.is_ok else f"\n     {self.fix}")


GRACE_PERIOD: Final = timedelta(hours=1)  # time after its day in which an attempt still counts


def to_epoch_ms(day: date) -> int:
    """Return the start of a day, UTC epoch ms."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000


def to_utc_day(at: int) -> date:
    """Return the day of a UTC epoch ms."""
    return datetime.fromtimestamp(at / 1000, UTC).date()


def compute_closing_time(day: date) -> int:
    """Return the end of a day with its grace period, UTC epoch ms."""
    return to_epoch_ms(day + timedelta(days=1)) + _GRACE_MS


def compute_first_open_day(at: int) -> date:
    return to_utc_day(at - _GRACE_MS)


def compute_streak(solved_days: Sequence[date], day: date) -> int:
    """Return the length of the streak that ends on a day or the day before; `solved_days` is newest first."""
    all_days, at, length = {*solved_days}, day, 0
    if at not in all_days:
        at -= timedelta(days=1)
    while at in all_days:
        at, length = at - timedelta(days=1), length + 1
    return length


_GRACE_MS: Final = int(GRACE_PERIOD.total_seconds()) * 1000
