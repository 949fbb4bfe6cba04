"""The SQL tables of results and of the leaderboards computed from them. Ids are BIGINT, times UTC epoch ms."""

from typing import Final

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Double, Index, Integer, String, Table, false, true

from data.store.connection.schema import metadata

BESTS: Final = ("move", "score", "hexagons", "streak", "longest")
"""Kinds of best values: points of a move, points of a match, hexagons, winning streak, moves."""

results = Table(
    "results",
    metadata,
    # No foreign key: a result outlives its match.
    Column("match_id", BigInteger, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("guild_id", BigInteger, nullable=False),
    Column("game", String(40), nullable=False),
    Column("place", Integer, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("people", Integer, nullable=False),
    Column("score", Integer, nullable=False),
    Column("best_move", Integer, nullable=False),
    Column("hexagons", Integer, nullable=False),
    Column("bridges", Integer, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("won", Boolean, nullable=False),
    Column("mu_before", Double),
    Column("sigma_before", Double),
    Column("mu_after", Double),
    Column("sigma_after", Double),
    Column("mu_everywhere", Double),
    Column("sigma_everywhere", Double),
    Column("opponents", Integer, nullable=False, server_default="0"),
    Column("opponents_everywhere", Integer, nullable=False, server_default="0"),
    Column("finished", Boolean, nullable=False, server_default=true()),
    Column("counts", Boolean, nullable=False, server_default=true()),
    Column("counts_everywhere", Boolean, nullable=False, server_default=true()),
    # Placements and passes; NULL for old results.
    Column("moves", Integer),
    Column("ended_at", BigInteger, nullable=False),
    Index("ix_results_guild", "guild_id", "game", "ended_at"),
    Index("ix_results_ended", "ended_at"),
    Index("ix_results_user", "user_id", "ended_at"),
)

standings = Table(
    "standings",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("matches", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("points", Integer, nullable=False),
    Column("best_score", Integer, nullable=False),
    Column("best_move", Integer, nullable=False),
    Column("hexagons", Integer, nullable=False),
    Column("bridges", Integer, nullable=False),
    Column("finished", Integer, nullable=False, server_default="0"),
    Column("opponents", Integer, nullable=False, server_default="0"),
    Column("hidden", Boolean, nullable=False, server_default=false()),
    Column("mu", Double),
    Column("sigma", Double),
    # The value that leaderboards rank by; NULL without a rank.
    Column("ordinal", Double),
    Column("updated_at", BigInteger, nullable=False),
    CheckConstraint("(mu IS NULL) = (sigma IS NULL) AND (ordinal IS NULL OR mu IS NOT NULL)", name="rating"),
    # In the order of the leaderboard, so that a page needs no sorting.
    Index("ix_standings_rank", "guild_id", "game", "hidden", "ordinal", "wins", "points", "user_id"),
    Index("ix_standings_user", "user_id"),
)

bands = Table(
    "bands",
    metadata,
    # The number of users in each band of ratings, so that a rank is a sum over few rows.
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("band", Integer, primary_key=True, autoincrement=False),
    Column("people", Integer, nullable=False),
)

recents = Table(
    "recents",
    metadata,
    # Sums of the results since the start in `spans`.
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("matches", Integer, nullable=False),
    Column("rated", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("points", Integer, nullable=False),
    Column("met", Integer, nullable=False),
    Column("average", Double, nullable=False),
    Column("hidden", Boolean, nullable=False, server_default=false()),
    Index("ix_recents_rank", "guild_id", "game", "hidden", "met", "wins", "average", "user_id"),
)

bests = Table(
    "bests",
    metadata,
    # Best values with their matches: of all matches, and of rated matches only.
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("counted", Boolean, primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("hidden", Boolean, nullable=False, server_default=false()),
    *(
        column
        for kind in BESTS
        for column in (Column(kind, Integer), Column(f"{kind}_match", BigInteger, autoincrement=False))
    ),
    # Current winning streak.
    Column("running", Integer, nullable=False, server_default="0"),
    # Records of a guild are the ends of these indexes.
    *(Index(f"ix_bests_{kind}", "guild_id", "game", "counted", "hidden", kind) for kind in BESTS),
    Index("ix_bests_user", "user_id"),
)
