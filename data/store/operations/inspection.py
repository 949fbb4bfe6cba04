"""Check an untrusted database file: nothing in it is executed, and its size limits the time."""

import re
import sqlite3
import stat
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from data.store.connection.bodies import list_bodies
from data.store.connection.faults import REMEDIES, DatabaseFault, DatabaseFileError
from data.store.connection.migrate import build_schema, check_revision
from data.store.connection.store_errors import CopyError

MAX_BYTES: Final = 16_000_000_000
"""Maximum size of a database: some ten million matches."""
MAX_VALUE_BYTES: Final = 4_000_000
"""Maximum size of a value in bytes; the longest event is a deal of a few thousand."""
MAX_LOG_BYTES: Final = 64_000_000
MAX_EVENTS: Final = 200_000
"""Maximum log of one match in bytes and events, because a log is read as a whole."""
MIN_STEPS: Final = 1_000_000
STEPS_PER_BYTE: Final = 20
"""Steps of SQLite's virtual machine that suffice for any sound file; cyclic pages would never end."""
STEPS_PER_CHECK: Final = 10_000
MAX_TEXT_LENGTH: Final = 160

SQLITE_TABLES: Final = {
    "sqlite_sequence": "createtablesqlite_sequence(name,seq)",
    "sqlite_stat1": "createtablesqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "createtablesqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}

TYPES: Final = {"INT": "integer", "BOOL": "integer", "DOUBLE": "real", "BLOB": "blob"}
"""The storage class of a column, by a part of its declared type; all others hold text."""


@dataclass(frozen=True, slots=True)
class Contents:
    revision: str
    matches: int


def check_untrusted(file: Path) -> Contents:
    """Check all pages of a database file; return its content.

    Raises CopyError if it is no regular file, has a foreign schema, is damaged, or has values that we never write.
    """
    size = _check_size(file)
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            _limit_work(connection, MIN_STEPS + STEPS_PER_BYTE * size)
            # A foreign schema may execute code.
            connection.execute("PRAGMA trusted_schema = off")
            connection.execute("PRAGMA cell_size_check = on")
            connection.execute("PRAGMA mmap_size = 0")
            revision = _read_revision(file, connection)
            check_schema(connection.execute(SCHEMA_QUERY), revision)
            found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
            if found != "ok":
                raise CopyError(f"{file} cannot be used: {REMEDIES[DatabaseFault.DAMAGED]} ({_shorten(found)}).")
            _check_values(file, connection)
            return Contents(revision=revision, matches=connection.execute("SELECT count(*) FROM matches").fetchone()[0])
    except DatabaseFileError as error:
        raise CopyError(f"{file} cannot be used: {error}.") from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # UnicodeDecodeError: SQLite quotes invalid bytes of the file.
        why = "its pages have no end" if "interrupted" in str(error) else _shorten(str(error))
        raise CopyError(f"{file} is no database of Boneyard, or damaged: {why}.") from error


def _check_size(file: Path) -> int:
    try:
        found = file.stat()
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise CopyError(f"There is no file {file}.") from error
        raise CopyError(f"{file} cannot be read: {error.strerror or error}.") from error
    if not stat.S_ISREG(found.st_mode):
        raise CopyError(f"{file} is no regular file; name one that `boneyard backup` made.")
    if found.st_size > MAX_BYTES:
        raise CopyError(f"{file} is larger than any database of Boneyard: {found.st_size} bytes.")
    return found.st_size


def _limit_work(connection: sqlite3.Connection, most: int) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    checks = iter(range(most // STEPS_PER_CHECK))
    connection.set_progress_handler(lambda: next(checks, None) is None, STEPS_PER_CHECK)


def _read_revision(file: Path, connection: sqlite3.Connection) -> str:
    plain = "SELECT 1 FROM sqlite_schema WHERE name = ? AND type = 'table' AND sql LIKE 'CREATE TABLE %'"
    if connection.execute(plain, ("alembic_version",)).fetchone() is None:
        if connection.execute(plain, ("facts",)).fetchone() is not None:
            raise DatabaseFileError(DatabaseFault.UNVERSIONED)
        raise CopyError(f"{file} is no database of Boneyard; name a file that `boneyard backup` made.")
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return check_revision(None if row is None else row[0])


SCHEMA_QUERY: Final = "SELECT type, name, tbl_name, sql FROM sqlite_schema"


def check_schema(rows: Iterable[Sequence[object]], revision: str) -> None:
    """Raise DatabaseFileError unless these rows of `SCHEMA_QUERY` are exactly the schema of our migrations."""
    there = {_normalize_definition(*row) for row in rows}
    ours = {_normalize_definition(*row) for row in build_schema(revision)} | {
        ("table", name, name, sql) for name, sql in SQLITE_TABLES.items()
    }
    foreign, missing = there - ours, {one for one in ours - there if one[1] not in SQLITE_TABLES}
    for found, fault in ((foreign, "not ours"), (missing, "missing")):
        if found:
            kind, name, *_ = max(found)
            raise DatabaseFileError(DatabaseFault.SCHEMA, f"the {kind} {name[:60]!r} is {fault}")


def _normalize_definition(kind: object, name: object, table: object, sql: object) -> tuple[str, str, str, str]:
    """Return a definition without spaces, quotes and capitals."""
    return str(kind), str(name), str(table), re.sub(r'[\s"`]+', "", str(sql)).lower()


def _check_values(file: Path, connection: sqlite3.Connection) -> None:
    """Check the types of values, because SQLite accepts any type in a column."""
    bodies = list_bodies()
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in tables:
        if table in SQLITE_TABLES:
            continue
        for _, column, declared, *_ in connection.execute(f'PRAGMA table_info("{table}")').fetchall():
            kind = next((held for begin, held in TYPES.items() if begin in declared.upper()), "text")
            held = "'real', 'integer'" if kind == "real" else f"'{kind}'"
            wrong = f'SELECT 1 FROM "{table}" WHERE typeof("{column}") NOT IN ({held}, \'null\') LIMIT 1'  # noqa: S608
            # A garbled body is checked when it is read, and affects nothing else.
            if f"{table}.{column}" not in bodies and connection.execute(wrong).fetchone():
                raise CopyError(f"{file} is damaged: {table}.{column} holds what is no {kind}. Try another backup.")
    long = connection.execute(
        "SELECT match_id FROM events GROUP BY match_id HAVING sum(length(body)) > ? OR count(*) > ? LIMIT 1",
        (MAX_LOG_BYTES, MAX_EVENTS),
    ).fetchone()
    if long is not None:
        raise CopyError(f"{file} is damaged: the log of match {long[0]} has no end. Try another backup.")


def _shorten(text: str) -> str:
    """Return SQLite's text, which may quote the file, as a part of one line."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= MAX_TEXT_LENGTH else f"{line[: MAX_TEXT_LENGTH - 1]}…"
