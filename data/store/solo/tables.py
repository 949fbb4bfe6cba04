"""The SQL tables of score attack and solo puzzles.

Ids are BIGINT, times UTC epoch ms; a day is written like `2026-11-02`.
"""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, String, Table, Text

from data.store.connection.schema import metadata

attack_days = Table(
    "attack_days",
    metadata,
    Column("day", String(10), primary_key=True),
    # Orders the tiles of the day. It is drawn on the day itself.
    Column("secret", LargeBinary, nullable=False),
    Column("made_at", BigInteger, nullable=False),
)

attacks = Table(
    "attacks",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("day", String(10), primary_key=True),
    # Whether it is practice after the day's attempt.
    Column("practice", Boolean, primary_key=True),
    Column("version", Integer, nullable=False),
    # False if an earlier attempt is possible.
    Column("counted", Boolean, nullable=False),
    # Text of `engine.solo.score_attack`.
    Column("acts", Text, nullable=False),
    # NULL while it is open.
    Column("points", Integer),
    # The guild in which it ended, for its list.
    Column("guild_id", BigInteger),
    Column("begun_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("shared_at", BigInteger),
    Index("ix_attacks_list", "guild_id", "day"),
    Index("ix_attacks_day", "day"),
)


figures = Table(
    "figures",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("figure", String(24), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("acts", Text, nullable=False),
    Column("hints", Integer, nullable=False),
    Column("solved_at", BigInteger),
    Column("shared_at", BigInteger),
    Column("updated_at", BigInteger, nullable=False),
    Index("ix_figures_updated", "updated_at"),
)
