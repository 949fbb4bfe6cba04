"""The deals of the days are kept, and what people made of them."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "attack_days",
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_attack_days")),
    )
    op.create_table(
        "attacks",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("acts", sa.Text(), nullable=False),
        sa.Column("points", sa.Integer()),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("begun_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("shared_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("user_id", "day", "practice", name=op.f("pk_attacks")),
    )
    op.create_index("ix_attacks_list", "attacks", ["guild_id", "day"])
    op.create_index("ix_attacks_day", "attacks", ["day"])


def downgrade() -> None:
    op.drop_table("attacks")
    op.drop_table("attack_days")
