"""A later schema, for tests of upgrades: the current migrations and one more that changes several tables."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from data.store.connection import migrate

LATER_REVISION: Final = "9000"
MIGRATION: Final = '''"""A later version."""

import sqlalchemy as sa
from alembic import op

revision = "9000"
down_revision = "{newest}"


def upgrade() -> None:
    op.create_table("later", sa.Column("match_id", sa.BigInteger(), primary_key=True, autoincrement=False))
    op.execute("INSERT INTO later (match_id) SELECT match_id FROM matches")
    op.add_column("people", sa.Column("later", sa.Integer(), server_default="0", nullable=False))
    op.execute("UPDATE people SET later = 1")
    with op.batch_alter_table("standings") as standings:
        standings.alter_column("wins", new_column_name="victories")
    with op.batch_alter_table("standings") as standings:
        standings.alter_column("victories", new_column_name="wins")
'''


@contextmanager
def use_later_schema(folder: Path) -> Iterator[Path]:
    """Add a migration to the program; yield the folder of the migrations."""
    migrations = folder / "migrations"
    if not migrations.exists():
        shutil.copytree(migrate.MIGRATIONS, migrations, ignore=shutil.ignore_patterns("__pycache__"))
        (migrations / "versions" / f"{LATER_REVISION}_later.py").write_text(
            MIGRATION.format(newest=migrate.get_newest_revision())
        )
    original = migrate.MIGRATIONS
    _set_migrations(migrations)
    try:
        yield migrations
    finally:
        _set_migrations(original)


def _set_migrations(migrations: Path) -> None:
    migrate.MIGRATIONS = migrate.MIGRATIONS = migrations  # type: ignore[misc]
    migrate.list_revisions.cache_clear()
