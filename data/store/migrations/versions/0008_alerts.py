"""Who wants to be told when a table opens, and who was."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("reached", sa.Boolean(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "guild_id", "game", name=op.f("pk_alerts")),
    )
    op.create_index("ix_alerts_game", "alerts", ["guild_id", "game"])
    op.create_table(
        "alerted",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_alerted_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "match_id", name=op.f("pk_alerted")),
    )
    op.create_index("ix_alerted_match", "alerted", ["match_id"])
    op.create_index("ix_alerted_at", "alerted", ["at"])


def downgrade() -> None:
    op.drop_table("alerted")
    op.drop_table("alerts")
