"""The tables of score attack: the deals of the days, and what people made of them.

Ids are BIGINT, times UTC epoch ms; a day is written like `2026-11-02`.
"""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, String, Table, Text

from data.store.connection.schema import metadata

attack_days = Table(
    "attack_days",
    metadata,
    Column("day", String(10), primary_key=True),
    # What the tiles of the day are ordered by. It is drawn on the day itself.
    Column("secret", LargeBinary, nullable=False),
    Column("made_at", BigInteger, nullable=False),
)

attacks = Table(
    "attacks",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("day", String(10), primary_key=True),
    # The attempt of the day, or what somebody does with the same deal after it.
    Column("practice", Boolean, primary_key=True),
    Column("version", Integer, nullable=False),
    # Whether it counts: not where nobody knows whether it is the first.
    Column("counted", Boolean, nullable=False),
    # What was done (`engine.solo.score_attack`).
    Column("acts", Text, nullable=False),
    # What it came to; NULL while it is open.
    Column("points", Integer),
    # The server on which it was ended, and on whose list it stands.
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
    # How far somebody is with a figure that they fill alone, and when they last showed it to all.
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
