"""The SQL tables of leagues: seasons with their logs, players, and the matches of their fixtures."""

from functools import partial
from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Integer, String, Text, UniqueConstraint

from data.store.connection.schema import (
    SERIAL,
    build_columns,
    build_match_column,
    build_parent_column,
    build_partial_index,
    build_table,
)

UNDERWAY: Final = "state IN ('signup', 'running')"


_build_season_column = partial(build_parent_column, "seasons.season_id")

seasons = build_table(
    "seasons",
    Column("season_id", SERIAL, primary_key=True, autoincrement=True),
    # The season before this one; each has at most one successor.
    Column("previous_id", BigInteger, unique=True),
    # The interaction that announced it, to find it when the request is repeated.
    Column("request_id", BigInteger, unique=True),
    *build_columns(BigInteger, "guild_id", "channel_id"),
    Column("state", String(8), nullable=False),
    *build_columns(Integer, "seq", "shown_seq"),
    Column("due_at", BigInteger),
    Column("attempts", Integer, nullable=False),
    # Discord's error code of what blocks it, or 0.
    Column("trouble", Integer),
    *build_columns(BigInteger, "created_at", "updated_at"),
    CheckConstraint("state IN ('signup', 'running', 'over', 'off')", name="state"),
    CheckConstraint("shown_seq <= seq", name="shown"),
    Index("ix_seasons_guild", "guild_id", "created_at"),
    build_partial_index("ix_seasons_due", "due_at", where="due_at IS NOT NULL"),
    build_partial_index("ix_seasons_underway", "guild_id", where=UNDERWAY),
    sqlite_autoincrement=True,  # an old button cannot sign up for a new season
)

season_messages = build_table(
    "season_messages",
    # Messages that were or may have been sent.
    Column("number", SERIAL, primary_key=True, autoincrement=True),
    _build_season_column(),
    Column("channel_id", BigInteger, nullable=False),
    # The state that it was posted for.
    Column("state", String(8), nullable=False),
    # NULL while it is being sent.
    Column("message_id", BigInteger),
    Column("begun_at", BigInteger, nullable=False),
    Index("ix_season_messages_season", "season_id"),
    sqlite_autoincrement=True,  # Discord remembers the nonces of deleted messages
)

season_events = build_table(
    "season_events",
    _build_season_column(primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

entrants = build_table(
    "entrants",
    # The users behind the numbers of a log; NULL for an erased user.
    _build_season_column(primary_key=True),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger),
    UniqueConstraint("season_id", "user_id"),
    Index("ix_entrants_user", "user_id"),
)

fixtures = build_table(
    "fixtures",
    build_match_column(primary_key=True),
    _build_season_column(),
    Column("number", Integer, nullable=False),
    UniqueConstraint("season_id", "number"),
)
