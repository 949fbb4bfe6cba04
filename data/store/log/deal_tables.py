"""The tables of sealed deals: what they are, which matches are played with them, and who has seen one.

Ids are BIGINT, times UTC epoch ms.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from data.store.connection.schema import match_number, metadata, partial


def deal_number(*, primary_key: bool = False) -> Column[int]:
    """The deal that a row is of: it goes with that."""
    return Column(
        "deal_id",
        BigInteger().with_variant(Integer, "sqlite"),
        ForeignKey("deals.deal_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
        autoincrement=False,
    )


deals: Final = Table(
    "deals",
    metadata,
    Column("deal_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("guild_id", BigInteger, nullable=False),
    # Where its end is told.
    Column("channel_id", BigInteger, nullable=False),
    Column("name", String(40), nullable=False),
    # What all its tables play, as JSON.
    Column("terms", Text, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    # With so many tables that are over it is opened before its time; 0: only then.
    Column("tables", Integer, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("closes_at", BigInteger, nullable=False),
    Column("opened_at", BigInteger),
    UniqueConstraint("guild_id", "name"),
    partial("ix_deals_sealed", "closes_at", where="opened_at IS NULL"),
    sqlite_autoincrement=True,
)

deal_matches: Final = Table(
    "deal_matches",
    metadata,
    match_number(primary_key=True),
    deal_number(),
    Index("ix_deal_matches_deal", "deal_id"),
)

deal_sitters: Final = Table(
    "deal_sitters",
    metadata,
    # Who has sat at which table of a deal after it was dealt: nobody does at two.
    deal_number(primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    match_number(),
    Index("ix_deal_sitters_user", "user_id"),
    Index("ix_deal_sitters_match", "match_id"),
)
