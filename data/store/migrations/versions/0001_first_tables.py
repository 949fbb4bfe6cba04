"""First tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "matches",
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("shown_seq", sa.Integer(), nullable=False),
        sa.Column("board_message_id", sa.BigInteger(), nullable=True),
        sa.Column("turn_message_id", sa.BigInteger(), nullable=True),
        sa.Column("turn_seat", sa.Integer(), nullable=True),
        sa.Column("turn_user", sa.BigInteger(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("due_kind", sa.String(length=20), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "state IN ('lobby', 'open') OR (due_at IS NULL AND turn_seat IS NULL)", name=op.f("ck_matches_over")
        ),
        sa.CheckConstraint("state IN ('lobby', 'open', 'done', 'void')", name=op.f("ck_matches_state")),
        sa.CheckConstraint("(due_at IS NULL) = (due_kind IS NULL)", name=op.f("ck_matches_due")),
        sa.CheckConstraint("length(secret) = 32", name=op.f("ck_matches_secret")),
        sa.CheckConstraint("shown_seq <= seq", name=op.f("ck_matches_shown")),
        sa.CheckConstraint("turn_seat IS NOT NULL OR turn_user IS NULL", name=op.f("ck_matches_turn")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_matches")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_matches_channel", "matches", ["channel_id", "state"])
    op.create_index(
        "ix_matches_dirty",
        "matches",
        ["match_id"],
        sqlite_where=sa.text("shown_seq < seq"),
        postgresql_where=sa.text("shown_seq < seq"),
    )
    op.create_index(
        "ix_matches_due",
        "matches",
        ["due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "uq_matches_running",
        "matches",
        ["channel_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('lobby', 'open')"),
        postgresql_where=sa.text("state IN ('lobby', 'open')"),
    )

    op.create_table(
        "people",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("quick", sa.Boolean(), nullable=False),
        sa.Column("pings", sa.String(length=8), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("pings IN ('channel', 'dm', 'none')", name=op.f("ck_people_pings")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_people")),
    )
    op.create_table(
        "results",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("best_move", sa.Integer(), nullable=False),
        sa.Column("hexagons", sa.Integer(), nullable=False),
        sa.Column("bridges", sa.Integer(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("mu_before", sa.Double(), nullable=True),
        sa.Column("sigma_before", sa.Double(), nullable=True),
        sa.Column("mu_after", sa.Double(), nullable=True),
        sa.Column("sigma_after", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "user_id", name=op.f("pk_results")),
    )
    op.create_index("ix_results_game", "results", ["game", "ended_at"])
    op.create_index("ix_results_guild", "results", ["guild_id", "game", "ended_at"])
    op.create_index("ix_results_user", "results", ["user_id"])

    op.create_table(
        "standings",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("best_score", sa.Integer(), nullable=False),
        sa.Column("best_move", sa.Integer(), nullable=False),
        sa.Column("hexagons", sa.Integer(), nullable=False),
        sa.Column("bridges", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Double(), nullable=True),
        sa.Column("sigma", sa.Double(), nullable=True),
        sa.Column("ordinal", sa.Double(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(mu IS NULL) = (ordinal IS NULL) AND (sigma IS NULL) = (ordinal IS NULL)", name=op.f("ck_standings_rating")
        ),
        sa.PrimaryKeyConstraint("guild_id", "game", "user_id", name=op.f("pk_standings")),
    )
    op.create_index("ix_standings_rank", "standings", ["guild_id", "game", "ordinal", "wins", "points", "user_id"])

    op.create_table(
        "events",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_events_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "seq", name=op.f("pk_events")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("dedupe", sa.String(length=25), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(dedupe) <= 25", name=op.f("ck_outbox_nonce")),
        sa.CheckConstraint("next_at IS NULL OR message_id IS NULL", name=op.f("ck_outbox_sent")),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_outbox_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("dedupe", name=op.f("uq_outbox_dedupe")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_match", "outbox", ["match_id"])
    op.create_index(
        "ix_outbox_next",
        "outbox",
        ["next_at"],
        sqlite_where=sa.text("next_at IS NOT NULL"),
        postgresql_where=sa.text("next_at IS NOT NULL"),
    )

    op.create_table(
        "requests",
        sa.Column("interaction_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_requests_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("interaction_id", name=op.f("pk_requests")),
    )
    op.create_index("ix_requests_match", "requests", ["match_id"])

    op.create_table(
        "seats",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("computer", sa.String(length=40), nullable=True),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("user_id IS NULL OR computer IS NULL", name=op.f("ck_seats_sitter")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.match_id"], name=op.f("fk_seats_match_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seats")),
        sa.UniqueConstraint("match_id", "user_id", name=op.f("uq_seats_match_id_user_id")),
    )
    op.create_index("ix_seats_user", "seats", ["user_id"])


def downgrade() -> None:
    for table in ("seats", "requests", "outbox", "events", "standings", "results", "people", "matches"):
        op.drop_table(table)
