"""What people tried of the puzzles of the day is kept, and how hard these are."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "puzzle_tries",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("hinted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("answers", sa.Text(), server_default="", nullable=False),
        sa.Column("solved", sa.Boolean()),
        sa.Column("begun_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("mu", sa.Double()),
        sa.Column("sigma", sa.Double()),
        sa.PrimaryKeyConstraint("user_id", "game", "day", name=op.f("pk_puzzle_tries")),
    )
    op.create_index("ix_puzzle_tries_ended", "puzzle_tries", ["user_id", "game", "counted", "ended_at"])
    op.create_table(
        "puzzle_shares",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "game", "day", "user_id", name=op.f("pk_puzzle_shares")),
    )
    op.create_index("ix_puzzle_shares_user", "puzzle_shares", ["user_id"])
    op.create_table(
        "puzzle_ratings",
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("tried", sa.Integer(), nullable=False),
        sa.Column("solved", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game", "day", name=op.f("pk_puzzle_ratings")),
    )


def downgrade() -> None:
    op.drop_table("puzzle_ratings")
    op.drop_table("puzzle_shares")
    op.drop_table("puzzle_tries")
