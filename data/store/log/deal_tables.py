"""The SQL tables of duplicate deals: the deals, their matches, and the users who saw them.

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

from data.store.connection.schema import build_match_column, build_partial_index, metadata


def build_deal_column(*, primary_key: bool = False) -> Column[int]:
    """Return a column with the deal of a row; the row is deleted with its deal."""
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
    # Where its result is posted.
    Column("channel_id", BigInteger, nullable=False),
    Column("name", String(40), nullable=False),
    # Terms of all its tables, as JSON.
    Column("terms", Text, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    # The number of finished tables that opens it early; 0 for none.
    Column("tables", Integer, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("closes_at", BigInteger, nullable=False),
    Column("opened_at", BigInteger),
    UniqueConstraint("guild_id", "name"),
    build_partial_index("ix_deals_sealed", "closes_at", where="opened_at IS NULL"),
    sqlite_autoincrement=True,
)

deal_matches: Final = Table(
    "deal_matches",
    metadata,
    build_match_column(primary_key=True),
    build_deal_column(),
    Index("ix_deal_matches_deal", "deal_id"),
)

deal_sitters: Final = Table(
    "deal_sitters",
    metadata,
    # The table of each user who saw the deal.
    build_deal_column(primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    build_match_column(),
    Index("ix_deal_sitters_user", "user_id"),
    Index("ix_deal_sitters_match", "match_id"),
)
