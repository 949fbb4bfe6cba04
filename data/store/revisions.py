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
    """Those that this program knows: `0030_baseline.py` makes the first."""
    return tuple(sorted(file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("[0-9]*_*.py")))


def newest() -> str:
    """The name of the last migration that this program has."""
    return revisions()[-1]


def is_known(revision: str) -> bool:
    """Whether this version of the program can read and migrate a database of that revision."""
    return revision in revisions()


def why_unknown(revision: str | None) -> str:
    """Return what to say of a database whose revision this version does not know: why, and what to do."""
    if revision is None or (revision.isdecimal() and revision > newest()):
        return "was written by a newer version of Boneyard; update the program."
    return (
        f"has a schema that this version cannot read ({revision}, from before 1.0); open it once with the last version "
        "0.1 and then with this one, or restore a later backup."
    )


def is_laid(connection: Connection) -> bool:
    """Whether a database has been ours before."""
    return inspect(connection).has_table("alembic_version")


def revision_of(connection: Connection) -> str | None:
    """The version that a database has; None where it has none yet."""
    return connection.scalar(text("SELECT version_num FROM alembic_version")) if is_laid(connection) else None
