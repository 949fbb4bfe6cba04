"""Leagues: seasons, who plays in them, and their matches."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def _number() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "seasons",
        sa.Column("season_id", _number(), nullable=False, autoincrement=True),
        sa.Column("previous_id", sa.BigInteger()),
        sa.Column("request_id", sa.BigInteger()),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("shown_seq", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.BigInteger()),
        sa.Column("shown_state", sa.String(8)),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("trouble", sa.Integer()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('signup', 'running', 'over', 'off')", name=op.f("ck_seasons_state")),
        sa.CheckConstraint("shown_seq <= seq", name=op.f("ck_seasons_shown")),
        sa.PrimaryKeyConstraint("season_id", name=op.f("pk_seasons")),
        sa.UniqueConstraint("previous_id", name=op.f("uq_seasons_previous_id")),
        sa.UniqueConstraint("request_id", name=op.f("uq_seasons_request_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_seasons_guild", "seasons", ["guild_id", "created_at"])
    due = sa.text("due_at IS NOT NULL")
    op.create_index("ix_seasons_due", "seasons", ["due_at"], sqlite_where=due, postgresql_where=due)
    underway = sa.text("state IN ('signup', 'running')")
    op.create_index("ix_seasons_underway", "seasons", ["guild_id"], sqlite_where=underway, postgresql_where=underway)
    op.create_table(
        "season_events",
        sa.Column("season_id", _number(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["season_id"], ["seasons.season_id"], name=op.f("fk_season_events_season_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("season_id", "seq", name=op.f("pk_season_events")),
    )
    op.create_table(
        "entrants",
        sa.Column("season_id", _number(), autoincrement=False, nullable=False),
        sa.Column("player", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["season_id"], ["seasons.season_id"], name=op.f("fk_entrants_season_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("season_id", "player", name=op.f("pk_entrants")),
        sa.UniqueConstraint("season_id", "user_id", name=op.f("uq_entrants_season_id_user_id")),
    )
    op.create_index("ix_entrants_user", "entrants", ["user_id"])
    op.create_table(
        "fixtures",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("season_id", _number(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_fixtures_match_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["season_id"], ["seasons.season_id"], name=op.f("fk_fixtures_season_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_fixtures")),
        sa.UniqueConstraint("season_id", "number", name=op.f("uq_fixtures_season_id_number")),
    )


def downgrade() -> None:
    for name in ("fixtures", "entrants", "season_events", "seasons"):
        op.drop_table(name)
