"""What the puzzle of the day costs where very many have tried it: one question beside many tries to that beside few.

Counted are the steps that SQLite takes for all statements of the question, so that no machine plays a part.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from sqlalchemy.dialects import sqlite

from bot.service.daily import Dailies, Daily, ms
from data.puzzle_book import puzzles
from data.store import Store
from data.store.puzzle_shares import rank_of
from data.store.puzzle_tables import puzzle_shares, puzzle_tries
from data.store.puzzle_tries import PuzzleTry
from tests.bench.measure import Effort
from tests.bench.rows import row
from tests.data.store.test_plans import heard

MANY, FEW = 10_000, 10
GAME: Final = "triominoes"
GUILD: Final = 77
ASKER: Final = 10**17


@contextmanager
def _opened(tries: int) -> Iterator[tuple[asyncio.Runner, Store, Path, Daily]]:
    """A store in which so many have ended today's puzzle, and shown it to one server."""
    day = min(puzzles(GAME))
    daily = Daily(GAME, day, puzzles(GAME)[day])
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        file = Path(folder) / "tries.db"
        store = runner.run(Store.open(f"sqlite:///{file}"))
        runner.run(store.close())
        _fill(file, tries, daily)
        store = runner.run(Store.open(f"sqlite:///{file}"))
        try:
            yield runner, store, file, daily
        finally:
            runner.run(store.close())


def _fill(file: Path, tries: int, daily: Daily) -> None:
    day = daily.day.isoformat()
    made, shown = [], []
    for number in range(tries):
        answers = tuple("ABC"[: 1 + number % 3])
        tried = PuzzleTry(number + 1, GAME, day, True, number % 5 == 0, answers, True, daily.begins_at + number, None)
        made.append(
            {
                **dict.fromkeys(puzzle_tries.columns.keys()),
                "user_id": tried.user_id,
                "game": GAME,
                "day": day,
                "counted": True,
                "hinted": tried.hinted,
                "answers": " ".join(answers),
                "solved": True,
                "begun_at": daily.begins_at,
                "ended_at": tried.ended_at,
            }
        )
        shown.append((GUILD, GAME, day, tried.user_id, daily.begins_at, rank_of(tried)))
    insert = str(puzzle_tries.insert().compile(dialect=sqlite.dialect(paramstyle="named")))
    marks = ",".join("?" * len(puzzle_shares.columns))
    with closing(sqlite3.connect(file)) as base, base:
        base.executemany(insert, made)
        base.executemany(f"INSERT INTO puzzle_shares VALUES ({marks})", shown)


@cache
def _steps(tries: int) -> tuple[int, int]:
    """For opening the puzzle, and for the table of the day."""
    with _opened(tries) as (runner, store, file, daily):
        dailies = Dailies(store, lambda: ms(daily.day) + 3_600_000)
        runner.run(dailies.begin(ASKER, daily))
        return (
            _taken(file, runner, lambda: dailies.begin(ASKER, daily)),
            _taken(file, runner, lambda: dailies.table(GUILD, daily)),
        )


def _taken(file: Path, runner: asyncio.Runner, ask: Callable[[], Coroutine[object, object, object]]) -> int:
    with heard() as statements:
        runner.run(ask())
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    with closing(sqlite3.connect(file)) as base:
        base.set_progress_handler(count, 1)
        for text, values in statements:
            if text.startswith(("SELECT", "INSERT", "UPDATE")):
                base.execute(text, values).fetchall()
        base.rollback()
    return steps


@row("opening the puzzle of the day that 10,000 have tried, to one that 10 have", goal=1.05, better="less", cheap=True)
def opening(_: Effort) -> float:
    """All that stands there of the asker is read, and that they looked is noted."""
    return _steps(MANY)[0] / _steps(FEW)[0]


@row("table of the day of 10,000 who showed it, to that of 10", goal=1.05, better="less", cheap=True)
def table_of_day(_: Effort) -> float:
    """The ten best are told."""
    return _steps(MANY)[1] / _steps(FEW)[1]
