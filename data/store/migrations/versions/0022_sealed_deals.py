"""Sealed deals: what they are, where they are played, who has seen them, and which servers have one every week."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "deals",
        sa.Column("deal_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("tables", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("closes_at", sa.BigInteger(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("deal_id", name=op.f("pk_deals")),
        sa.UniqueConstraint("guild_id", "name", name=op.f("uq_deals_guild_id_name")),
        sqlite_autoincrement=True,
    )
    sealed = sa.text("opened_at IS NULL")
    op.create_index("ix_deals_sealed", "deals", ["closes_at"], sqlite_where=sealed, postgresql_where=sealed)
    op.create_table(
        "deal_matches",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("deal_id", NUMBER, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_deal_matches_match_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["deal_id"], ["deals.deal_id"], name=op.f("fk_deal_matches_deal_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_deal_matches")),
    )
    op.create_index("ix_deal_matches_deal", "deal_matches", ["deal_id"])
    op.create_table(
        "deal_sitters",
        sa.Column("deal_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_deal_sitters_match_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["deal_id"], ["deals.deal_id"], name=op.f("fk_deal_sitters_deal_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("deal_id", "user_id", name=op.f("pk_deal_sitters")),
    )
    op.create_index("ix_deal_sitters_user", "deal_sitters", ["user_id"])
    op.create_index("ix_deal_sitters_match", "deal_sitters", ["match_id"])
    op.create_table(
        "weekly_deals",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_weekly_deals")),
    )
    op.create_index("ix_weekly_deals_next", "weekly_deals", ["next_at"])


def downgrade() -> None:
    for table in ("weekly_deals", "deal_sitters", "deal_matches", "deals"):
        op.drop_table(table)
