"""Players keep notes at their matches."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notes",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.match_id"], name=op.f("fk_notes_match_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("match_id", "user_id", name=op.f("pk_notes")),
    )
    op.create_index("ix_notes_user", "notes", ["user_id"])
    op.create_index("ix_notes_at", "notes", ["at"])
    op.add_column("matches", sa.Column("private", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("matches", "private")
    op.drop_table("notes")
