"""What is to be told of weekly deals in the channel of their server, and where it was told."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "deal_news",
        sa.Column("deal_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["deal_id"], ["deals.deal_id"], name=op.f("fk_deal_news_deal_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("deal_id", "kind", name=op.f("pk_deal_news")),
    )
    waiting = sa.text("next_at IS NOT NULL")
    op.create_index("ix_deal_news_due", "deal_news", ["next_at"], sqlite_where=waiting, postgresql_where=waiting)


def downgrade() -> None:
    op.drop_table("deal_news")
