"""Whether a win counts among those of the last days may differ between its server and all servers together."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("results", sa.Column("counts_everywhere", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.execute("UPDATE results SET counts_everywhere = counts")


def downgrade() -> None:
    op.drop_column("results", "counts_everywhere")
