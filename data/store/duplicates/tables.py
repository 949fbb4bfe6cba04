"""The SQL tables of weekly deals and their news."""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, Text

from data.store.connection.schema import metadata, partial
from data.store.log.deal_tables import deal_number

weekly_deals: Final = Table(
    "weekly_deals",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("terms", Text, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Index("ix_weekly_deals_next", "next_at"),
)

deal_news: Final = Table(
    "deal_news",
    metadata,
    deal_number(primary_key=True),
    Column("kind", String(8), primary_key=True),
    Column("created_at", BigInteger, nullable=False),
    # NULL: it was sent, or is not due yet.
    Column("next_at", BigInteger),
    Column("attempts", Integer, nullable=False),
    Column("message_id", BigInteger),
    partial("ix_deal_news_due", "next_at", where="next_at IS NOT NULL"),
)
