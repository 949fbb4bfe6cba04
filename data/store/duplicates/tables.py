"""The tables of deals that a server has every week, and of what is told of them."""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, Text

from data.store.connection.schema import metadata, partial
from data.store.log.deal_tables import deal_number

weekly_deals: Final = Table(
    "weekly_deals",
    metadata,
    # The deal that a server has every week: in which channel, what is played, when the next one is made.
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("terms", Text, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Index("ix_weekly_deals_next", "next_at"),
)

deal_news: Final = Table(
    "deal_news",
    metadata,
    # What is to be told of a weekly deal where its server has it: "sealed" and "opened".
    deal_number(primary_key=True),
    Column("kind", String(8), primary_key=True),
    Column("created_at", BigInteger, nullable=False),
    # None: it was told, or there is nothing to tell yet.
    Column("next_at", BigInteger),
    Column("attempts", Integer, nullable=False),
    Column("message_id", BigInteger),
    partial("ix_deal_news_due", "next_at", where="next_at IS NOT NULL"),
)
