"""The SQL tables of duplicate deals: the deals, their matches, and the users who saw them.

Ids are BIGINT, times UTC epoch ms.
"""

from functools import partial
from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, String, Text, UniqueConstraint

from data.store.connection.schema import (
    SERIAL,
    build_columns,
    build_match_column,
    build_parent_column,
    build_partial_index,
    build_table,
)

build_deal_column = partial(build_parent_column, "deals.deal_id")

deals: Final = build_table(
    "deals",
    Column("deal_id", SERIAL, primary_key=True, autoincrement=True),
    Column("guild_id", BigInteger, nullable=False),
    # Where its result is posted.
    Column("channel_id", BigInteger, nullable=False),
    Column("name", String(40), nullable=False),
    # Terms of all its tables, as JSON.
    Column("terms", Text, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    # The number of finished tables that opens it early; 0 for none.
    Column("tables", Integer, nullable=False),
    *build_columns(BigInteger, "made_at", "closes_at"),
    Column("opened_at", BigInteger),
    UniqueConstraint("guild_id", "name"),
    build_partial_index("ix_deals_sealed", "closes_at", where="opened_at IS NULL"),
    sqlite_autoincrement=True,
)

deal_matches: Final = build_table(
    "deal_matches",
    build_match_column(primary_key=True),
    build_deal_column(),
    Index("ix_deal_matches_deal", "deal_id"),
)

deal_sitters: Final = build_table(
    "deal_sitters",
    # The table of each user who saw the deal.
    build_deal_column(primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    build_match_column(),
    Index("ix_deal_sitters_user", "user_id"),
    Index("ix_deal_sitters_match", "match_id"),
)
