"""A post says when its wait was noted, so that one from a clock that was ahead is known."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("noted_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("outbox", "noted_at")
