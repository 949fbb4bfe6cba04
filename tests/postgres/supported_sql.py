"""Statements that PostgreSQL-compatible engines do not support, and a check of what was sent.

The list follows the pages on PostgreSQL compatibility and on single statements of CockroachDB and YugabyteDB.
A feature that one engine supports only recently, or only with a setting, counts as unsupported.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Engine, event

REFUSED: Final = {
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
_LOOKS: Final = {what: re.compile(looks, re.IGNORECASE) for what, looks in REFUSED.items()}
OURS: Final = "/* the test's own */ "  # Statements that the bot never sends


def refused(statement: str) -> list[str]:
    if statement.startswith(OURS):
        return []
    return [f"{what}: {statement}" for what, looks in _LOOKS.items() if looks.search(statement)]


@contextmanager
def heard() -> Iterator[list[str]]:
    statements: list[str] = []

    def hear(connection: object, _cursor: object, statement: str, *_more: object) -> None:
        if getattr(connection, "dialect").name == "postgresql":  # noqa: B009 - no part of what an event promises
            statements.append(statement)

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", hear)


@contextmanager
def held_to_it() -> Iterator[None]:
    with heard() as statements:
        yield
    wrong = [one for statement in dict.fromkeys(statements) for one in refused(statement)]
    assert not wrong, wrong
