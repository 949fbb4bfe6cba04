"""What the surroundings say: the token and the database. Read once, at the start."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is configured from outside."""

    token: str | None
    """`DISCORD_TOKEN`."""
    database_url: str | None
    """`BONEYARD_DATABASE_URL`; None is a file in the user's data directory."""


def from_environment() -> Settings:
    """The settings of this process. An empty variable counts as none."""
    return Settings(
        token=os.environ.get("DISCORD_TOKEN", "").strip() or None,
        database_url=os.environ.get("BONEYARD_DATABASE_URL", "").strip() or None,
    )
