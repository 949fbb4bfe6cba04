"""Clocks of matches, wishes of people, settings of servers, and the pulse of the bot."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("matches", sa.Column("clock", sa.Text(), server_default="{}", nullable=False))
    op.add_column("people", sa.Column("wishes", sa.Text(), server_default="{}", nullable=False))
    op.create_table(
        "guilds",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("left_at", sa.BigInteger(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_guilds")),
    )
    op.create_table(
        "pulses",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_pulses")),
    )


def downgrade() -> None:
    op.drop_table("pulses")
    op.drop_table("guilds")
    op.drop_column("people", "wishes")
    op.drop_column("matches", "clock")
