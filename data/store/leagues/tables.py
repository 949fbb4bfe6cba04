"""The tables of leagues: seasons with their logs, who plays in them, and the matches of their fixtures."""

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

from data.store.connection.schema import match_number, metadata, partial

UNDERWAY: Final = "state IN ('signup', 'running')"


def _season_number(*, primary_key: bool = False) -> Column[int]:
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
    # The season that this one follows, which nothing else follows.
    Column("previous_id", BigInteger, unique=True),
    # The interaction that announced it, so that a repeated one finds it.
    Column("request_id", BigInteger, unique=True),
    Column("guild_id", BigInteger, nullable=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("state", String(8), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("shown_seq", Integer, nullable=False),
    Column("due_at", BigInteger),
    Column("attempts", Integer, nullable=False),
    # What keeps it from going on, as Discord's number or 0.
    Column("trouble", Integer),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    CheckConstraint("state IN ('signup', 'running', 'over', 'off')", name="state"),
    CheckConstraint("shown_seq <= seq", name="shown"),
    Index("ix_seasons_guild", "guild_id", "created_at"),
    partial("ix_seasons_due", "due_at", where="due_at IS NOT NULL"),
    partial("ix_seasons_underway", "guild_id", where=UNDERWAY),
    sqlite_autoincrement=True,  # an old button cannot sign up for a new season
)

season_messages = Table(
    "season_messages",
    metadata,
    # The messages of a season that stand, or may: each is noted before it is sent, and forgotten when it is deleted.
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    _season_number(),
    Column("channel_id", BigInteger, nullable=False),
    # Which state it was posted for: with another one there is another message.
    Column("state", String(8), nullable=False),
    # Nothing is known of it while it is being sent.
    Column("message_id", BigInteger),
    Column("begun_at", BigInteger, nullable=False),
    Index("ix_season_messages_season", "season_id"),
    sqlite_autoincrement=True,  # Discord remembers by what a message was sent that somebody has deleted
)

season_events = Table(
    "season_events",
    metadata,
    _season_number(primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

entrants = Table(
    "entrants",
    metadata,
    # Whom the log of a season means by its numbers. Where a line has lost its person, the log still folds.
    _season_number(primary_key=True),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger),
    UniqueConstraint("season_id", "user_id"),
    Index("ix_entrants_user", "user_id"),
)

fixtures = Table(
    "fixtures",
    metadata,
    # The matches that were opened for the fixtures of a season: each fixture has one.
    match_number(primary_key=True),
    _season_number(),
    Column("number", Integer, nullable=False),
    UniqueConstraint("season_id", "number"),
)
