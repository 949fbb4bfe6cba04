"""Statements that PostgreSQL-compatible engines do not support, and a check of what was sent.

The list follows the pages on PostgreSQL compatibility and on single statements of CockroachDB and YugabyteDB.
A feature that one engine supports only recently, or only with a setting, counts as unsupported.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Engine, event

UNSUPPORTED: Final = {
    "an advisory lock": r"\bpg_(try_)?advisory_",
    "LISTEN or NOTIFY": r"^\s*(UN)?(LISTEN|NOTIFY)\b|\bpg_notify\b",
    "a lock of a whole table": r"\bLOCK\s+TABLE\b",
    # YugabyteDB supports neither in serializable transactions.
    "SKIP LOCKED or NOWAIT": r"\b(SKIP\s+LOCKED|NOWAIT)\b",
    "a deferrable constraint": r"\bDEFERR(ABLE|ED)\b",
    "an exclusion constraint": r"\bEXCLUDE\s*(USING\b|\()",
    "a trigger": r"\bCREATE\s+(CONSTRAINT\s+)?TRIGGER\b",
    "a function of our own": r"\bCREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|PROCEDURE)\b|^\s*DO\b",
    "a temporary table": r"\bCREATE\s+TEMP(ORARY)?\b",
    "a table that inherits": r"\bINHERITS\s*\(",
    "a cursor with a name": r"^\s*DECLARE\b|\bCURRENT\s+OF\b",
    "a column of the system": r"\b(ctid|xmin|xmax|tableoid)\b",
    "a setting of the session": r"^\s*SET\s+(?!TRANSACTION\b|LOCAL\b)",
    "an index that is no B-tree": r"\bUSING\s+(gin|gist|spgist|brin|hash)\b",
    "a commit in two phases": r"\b(PREPARE|COMMIT)\s+(TRANSACTION|PREPARED)\b",
}
"""The name of a feature, and its pattern in a statement."""
_PATTERNS: Final = {what: re.compile(looks, re.IGNORECASE) for what, looks in UNSUPPORTED.items()}
TEST_PREFIX: Final = "/* the test's own */ "  # Statements that the bot never sends


def list_unsupported(statement: str) -> list[str]:
    if statement.startswith(TEST_PREFIX):
        return []
    return [f"{what}: {statement}" for what, pattern in _PATTERNS.items() if pattern.search(statement)]


@contextmanager
def record_statements() -> Iterator[list[str]]:
    statements: list[str] = []

    def record(connection: object, _cursor: object, statement: str, *_more: object) -> None:
        if getattr(connection, "dialect").name == "postgresql":  # noqa: B009 - no part of what an event promises
            statements.append(statement)

    event.listen(Engine, "before_cursor_execute", record)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", record)


@contextmanager
def assert_portable_sql() -> Iterator[None]:
    with record_statements() as statements:
        yield
    wrong = [one for statement in dict.fromkeys(statements) for one in list_unsupported(statement)]
    assert not wrong, wrong
