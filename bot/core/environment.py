"""What the surroundings say: the token, the database, the time, the version; and what was found looking them over."""

import os
import time
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is configured from outside."""

    token: str | None
    """`DISCORD_TOKEN`."""
    database_url: str | None
    """`BONEYARD_DATABASE_URL`; None is a file in the user's data directory."""
    status: str | None = None
    """`BONEYARD_STATUS`: where to tell how the bot is doing, a port or HOST:PORT; None is nowhere."""
    players: str | None = None
    """`BONEYARD_PLAYERS`: the file that names other people's programs that may play at tables; None is none."""


def from_environment() -> Settings:
    """The settings of this process. An empty variable counts as none."""
    return Settings(
        token=os.environ.get("DISCORD_TOKEN", "").strip() or None,
        database_url=os.environ.get("BONEYARD_DATABASE_URL", "").strip() or None,
        status=os.environ.get("BONEYARD_STATUS", "").strip() or None,
        players=os.environ.get("BONEYARD_PLAYERS", "").strip() or None,
    )


def now() -> int:
    """UTC epoch ms. Everything that has to do with time is handed a clock; this is the one on the wall."""
    return time.time_ns() // 1_000_000


@cache
def this_version() -> str:
    """The version that is installed; in a checkout that is not, the one that `pyproject.toml` names.

    A checkout comes first: the metadata of an editable installation is as old as its installation.
    """
    named = Path(__file__).parents[2] / "pyproject.toml"
    try:
        project = tomllib.loads(named.read_text(encoding="utf-8"))["project"]
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
    """One thing that was looked at. `fix` says what to do where it is not well."""

    what: str
    good: bool
    fix: str = ""

    def __str__(self) -> str:
        return f"{'ok' if self.good else 'FIX':>3}  {self.what}" + ("" if self.good else f"\n     {self.fix}")
