"""The versions of the schema by name, oldest first, and which of them a database has.

They are read off the files of the migrations: Alembic, which runs them, takes longer to import than all else takes that
a start does with a database that has nothing to catch up on.
"""

from functools import cache
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

MIGRATIONS: Final = Path(__file__).parent / "migrations"


@cache
def revisions() -> tuple[str, ...]:
    """Those that this program knows: `0001_first_tables.py` makes the first."""
    return tuple(sorted(file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("[0-9]*_*.py")))


def newest() -> str:
    """The name of the last migration that this program has."""
    return revisions()[-1]


def is_known(revision: str) -> bool:
    """Whether this version of the program can read and migrate a database of that revision."""
    return revision in revisions()


def is_laid(connection: Connection) -> bool:
    """Whether a database has been ours before."""
    return inspect(connection).has_table("alembic_version")


def revision_of(connection: Connection) -> str | None:
    """The version that a database has; None where it has none yet."""
    return connection.scalar(text("SELECT version_num FROM alembic_version")) if is_laid(connection) else None
