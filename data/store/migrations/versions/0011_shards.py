"""Outages are of the servers of a shard."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _again(
        sa.Column("shard", sa.Integer(), autoincrement=False, server_default="0", nullable=False),
        sa.Column("shards", sa.Integer(), autoincrement=False, server_default="1", nullable=False),
    )


def _again(*more: sa.Column[int]) -> None:
    """The few outages move into a table with another key, which SQLite gives no table that is there."""
    base = op.get_bind()
    rows = [
        dict(row._mapping)
        for row in base.execute(sa.text("SELECT began, max(ended) AS ended FROM outages GROUP BY began"))
    ]
    op.drop_table("outages")
    op.create_table(
        "outages",
        sa.Column("began", sa.BigInteger(), autoincrement=False, nullable=False),
        *more,
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("began", *(column.name for column in more), name=op.f("pk_outages")),
    )
    if rows:
        base.execute(sa.text("INSERT INTO outages (began, ended) VALUES (:began, :ended)"), rows)


def downgrade() -> None:
    _again()
