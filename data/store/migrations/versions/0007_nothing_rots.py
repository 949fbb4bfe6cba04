"""Something is due at every match that runs: those on which nothing was, relaxed or paused ones, are woken once."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        sa.text("UPDATE matches SET due_at = updated_at, due_kind = 'wake' WHERE state = 'open' AND due_at IS NULL")
    )


def downgrade() -> None:
    op.execute(sa.text("UPDATE matches SET due_at = NULL, due_kind = NULL WHERE due_kind IN ('wake', 'idle')"))
