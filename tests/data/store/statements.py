"""Run SQL statements in a test, and count those of a store."""

import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

Sql = Callable[..., Awaitable[list[tuple[Any, ...]]]]
"""The fixture `sql`: runs a statement and returns its rows."""


@contextmanager
def record_statements() -> Iterator[list[tuple[str, Any]]]:
    statements: list[tuple[str, Any]] = []

    def record(_connection: object, _cursor: object, statement: str, values: Any, *_more: object) -> None:
        statements.append((statement, values))

    event.listen(Engine, "before_cursor_execute", record)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", record)


def kill_at_statement(last: int | None) -> Counter[str]:
    """Kill this process before the statement or commit of this number."""
    counts: Counter[str] = Counter()

    def die(*_: object) -> None:
        counts["ran"] += 1
        if counts.total() == last:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", die)
    event.listen(Engine, "commit", die)
    return counts
