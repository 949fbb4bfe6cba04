"""What SQLAlchemy makes of a statement, which takes ten times as long as SQLite takes to run it, is made once.

An engine remembers it for as long as it lives: in a bot that is days, in a test the blink of an eye. Here all engines
on files of this process remember it together.
"""

from typing import Any

from sqlalchemy import Engine

from data.store import connect


def compile_once() -> None:
    """Let all engines that the store makes for SQLite in this process share what they know of statements."""
    really = connect.create_engine
    known: list[Engine] = []

    def create(*given: Any, **options: Any) -> Engine:
        engine = really(*given, **options)
        if not known:
            known.append(engine)
        # What is remembered belongs to a dialect, and theirs differ in nothing.
        engine.dialect, engine._compiled_cache = known[0].dialect, known[0]._compiled_cache
        return engine

    connect.create_engine = create
