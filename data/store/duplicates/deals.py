"""Sealed deals as they go into the store and come out: small frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

DEAL: Final = "deal"
"""The kind of the post that tells how the tables of a deal compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedDeal:
    """One of them. `terms` say what is played: game, seats, target, preset, options, by_hand."""

    deal_id: int = 0
    guild_id: int
    channel_id: int
    name: str
    terms: Mapping[str, Any]
    secret: bytes = field(repr=False)
    """32 bytes behind the deals of all its tables."""
    tables: int = 0
    """With so many tables that are over it is opened at once, and there are no more; 0: any number, until its time."""
    made_at: int
    closes_at: int
    opened_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeeklyDeal:
    """What a server has made every week, and when next."""

    guild_id: int
    channel_id: int
    terms: Mapping[str, Any]
    next_at: int


@dataclass(frozen=True, slots=True)
class WeeklySet:
    """What came of setting a weekly deal."""

    weekly: WeeklyDeal
    """As it is from now on."""
    before: WeeklyDeal | None
    """As it was."""
    current: SealedDeal | None
    """This week's, where one is sealed: it stays, and the next one is made when it is opened."""

    @property
    def is_same(self) -> bool:
        """Whether nothing has changed by it."""
        before, weekly = self.before, self.weekly
        if before is None or self.current is None:
            return False
        return (before.channel_id, dict(before.terms)) == (weekly.channel_id, dict(weekly.terms))


NewsKind = Literal["sealed", "opened"]

KINDS: Final[tuple[NewsKind, ...]] = ("sealed", "opened")


@dataclass(frozen=True, slots=True, kw_only=True)
class DealNews:
    """One of them, as it was read."""

    deal_id: int
    guild_id: int
    channel_id: int
    kind: NewsKind
    created_at: int
    next_at: int
    attempts: int
    announced: int | None
    """The message that tells that the deal is sealed, where there is one."""
