"""The SQL tables of leagues: seasons with their logs, players, and the matches of their fixtures."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from data.store.connection.schema import build_match_column, build_partial_index, metadata

UNDERWAY: Final = "state IN ('signup', 'running')"


def _build_season_column(*, primary_key: bool = False) -> Column[int]:
    return Column(
        "season_id",
        BigInteger().with_variant(Integer, "sqlite"),
        ForeignKey("seasons.season_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
        autoincrement=False,
    )


seasons = Table(
    "seasons",
    metadata,
    Column("season_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    # The season before this one; each has at most one successor.
    Column("previous_id", BigInteger, unique=True),
    # The interaction that announced it, to find it when the request is repeated.
    Column("request_id", BigInteger, unique=True),
    Column("guild_id", BigInteger, nullable=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("state", String(8), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("shown_seq", Integer, nullable=False),
    Column("due_at", BigInteger),
    Column("attempts", Integer, nullable=False),
    # Discord's error code of what blocks it, or 0.
    Column("trouble", Integer),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    CheckConstraint("state IN ('signup', 'running', 'over', 'off')", name="state"),
    CheckConstraint("shown_seq <= seq", name="shown"),
    Index("ix_seasons_guild", "guild_id", "created_at"),
    build_partial_index("ix_seasons_due", "due_at", where="due_at IS NOT NULL"),
    build_partial_index("ix_seasons_underway", "guild_id", where=UNDERWAY),
    sqlite_autoincrement=True,  # an old button cannot sign up for a new season
)

season_messages = Table(
    "season_messages",
    metadata,
    # Messages that were or may have been sent.
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
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

season_events = Table(
    "season_events",
    metadata,
    _build_season_column(primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

entrants = Table(
    "entrants",
    metadata,
    # The users behind the numbers of a log; NULL for an erased user.
    _build_season_column(primary_key=True),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger),
    UniqueConstraint("season_id", "user_id"),
    Index("ix_entrants_user", "user_id"),
)

fixtures = Table(
    "fixtures",
    metadata,
    build_match_column(primary_key=True),
    _build_season_column(),
    Column("number", Integer, nullable=False),
    UniqueConstraint("season_id", "number"),
)
