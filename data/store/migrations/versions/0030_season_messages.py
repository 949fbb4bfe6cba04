"""The messages of seasons have lines of their own: one that is being sent, and those that are yet to be deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "season_messages",
        sa.Column("number", number, autoincrement=True, nullable=False),
        sa.Column("season_id", number, autoincrement=False, nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("message_id", sa.BigInteger()),
        sa.Column("begun_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["season_id"], ["seasons.season_id"], name=op.f("fk_season_messages_season_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_season_messages")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_season_messages_season", "season_messages", ["season_id"])
    op.execute(
        "INSERT INTO season_messages (season_id, channel_id, state, message_id, begun_at) "
        "SELECT season_id, channel_id, shown_state, message_id, updated_at FROM seasons "
        "WHERE message_id IS NOT NULL AND shown_state IS NOT NULL ORDER BY season_id"
    )
    for name in ("message_id", "shown_state"):
        op.drop_column("seasons", name)
    if op.get_bind().dialect.name == "postgresql":
        # `boneyard move` let these numbers begin at 1 again until now, where some were taken.
        for table, column in (("seasons", "season_id"), ("deals", "deal_id")):
            numbers = f"pg_get_serial_sequence('{table}', '{column}')"
            op.execute(
                f"SELECT setval({numbers}, GREATEST(nextval({numbers}), (SELECT MAX({column}) FROM {table}))) "  # noqa: S608
                f"WHERE EXISTS (SELECT 1 FROM {table})"
            )


def downgrade() -> None:
    op.add_column("seasons", sa.Column("message_id", sa.BigInteger()))
    op.add_column("seasons", sa.Column("shown_state", sa.String(8)))
    newest = (
        "(SELECT m.{} FROM season_messages m WHERE m.season_id = seasons.season_id AND m.message_id IS NOT NULL "
        "AND m.channel_id = seasons.channel_id ORDER BY m.number DESC LIMIT 1)"
    )
    op.execute(f"UPDATE seasons SET message_id = {newest.format('message_id')}, shown_state = {newest.format('state')}")  # noqa: S608
    op.drop_table("season_messages")
