"""A database knows the application it belongs to, and whom was forgotten in it only with a key."""

import sqlalchemy as sa
from alembic import op

from data.store.keys import PrivacyKey, keyed

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "facts",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_facts")),
    )
    base = op.get_bind()
    rows = [dict(row._mapping) for row in base.execute(sa.text("SELECT mark, at FROM forgotten"))]
    if rows:
        # They were hashes without a key. Nobody can say any more whose, and nobody has to: a hash of the hash will do.
        privacy_key = PrivacyKey(base.engine.url)
        beside = privacy_key.beside()
        key = beside or privacy_key.made()
        if beside is None:
            base.execute(sa.text("INSERT INTO facts (name, value) VALUES ('privacy_key', :key)"), {"key": key.hex()})
        # What they had deleted may still lie about in the file.
        base.execute(sa.text("INSERT INTO facts (name, value) VALUES ('remains', 'earlier')"))
        base.execute(sa.text("DELETE FROM forgotten"))
        marks = [{"mark": keyed(key, row["mark"]), "at": row["at"]} for row in rows]
        base.execute(sa.text("INSERT INTO forgotten (mark, at) VALUES (:mark, :at)"), marks)


def downgrade() -> None:
    """The shape alone: whose fingerprints these are cannot be found out without the key."""
    op.drop_table("facts")
