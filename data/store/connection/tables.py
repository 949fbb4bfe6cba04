"""The SQL tables of the core, for SQLite and PostgreSQL.

Ids are BIGINT, times UTC epoch ms, bodies JSON text. `migrations/` builds exactly these; a test compares them.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)

from data.store.connection.schema import (
    SERIAL,
    build_columns,
    build_key,
    build_match_column,
    build_partial_index,
    build_table,
)

RULINGS: Final = "kind IN ('stopped', 'paused', 'resumed', 'skipped')"
"""The events of moderators."""
RECENT: Final = "recent"
"""The span of the results in the recent leaderboard."""
OVER: Final = "state IN ('done', 'void')"


matches = build_table(
    "matches",
    Column("match_id", SERIAL, primary_key=True, autoincrement=True),
    Column("game", String(40), nullable=False),
    *build_columns(BigInteger, "guild_id", "channel_id", "host_id"),
    Column("state", String(8), nullable=False),
    *build_columns(Integer, "seq", "shown_seq"),
    *build_columns(BigInteger, "board_message_id", "turn_message_id", nullable=True),
    Column("turn_seat", Integer),
    *build_columns(BigInteger, "turn_user", "due_at", nullable=True),
    Column("due_kind", String(20)),
    Column("secret", LargeBinary, nullable=False),
    *build_columns(BigInteger, "created_at", "updated_at"),
    # The number of private changes, such as notes; 0 for most matches.
    Column("private", Integer, nullable=False, server_default="0"),
    CheckConstraint("state IN ('lobby', 'open', 'done', 'void')", name="state"),
    CheckConstraint("shown_seq <= seq", name="shown"),
    CheckConstraint("(due_at IS NULL) = (due_kind IS NULL)", name="due"),
    CheckConstraint("turn_seat IS NOT NULL OR turn_user IS NULL", name="turn"),
    CheckConstraint("state IN ('lobby', 'open') OR (due_at IS NULL AND turn_seat IS NULL)", name="over"),
    CheckConstraint("length(secret) = 32", name="secret"),
    Index("ix_matches_channel", "channel_id", "state", "created_at"),
    Index("ix_matches_guild", "guild_id", "state"),
    # One running match per channel.
    build_partial_index("uq_matches_running", "channel_id", where="state IN ('lobby', 'open')", unique=True),
    build_partial_index("ix_matches_over", "updated_at", where=OVER),
    build_partial_index("ix_matches_due", "due_at", where="due_at IS NOT NULL"),
    build_partial_index("ix_matches_dirty", "match_id", where="shown_seq < seq"),
    sqlite_autoincrement=True,  # numbers are never used again, so an old button cannot open a new match
)

seats = build_table(
    "seats",
    build_match_column(primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger),
    Column("computer", String(40)),
    Column("joined_at", BigInteger, nullable=False),
    UniqueConstraint("match_id", "user_id"),
    CheckConstraint("user_id IS NULL OR computer IS NULL", name="sitter"),
    Index("ix_seats_user", "user_id"),
)

events = build_table(
    "events",
    build_match_column(primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    # Searched when a user asks for their data.
    build_partial_index("ix_events_rulings", "match_id", "seq", where=RULINGS),
)

archives = build_table(
    "archives",
    # The compressed log of an old match, without the events that are queried by kind.
    build_match_column(primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

participants = build_table(
    "participants",
    # The users behind the numbers of a log; NULL for an erased user.
    build_match_column(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger),
    UniqueConstraint("match_id", "user_id"),
    Index("ix_participants_user", "user_id"),
)

aside = build_table(
    "aside",
    # Quarantined matches with their state before: they are never due and block no channel.
    build_match_column(primary_key=True),
    Column("state", String(8), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("why", String(20), nullable=False),
    Column("since", BigInteger, nullable=False),
)

requests = build_table(
    "requests",
    Column("interaction_id", BigInteger, primary_key=True, autoincrement=False),
    build_match_column(),
    Column("seq", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("ix_requests_match", "match_id"),
)

outbox = build_table(
    "outbox",
    Column("dedupe", String(25), primary_key=True),
    build_match_column(),
    # The event it belongs to, and its position among the posts of that event.
    Column("seq", Integer, nullable=False, server_default="0"),
    Column("number", BigInteger, nullable=False, server_default="0"),
    Column("channel_id", BigInteger, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("next_at", BigInteger),
    Column("noted_at", BigInteger),  # when `next_at` was last written, by the writer's clock
    Column("attempts", Integer, nullable=False),
    Column("message_id", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    CheckConstraint("length(dedupe) <= 25", name="nonce"),  # Discord's limit
    CheckConstraint("next_at IS NULL OR message_id IS NULL", name="sent"),
    Index("ix_outbox_match", "match_id"),
    Index("ix_outbox_created", "created_at"),
    build_partial_index("ix_outbox_next", "next_at", where="next_at IS NOT NULL"),
    sqlite_with_rowid=False,  # posts are found by name
)

people = build_table(
    "people",
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("quick", Boolean, nullable=False),
    Column("pings", String(8), nullable=False),
    Column("preferences", Text, nullable=False, server_default="{}"),
    Column("created_at", BigInteger, nullable=False),
    CheckConstraint("pings IN ('channel', 'dm', 'none')", name="pings"),
)

alerts = build_table(
    "alerts",
    # Users who want alerts about new tables of a game in a guild, and whether DMs reach them.
    *build_key(user_id=BigInteger, guild_id=BigInteger, game=String(40)),
    Column("reached", Boolean, nullable=False),
    Column("since", BigInteger, nullable=False),
    Index("ix_alerts_game", "guild_id", "game"),
)

alerted = build_table(
    "alerted",
    # Alerts of the last day: users get one per table, and few per day.
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    build_match_column(primary_key=True),
    Column("at", BigInteger, nullable=False),
    Index("ix_alerted_match", "match_id"),
    Index("ix_alerted_at", "at"),
)

notes = build_table(
    "notes",
    build_match_column(primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("ix_notes_user", "user_id"),
    Index("ix_notes_at", "at"),
)

premoves = build_table(
    "premoves",
    # Premoves with their outcome, until the user acts again.
    build_match_column(primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Index("ix_premoves_user", "user_id"),
)

guilds = build_table(
    "guilds",
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("settings", Text, nullable=False),
    Column("left_at", BigInteger),
    Column("updated_at", BigInteger, nullable=False),
)

facts = build_table("facts", Column("name", String(40), primary_key=True), Column("value", String(64), nullable=False))

spans = build_table("spans", Column("name", String(40), primary_key=True), Column("since", BigInteger, nullable=False))

pulses = build_table("pulses", Column("name", String(40), primary_key=True), Column("at", BigInteger, nullable=False))

outages = build_table(
    "outages",
    # Outages that are not credited to all clocks of the guilds of a shard; 0 of 1 is all guilds.
    Column("began", BigInteger, primary_key=True, autoincrement=False),
    Column("shard", Integer, primary_key=True, autoincrement=False, server_default="0"),
    Column("shards", Integer, primary_key=True, autoincrement=False, server_default="1"),
    Column("ended", BigInteger, nullable=False),
)

forgotten = build_table(
    "forgotten",
    # A fingerprint. A restored database finds the users to erase again with it.
    Column("mark", String(64), primary_key=True),
    Column("at", BigInteger, nullable=False),
)
