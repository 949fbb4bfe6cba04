"""Looking over a database file that comes from anywhere: nothing in it is run, and its size alone says how long it may
take.
"""

import re
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from data.store.connection.migrate import Schema, is_known, made_by, why_unknown
from data.store.operations.copies import Contents, CopyFailed

MOST_BYTES: Final = 16_000_000_000
"""No database is larger: some ten million matches."""

MOST_VALUE: Final = 4_000_000
"""No text in one is longer, in bytes; the longest event is a deal of a few thousand."""

MOST_LOG: Final = 64_000_000
MOST_EVENTS: Final = 200_000
"""The log of one match is read as a whole: it is no longer than this, in bytes and in events."""

STEPS: Final = 1_000_000
STEPS_A_BYTE: Final = 20
"""So many steps of SQLite's machine are enough for any sound file, and pages that lead in circles have no end."""

PACE: Final = 10_000
"""Steps from one look at the count to the next."""

TOLD: Final = 160
"""Characters of what SQLite says about a file."""

OWN: Final = {
    "sqlite_sequence": "createtablesqlite_sequence(name,seq)",
    "sqlite_stat1": "createtablesqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "createtablesqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
"""The tables that SQLite adds by itself."""

TYPES: Final = {"INT": "integer", "BOOL": "integer", "DOUBLE": "real", "BLOB": "blob"}
"""What a column holds, by the beginning of its type; all others hold text."""


def inspect(file: Path) -> Contents:
    """Look a database file over, every page of it; answers with what it holds.

    Raises CopyFailed for what is no regular file, has tables, triggers, views or indexes that are not ours, is damaged,
    or holds values that we never write.
    """
    size = _size(file)
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            _bound(connection, STEPS + STEPS_A_BYTE * size)
            # What a schema names may run code; ours does not, and until it was found to be ours none is.
            connection.execute("PRAGMA trusted_schema = off")
            connection.execute("PRAGMA cell_size_check = on")
            connection.execute("PRAGMA mmap_size = 0")
            revision = _revision(file, connection)
            _check_schema(file, connection, made_by(revision))
            found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
            if found != "ok":
                raise CopyFailed(f"{file} is damaged: {_short(found)}. Take another backup.")
            _check_values(file, connection)
            return Contents(revision=revision, matches=connection.execute("SELECT count(*) FROM matches").fetchone()[0])
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # The second where SQLite repeats bytes of the file that are no text.
        why = "its pages have no end" if "interrupted" in str(error) else _short(str(error))
        raise CopyFailed(f"{file} is no database of Boneyard, or damaged: {why}.") from error


def _size(file: Path) -> int:
    try:
        found = file.stat()
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise CopyFailed(f"There is no file {file}.") from error
        raise CopyFailed(f"{file} cannot be read: {error.strerror or error}.") from error
    if not stat.S_ISREG(found.st_mode):
        raise CopyFailed(f"{file} is no regular file; name one that `boneyard backup` made.")
    if found.st_size > MOST_BYTES:
        raise CopyFailed(f"{file} is larger than any database of Boneyard: {found.st_size} bytes.")
    return found.st_size


def _bound(connection: sqlite3.Connection, most: int) -> None:
    """Let whatever is asked of this connection end after so many steps in all, and read no value without end."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE)
    connection.set_progress_handler(_counter(most), PACE)


def _counter(most: int) -> Callable[[], bool]:
    left = most

    def look() -> bool:
        nonlocal left
        left -= PACE
        return left < 0

    return look


def _revision(file: Path, connection: sqlite3.Connection) -> str:
    plain = (
        "SELECT 1 FROM sqlite_schema WHERE name = 'alembic_version' AND type = 'table' AND sql LIKE 'CREATE TABLE %'"
    )
    if connection.execute(plain).fetchone() is None:
        raise CopyFailed(f"{file} is no database of Boneyard; name a file that `boneyard backup` made.")
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    revision = row[0] if row is not None and isinstance(row[0], str) else None
    if revision is None or not is_known(revision):
        raise CopyFailed(f"{file} {why_unknown(None if revision is None else _short(revision))}")
    return revision


def _check_schema(file: Path, connection: sqlite3.Connection, made: Schema) -> None:
    """Raise CopyFailed unless the file has what our migrations make of an empty database, and nothing else."""
    there = {_spelled(*row) for row in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")}
    ours = {_spelled(*row) for row in made} | {("table", name, name, sql) for name, sql in OWN.items()}
    foreign, missing = there - ours, {one for one in ours - there if one[1] not in OWN}
    if foreign:
        kind, name, *_ = max(foreign)
        raise CopyFailed(
            f"{file} is not as Boneyard writes it: the {kind} {name[:60]!r} is not ours. Take another backup."
        )
    if missing:
        kind, name, *_ = max(missing)
        raise CopyFailed(f"{file} is not as Boneyard writes it: the {kind} {name!r} is missing. Take another backup.")


def _spelled(kind: object, name: object, table: object, sql: object) -> tuple[str, str, str, str]:
    """A definition without what says nothing in it: spaces, quotes, capitals."""
    return str(kind), str(name), str(table), re.sub(r'[\s"`]+', "", str(sql)).lower()


def _check_values(file: Path, connection: sqlite3.Connection) -> None:
    """SQLite keeps whatever is put into a column; we read it as what it was declared to be."""
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in tables:
        if table in OWN:
            continue
        for _, column, declared, *_ in connection.execute(f'PRAGMA table_info("{table}")').fetchall():
            kind = next((held for begin, held in TYPES.items() if begin in declared.upper()), "text")
            held = "'real', 'integer'" if kind == "real" else f"'{kind}'"
            wrong = f'SELECT 1 FROM "{table}" WHERE typeof("{column}") NOT IN ({held}, \'null\') LIMIT 1'  # noqa: S608
            if connection.execute(wrong).fetchone():
                raise CopyFailed(f"{file} is damaged: {table}.{column} holds what is no {kind}. Take another backup.")
    long = connection.execute(
        "SELECT match_id FROM events GROUP BY match_id HAVING sum(length(body)) > ? OR count(*) > ? LIMIT 1",
        (MOST_LOG, MOST_EVENTS),
    ).fetchone()
    if long is not None:
        raise CopyFailed(f"{file} is damaged: the log of match {long[0]} has no end. Take another backup.")


def _short(told: str) -> str:
    """What SQLite says, which may repeat what stands in the file, as a part of one line."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in told).split())
    return line if len(line) <= TOLD else f"{line[: TOLD - 1]}…"
