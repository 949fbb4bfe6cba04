"""Leagues: what a thousand of them in which nothing is due ask of the database, and what their pictures cost.

The first is counted, so that no machine plays a part.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import event
from sqlalchemy.engine import Engine

from data.store import Store
from render import BracketBox, BracketRow, BracketWords, LeagueLine, bracket_picture, league_picture
from tests.bench.measure import Effort, Work, ratio
from tests.bench.pictures import bare, numbers
from tests.bench.rows import row

LEAGUES: Final = 1000
NOW: Final = 1_800_000_000_000
WEEK: Final = 7 * 24 * 3_600_000
_FILLED: Final = """
    INSERT INTO seasons (guild_id, channel_id, state, seq, shown_seq, due_at, attempts, created_at, updated_at)
    VALUES (?, ?, 'running', 9, 9, ?, 0, ?, ?)
"""


@row("leagues: questions of a sweep with 1,000 in which nothing is due", goal=1, better="less", unit="", cheap=True)
def idle(_: Effort) -> float:
    """Statements that reach the database when somebody looks for what is due."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_questions(Path(folder) / "leagues.db"))


async def _questions(file: Path) -> int:
    store = await Store.open(f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as connection, connection:
        lines = [(one, one, NOW + WEEK + one, NOW, NOW) for one in range(LEAGUES)]
        connection.executemany(_FILLED, lines)
    asked: list[str] = []

    def hear(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        asked.append(statement)

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        if await store.seasons_due(NOW, 20):
            raise AssertionError("nothing is due")
    finally:
        event.remove(Engine, "before_cursor_execute", hear)
    if len(await store.seasons_due(NOW + 2 * WEEK, LEAGUES)) != LEAGUES:
        raise AssertionError("there are as many as that")
    await store.close()
    return sum(statement.startswith("SELECT") for statement in asked)


@row("leagues: picture of a division's table / Pillow's bare file", goal=0.3, better="less", cheap=True)
def drawn(effort: Effort) -> float:
    """Drawing it and writing its file beside writing the same pixels."""
    return ratio(Work.of([table]), bare([numbers(table())]), effort)


@row("leagues: picture of a bracket of sixteen / Pillow's bare file", goal=0.5, better="less", cheap=True)
def bracket_drawn(effort: Effort) -> float:
    """The same of a knock-out that is over."""
    return ratio(Work.of([bracket]), bare([numbers(bracket())]), effort)


def bracket() -> bytes:
    """The bracket of a knock-out of sixteen, with all its matches."""
    rounds = []
    for many in (8, 4, 2, 1):
        upper = BracketRow(name="Katherine", seed=1, score="104", stands="wins")
        lower = BracketRow(name="Grace Hopper", seed=2, score="61", stands="out")
        rounds.append([BracketBox(upper=upper, lower=lower, sign="judged" if many == 8 else None)] * many)
    columns = ("Last 16", "Quarter-finals", "Semi-finals", "Final")
    said = BracketWords(
        title="Friday",
        subtitle="Knock-out tournament",
        columns=columns,
        signs=[("judged", "judged: time was up")],
        champion="Katherine",
    )
    return bracket_picture(rounds, said).png


def table() -> bytes:
    """The table of a division of six."""
    lines = [
        LeagueLine(
            place=str(place),
            name=name,
            points=str(12 - 2 * place),
            record=f"{6 - place}–0–{place - 1}",
            difference=f"+{300 - 60 * place}" if place < 5 else "0",
            rounds=("won",) * (6 - place) + ("lost",) * (place - 1),
            first=place == 1,
        )
        for place, name in enumerate(("Ada", "Grace", "Linus", "Margaret", "Emmy", "Katherine"), 1)
    ]
    return league_picture("Spring · season 1", "Division 1", ["Points", "W–T–L", "+/–"], lines).png
