"""The log of a match that has long been over is packed into one row."""

import json
import zlib

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_OVER = "state IN ('done', 'void')"


def upgrade() -> None:
    op.create_table(
        "archives",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_archives_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_archives")),
    )
    op.create_index(
        "ix_matches_over", "matches", ["updated_at"], sqlite_where=sa.text(_OVER), postgresql_where=sa.text(_OVER)
    )


def downgrade() -> None:
    """Every log has its lines again."""
    connection = op.get_bind()
    added = sa.text("INSERT INTO events (match_id, seq, kind, body, at) VALUES (:match, :seq, :kind, :body, :at)")
    for (match_id,) in connection.execute(sa.text("SELECT match_id FROM archives WHERE length(body) > 0")).all():
        body = connection.execute(
            sa.text("SELECT body FROM archives WHERE match_id = :match"), {"match": match_id}
        ).scalar_one()
        lines = [
            dict(zip(("seq", "kind", "body", "at"), line, strict=True)) for line in json.loads(zlib.decompress(body))
        ]
        connection.execute(added, [{"match": match_id, **line} for line in lines])
    op.execute("DELETE FROM spans WHERE name = 'archives'")
    op.drop_index("ix_matches_over", "matches")
    op.drop_table("archives")
