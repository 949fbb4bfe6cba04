"""Seasons of leagues as values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.leagues.season import SeasonState
from engine.leagues.season_events import SeasonEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonMessage:
    """A message of a season that was sent or may have been: it is noted before it is sent."""

    number: int
    season_id: int
    channel_id: int
    state: SeasonState
    message_id: int | None
    """None while it is being sent, or after a crash of its sender."""
    begun_at: int

    @property
    def nonce(self) -> str:
        """The idempotency key with which it is sent and found again."""
        return f"season{self.season_id}{self.state}{self.number}"[-25:]


DUE_NOW: Final = 0
UNDER_WAY: Final = ("signup", "running")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonHead:
    """The state of a season without its log and players."""

    season_id: int
    previous_id: int | None
    guild_id: int
    channel_id: int
    state: SeasonState
    seq: int
    shown_seq: int
    """The seq that its newest message shows."""
    due_at: int | None
    attempts: int
    trouble: int | None
    """Discord's error code of what blocks it; 0 if there is none."""
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSeason:
    head: SeasonHead
    log: tuple[SeasonEvent, ...]
    user_ids: Mapping[int, int | None]
    """By player; None for an erased user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSeason:
    guild_id: int
    channel_id: int
    events: Sequence[SeasonEvent]
    due_at: int | None
    previous_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonChange:
    """The atomic change of a season by one command."""

    season_id: int
    expected_seq: int
    events: Sequence[SeasonEvent] = ()
    state: SeasonState
    due_at: int | None
    signup: tuple[int, int] | None = None
    """A new player and their user id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSeason:
    """A season that is over, for a user who signed up for it."""

    season_id: int
    channel_id: int
    player: int
    """Their number in its log."""
