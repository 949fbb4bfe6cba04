"""A post is known by its name and ordered by the act it tells of; no counter is shared by all who write posts."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


# Those that were written so far come before all others of their match, in the order they were written.
_KEPT = "match_id, channel_id, kind, dedupe, body, next_at, noted_at, attempts, message_id, created_at"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _lay_anew()
    else:
        _alter()
    op.create_index("ix_outbox_created", "outbox", ["created_at"])
    op.drop_index("ix_matches_channel", "matches")
    op.create_index("ix_matches_channel", "matches", ["channel_id", "state", "created_at"])


def _lay_anew() -> None:
    """SQLite gives no other key to a table that is there."""
    op.rename_table("outbox", "outbox_before")
    op.drop_index("ix_outbox_match", "outbox_before")
    op.drop_index("ix_outbox_next", "outbox_before")
    op.create_table(
        "outbox",
        sa.Column("dedupe", sa.String(length=25), nullable=False),
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), server_default="0", nullable=False),
        sa.Column("number", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("noted_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(dedupe) <= 25", name=op.f("ck_outbox_nonce")),
        sa.CheckConstraint("next_at IS NULL OR message_id IS NULL", name=op.f("ck_outbox_sent")),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_outbox_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dedupe", name=op.f("pk_outbox")),
        sqlite_with_rowid=False,
    )
    op.execute(f"INSERT INTO outbox ({_KEPT}, number) SELECT {_KEPT}, id FROM outbox_before")  # noqa: S608 - our own
    op.drop_table("outbox_before")
    op.create_index("ix_outbox_match", "outbox", ["match_id"])
    op.create_index("ix_outbox_next", "outbox", ["next_at"], sqlite_where=sa.text("next_at IS NOT NULL"))


def _alter() -> None:
    op.add_column("outbox", sa.Column("seq", sa.Integer(), server_default="0", nullable=False))
    op.add_column("outbox", sa.Column("number", sa.BigInteger(), server_default="0", nullable=False))
    op.execute("UPDATE outbox SET number = id")
    op.drop_column("outbox", "id")
    op.drop_constraint("uq_outbox_dedupe", "outbox", type_="unique")
    op.create_primary_key("pk_outbox", "outbox", ["dedupe"])


def downgrade() -> None:
    """The shape, and numbers for the posts in the order they stand in."""
    op.drop_index("ix_matches_channel", "matches")
    op.create_index("ix_matches_channel", "matches", ["channel_id", "state"])
    op.drop_index("ix_outbox_created", "outbox")
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    with op.batch_alter_table(
        "outbox", table_kwargs={"sqlite_autoincrement": True, "sqlite_with_rowid": True}
    ) as outbox:
        outbox.drop_constraint("pk_outbox", type_="primary")
        outbox.drop_column("number")
        outbox.drop_column("seq")
        outbox.add_column(sa.Column("id", number, sa.Identity(), nullable=False))
        outbox.create_unique_constraint("uq_outbox_dedupe", ["dedupe"])
        outbox.create_primary_key("pk_outbox", ["id"])
