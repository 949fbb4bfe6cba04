"""Duplicate deals as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sqlalchemy import BigInteger, Column, Index, Integer, String, Text

from data.store.connection.schema import build_partial_index, build_table
from data.store.log.deal_tables import build_deal_column

DEAL: Final = "deal"
"""The kind of the post that compares the tables of a deal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedDeal:
    """A duplicate deal. `terms`: game, seats, target, preset, options, by_hand."""

    deal_id: int = 0
    guild_id: int
    channel_id: int
    name: str
    terms: Mapping[str, Any]
    secret: bytes = field(repr=False)
    """32 bytes that determine the tiles of all its tables."""
    tables: int = 0
    """The number of finished tables that opens the deal early, which is also their limit; 0 for no limit."""
    made_at: int
    closes_at: int
    opened_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeeklyDeal:
    guild_id: int
    channel_id: int
    terms: Mapping[str, Any]
    next_at: int


@dataclass(frozen=True, slots=True)
class WeeklyDealUpdate:
    weekly: WeeklyDeal
    before: WeeklyDeal | None
    current: SealedDeal | None
    """This week's deal if it is sealed: it stays, and the next one is made when it opens."""

    @property
    def is_same(self) -> bool:
        before, weekly = self.before, self.weekly
        if before is None or self.current is None:
            return False
        return (before.channel_id, dict(before.terms)) == (weekly.channel_id, dict(weekly.terms))


NewsKind = Literal["sealed", "opened"]
NEWS_KINDS: Final[tuple[NewsKind, ...]] = ("sealed", "opened")


@dataclass(frozen=True, slots=True, kw_only=True)
class DealNews:
    """A message about a weekly deal that is due."""

    deal_id: int
    guild_id: int
    channel_id: int
    kind: NewsKind
    created_at: int
    next_at: int
    attempts: int
    announced: int | None
    """The message that announced the sealed deal, if there is one."""


weekly_deals: Final = build_table(
    "weekly_deals",
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("terms", Text, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Index("ix_weekly_deals_next", "next_at"),
)

deal_news: Final = build_table(
    "deal_news",
    build_deal_column(primary_key=True),
    Column("kind", String(8), primary_key=True),
    Column("created_at", BigInteger, nullable=False),
    # NULL: it was sent, or is not due yet.
    Column("next_at", BigInteger),
    Column("attempts", Integer, nullable=False),
    Column("message_id", BigInteger),
    build_partial_index("ix_deal_news_due", "next_at", where="next_at IS NOT NULL"),
)
