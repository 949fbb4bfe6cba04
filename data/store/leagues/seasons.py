"""Seasons of leagues as they go into the store and come out: small frozen values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.leagues.season import SeasonState
from engine.leagues.season_events import SeasonEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonMessage:
    """A message of a season that stands in a channel, or may: nobody knows whether it arrived before that is noted."""

    number: int
    """As no other message of any season has."""
    season_id: int
    channel_id: int
    state: SeasonState
    """The state that it was posted for."""
    message_id: int | None
    """None: it is being sent, or whoever sent it did not live to note it."""
    begun_at: int

    @property
    def nonce(self) -> str:
        """By what it is sent, and found again."""
        return f"season{self.season_id}{self.state}{self.number}"[-25:]


DUE_NOW: Final = 0
"""When something is due that is due at once."""

UNDER_WAY: Final = ("signup", "running")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonHead:
    """Where a season stands: everything about it but its log and its people."""

    season_id: int
    previous_id: int | None
    guild_id: int
    channel_id: int
    state: SeasonState
    seq: int
    shown_seq: int
    """The event that the newest of its messages shows."""
    due_at: int | None
    attempts: int
    """How often in a row something could not be done."""
    trouble: int | None
    """Discord's number of what keeps it from going on; 0 where that has none."""
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSeason:
    """A season read at one instant."""

    head: SeasonHead
    log: tuple[SeasonEvent, ...]
    people: Mapping[int, int | None]
    """By player; None for somebody who was forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSeason:
    """A season to announce."""

    guild_id: int
    channel_id: int
    events: Sequence[SeasonEvent]
    due_at: int | None
    previous_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonChange:
    """What one act does to a season: all of it happens, or nothing."""

    season_id: int
    expected_seq: int
    events: Sequence[SeasonEvent] = ()
    state: SeasonState
    due_at: int | None
    signs_up: tuple[int, int] | None = None
    """A player, and who that is, from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSeason:
    """A season that is over, for somebody who signed up for it."""

    season_id: int
    channel_id: int
    player: int
    """As whom its log knows them."""
