"""The tables, for SQLite and PostgreSQL alike: facts, and what is folded out of them.

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
    Table,
    Text,
    UniqueConstraint,
)

from data.store.connection.schema import match_number, metadata, partial

RULINGS: Final = "kind IN ('stopped', 'paused', 'resumed', 'skipped')"
"""The rows of a moderator's acts."""
RECENT: Final = "recent"
"""The span of the results that count as lately."""
OVER: Final = "state IN ('done', 'void')"
"""The matches that have ended."""


matches = Table(
    "matches",
    metadata,
    # SQLite numbers rows by itself only in an INTEGER key.
    Column("match_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("game", String(40), nullable=False),
    Column("guild_id", BigInteger, nullable=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("host_id", BigInteger, nullable=False),
    Column("state", String(8), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("shown_seq", Integer, nullable=False),
    Column("board_message_id", BigInteger),
    Column("turn_message_id", BigInteger),
    Column("turn_seat", Integer),
    Column("turn_user", BigInteger),
    Column("due_at", BigInteger),
    Column("due_kind", String(20)),
    Column("secret", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    # How often somebody kept something for themselves there. At most matches nobody ever did, and nobody looks for it.
    Column("private", Integer, nullable=False, server_default="0"),
    CheckConstraint("state IN ('lobby', 'open', 'done', 'void')", name="state"),
    CheckConstraint("shown_seq <= seq", name="shown"),
    CheckConstraint("(due_at IS NULL) = (due_kind IS NULL)", name="due"),
    CheckConstraint("turn_seat IS NOT NULL OR turn_user IS NULL", name="turn"),
    CheckConstraint("state IN ('lobby', 'open') OR (due_at IS NULL AND turn_seat IS NULL)", name="over"),
    CheckConstraint("length(secret) = 32", name="secret"),
    Index("ix_matches_channel", "channel_id", "state", "created_at"),
    Index("ix_matches_guild", "guild_id", "state"),
    # One running match a channel, whoever asks at the same moment.
    partial("uq_matches_running", "channel_id", where="state IN ('lobby', 'open')", unique=True),
    partial("ix_matches_over", "updated_at", where=OVER),
    partial("ix_matches_due", "due_at", where="due_at IS NOT NULL"),
    partial("ix_matches_dirty", "match_id", where="shown_seq < seq"),
    sqlite_autoincrement=True,  # a number is never given twice, so an old button cannot open a new match
)

seats = Table(
    "seats",
    metadata,
    match_number(primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger),
    Column("computer", String(40)),
    Column("joined_at", BigInteger, nullable=False),
    UniqueConstraint("match_id", "user_id"),
    CheckConstraint("user_id IS NULL OR computer IS NULL", name="sitter"),
    Index("ix_seats_user", "user_id"),
)

events = Table(
    "events",
    metadata,
    match_number(primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    # What moderators wrote is looked through where somebody asks what is held about them.
    partial("ix_events_rulings", "match_id", "seq", where=RULINGS),
)

archives = Table(
    "archives",
    metadata,
    # The log of a match that has long been over, packed, but for the lines that are looked for by their kind.
    match_number(primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

participants = Table(
    "participants",
    metadata,
    # Whom the log of a match means by its small numbers. Where a line has lost its person, the log still folds.
    match_number(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger),
    UniqueConstraint("match_id", "user_id"),
    Index("ix_participants_user", "user_id"),
)

aside = Table(
    "aside",
    metadata,
    # Matches whose log cannot be read, with what they were before: nothing of them is due, and they hold no channel.
    match_number(primary_key=True),
    Column("state", String(8), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("why", String(20), nullable=False),
    Column("since", BigInteger, nullable=False),
)

requests = Table(
    "requests",
    metadata,
    Column("interaction_id", BigInteger, primary_key=True, autoincrement=False),
    match_number(),
    Column("seq", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("ix_requests_match", "match_id"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("dedupe", String(25), primary_key=True),
    match_number(),
    # The act it tells of, and its place among the posts of that act: no counter is shared by all who write.
    Column("seq", Integer, nullable=False, server_default="0"),
    Column("number", BigInteger, nullable=False, server_default="0"),
    Column("channel_id", BigInteger, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("next_at", BigInteger),
    Column("noted_at", BigInteger),  # when somebody last wrote `next_at`, by their clock
    Column("attempts", Integer, nullable=False),
    Column("message_id", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    CheckConstraint("length(dedupe) <= 25", name="nonce"),  # Discord takes no longer ones
    CheckConstraint("next_at IS NULL OR message_id IS NULL", name="sent"),
    Index("ix_outbox_match", "match_id"),
    Index("ix_outbox_created", "created_at"),
    partial("ix_outbox_next", "next_at", where="next_at IS NOT NULL"),
    sqlite_with_rowid=False,  # its name is what leads to a post
)

people = Table(
    "people",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("quick", Boolean, nullable=False),
    Column("pings", String(8), nullable=False),
    Column("preferences", Text, nullable=False, server_default="{}"),
    Column("created_at", BigInteger, nullable=False),
    CheckConstraint("pings IN ('channel', 'dm', 'none')", name="pings"),
)

alerts = Table(
    "alerts",
    metadata,
    # Who wants to be told when a table of a game opens on a server, and whether direct messages reach them.
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("reached", Boolean, nullable=False),
    Column("since", BigInteger, nullable=False),
    Index("ix_alerts_game", "guild_id", "game"),
)

alerted = Table(
    "alerted",
    metadata,
    # Who was told of which table in the last day: nobody is told of one twice, and of few.
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    match_number(primary_key=True),
    Column("at", BigInteger, nullable=False),
    Index("ix_alerted_match", "match_id"),
    Index("ix_alerted_at", "at"),
)

notes = Table(
    "notes",
    metadata,
    # What somebody wrote down at a match, and when.
    match_number(primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("ix_notes_user", "user_id"),
    Index("ix_notes_at", "at"),
)

premoves = Table(
    "premoves",
    metadata,
    # What somebody has decided to do when it is their turn, and what became of it, until they act again.
    match_number(primary_key=True),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Index("ix_premoves_user", "user_id"),
)

guilds = Table(
    "guilds",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("settings", Text, nullable=False),
    Column("left_at", BigInteger),
    Column("updated_at", BigInteger, nullable=False),
)

facts = Table(
    "facts",
    metadata,
    # What is true of the whole: the application it belongs to above all.
    Column("name", String(40), primary_key=True),
    Column("value", String(64), nullable=False),
)

spans = Table(
    "spans", metadata, Column("name", String(40), primary_key=True), Column("since", BigInteger, nullable=False)
)

pulses = Table(
    "pulses", metadata, Column("name", String(40), primary_key=True), Column("at", BigInteger, nullable=False)
)

outages = Table(
    "outages",
    metadata,
    # Those of the bot that not every running clock has been given back yet, on the servers of a shard: 0 of 1 is all.
    Column("began", BigInteger, primary_key=True, autoincrement=False),
    Column("shard", Integer, primary_key=True, autoincrement=False, server_default="0"),
    Column("shards", Integer, primary_key=True, autoincrement=False, server_default="1"),
    Column("ended", BigInteger, nullable=False),
)

forgotten = Table(
    "forgotten",
    metadata,
    # A fingerprint of an id, not the id: it tells a restored database whom to forget again, and without the key it
    # says who to nobody.
    Column("mark", String(64), primary_key=True),
    Column("at", BigInteger, nullable=False),
)
