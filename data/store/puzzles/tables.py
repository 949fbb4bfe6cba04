"""The SQL tables of puzzles: tries, shared results, and ratings of puzzles.

Ids are BIGINT, times UTC epoch ms; a day is written like `2026-11-02`.
"""

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, Integer, String, Table, Text, false

from data.store.connection.schema import metadata

puzzle_tries = Table(
    "puzzle_tries",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("day", String(10), primary_key=True),
    # Counts for streak and rating: begun on its day, and ended soon after.
    Column("counted", Boolean, nullable=False),
    Column("hinted", Boolean, nullable=False, server_default=false()),
    # Answers in order, separated by spaces.
    Column("answers", Text, nullable=False, server_default=""),
    # NULL while it is open.
    Column("solved", Boolean),
    Column("begun_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    # The user's rating after it, if it counts.
    Column("mu", Double),
    Column("sigma", Double),
    # The puzzle's rating after it, if it counts.
    Column("puzzle_mu", Double),
    Column("puzzle_sigma", Double),
    Index("ix_puzzle_tries_ended", "user_id", "game", "counted", "ended_at"),
)

puzzle_shares = Table(
    "puzzle_shares",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    # The sort key in the table of the day; NULL if not in it.
    Column("ranked", BigInteger),
    Index("ix_puzzle_shares_user", "user_id"),
    Index("ix_puzzle_shares_table", "guild_id", "game", "day", "ranked"),
)

puzzle_ratings = Table(
    "puzzle_ratings",
    metadata,
    # Ratings of puzzles, without users.
    Column("game", String(40), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("tried", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
)
