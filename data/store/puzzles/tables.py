"""The tables of puzzles: what people tried, what they showed to others, and how hard each turned out to be.

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
    # Whether it counts for streak and rating: it was begun on its day, and ended hardly later.
    Column("counted", Boolean, nullable=False),
    Column("hinted", Boolean, nullable=False, server_default=false()),
    # What was answered, in order, parted by spaces.
    Column("answers", Text, nullable=False, server_default=""),
    # Whether the last answer was right; NULL while it is open.
    Column("solved", Boolean),
    Column("begun_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    # The rating of whoever tried, once it has ended, where it counts.
    Column("mu", Double),
    Column("sigma", Double),
    # The rating of the puzzle after it, likewise.
    Column("puzzle_mu", Double),
    Column("puzzle_sigma", Double),
    Index("ix_puzzle_tries_ended", "user_id", "game", "counted", "ended_at"),
)

puzzle_shares = Table(
    "puzzle_shares",
    metadata,
    # Who showed a server how it went: they stand in its table of the day.
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    # What the table of the day is in the order of, the best first; NULL for who does not stand in it.
    Column("ranked", BigInteger),
    Index("ix_puzzle_shares_user", "user_id"),
    Index("ix_puzzle_shares_table", "guild_id", "game", "day", "ranked"),
)

puzzle_ratings = Table(
    "puzzle_ratings",
    metadata,
    # How hard a puzzle is by how people did, of those who count; nobody's name is in it.
    Column("game", String(40), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("tried", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
)
