"""Moderators of matches, people who were forgotten, and the matches of a server."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_matches_guild", "matches", ["guild_id", "state"])
    op.create_table(
        "moderations",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_moderations_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "seq", name=op.f("pk_moderations")),
    )
    op.create_index("ix_moderations_user", "moderations", ["user_id"])
    op.create_table(
        "forgotten",
        sa.Column("mark", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("mark", name=op.f("pk_forgotten")),
    )


def downgrade() -> None:
    op.drop_table("forgotten")
    op.drop_table("moderations")
    op.drop_index("ix_matches_guild", "matches")
