"""The SQL tables of results and of the leaderboards computed from them. Ids are BIGINT, times UTC epoch ms."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Double,
    Index,
    Integer,
    String,
    Table,
    false,
    true,
)

from data.store.connection.schema import build_columns, build_key, build_table

BESTS: Final = ("move", "score", "hexagons", "streak", "longest")
"""Kinds of best values: points of a move, points of a match, hexagons, winning streak, moves."""


def build_board_condition(table: Table, guild_id: int, game: str) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for the rows of a leaderboard, in a guild (0: everywhere) and a game."""
    return table.c.guild_id == guild_id, table.c.game == game


def build_listed_condition(table: Table, guild_id: int, game: str) -> tuple[ColumnElement[bool], ...]:
    return *build_board_condition(table, guild_id, game), table.c.hidden.is_(False)


results = build_table(
    "results",
    # No foreign key: a result outlives its match.
    *build_key(match_id=BigInteger, user_id=BigInteger),
    Column("guild_id", BigInteger, nullable=False),
    Column("game", String(40), nullable=False),
    *build_columns(Integer, "place", "seats", "people", "score", "best_move", "hexagons", "bridges"),
    *build_columns(Boolean, "rated", "won"),
    *build_columns(
        Double,
        "mu_before",
        "sigma_before",
        "mu_after",
        "sigma_after",
        "mu_everywhere",
        "sigma_everywhere",
        nullable=True,
    ),
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

standings = build_table(
    "standings",
    *build_key(guild_id=BigInteger, game=String(40), user_id=BigInteger),
    *build_columns(Integer, "matches", "wins", "points", "best_score", "best_move", "hexagons", "bridges"),
    Column("finished", Integer, nullable=False, server_default="0"),
    Column("opponents", Integer, nullable=False, server_default="0"),
    Column("hidden", Boolean, nullable=False, server_default=false()),
    *build_columns(Double, "mu", "sigma", nullable=True),
    # The value that leaderboards rank by; NULL without a rank.
    Column("ordinal", Double),
    Column("updated_at", BigInteger, nullable=False),
    CheckConstraint("(mu IS NULL) = (sigma IS NULL) AND (ordinal IS NULL OR mu IS NOT NULL)", name="rating"),
    # In the order of the leaderboard, so that a page needs no sorting.
    Index("ix_standings_rank", "guild_id", "game", "hidden", "ordinal", "wins", "points", "user_id"),
    Index("ix_standings_user", "user_id"),
)

bands = build_table(
    "bands",
    # The number of users in each band of ratings, so that a rank is a sum over few rows.
    *build_key(guild_id=BigInteger, game=String(40), band=Integer),
    Column("people", Integer, nullable=False),
)

recents = build_table(
    "recents",
    # Sums of the results since the start in `spans`.
    *build_key(guild_id=BigInteger, game=String(40), user_id=BigInteger),
    *build_columns(Integer, "matches", "rated", "wins", "points", "met"),
    Column("average", Double, nullable=False),
    Column("hidden", Boolean, nullable=False, server_default=false()),
    Index("ix_recents_rank", "guild_id", "game", "hidden", "met", "wins", "average", "user_id"),
)

bests = build_table(
    "bests",
    # Best values with their matches: of all matches, and of rated matches only.
    *build_key(guild_id=BigInteger, game=String(40), counted=Boolean, user_id=BigInteger),
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
