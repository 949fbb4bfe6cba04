"""Database rows, read with plain SQL independently of the store."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connection.engines import BEGIN_OPTION, make_engine, parse_url

Row = Mapping[str, Any]


@dataclass
class StoredRows:
    """A consistent snapshot of all rows."""

    matches: dict[int, Row]
    events: dict[int, list[Row]]
    requests: dict[int, Row]
    outbox: list[Row]
    seats: dict[int, dict[int, int | None]]
    quarantined: frozenset[int] = frozenset()  # The matches in quarantine
    premoves: list[Row] = field(default_factory=list)  # Premoves, and the outcome of some
    pulses: Mapping[str, int] = field(default_factory=dict)  # Times of the last sweeps of the bots
    seasons: list[Row] = field(default_factory=list)
    season_events: list[Row] = field(default_factory=list)
    season_messages: list[Row] = field(default_factory=list)
    fixtures: list[Row] = field(default_factory=list)
    deals: list[Row] = field(default_factory=list)
    deal_matches: list[Row] = field(default_factory=list)
    deal_news: list[Row] = field(default_factory=list)


@dataclass
class RowReader:
    """Reads the rows of one SQLite or PostgreSQL database."""

    engine: AsyncEngine

    async def read_rows(self) -> StoredRows:
        async with self.engine.connect() as connection:

            async def fetch(query: str) -> list[Row]:
                return list((await connection.execute(text(query))).mappings())

            logs, seats = defaultdict(list), defaultdict(dict)
            for row in await fetch("SELECT * FROM events ORDER BY match_id, seq"):
                logs[row["match_id"]].append(row)
            for row in await fetch("SELECT * FROM seats"):
                seats[row["match_id"]][row["seat"]] = row["user_id"]
            return StoredRows(
                {row["match_id"]: row for row in await fetch("SELECT * FROM matches ORDER BY match_id")},
                dict(logs),
                {row["interaction_id"]: row for row in await fetch("SELECT * FROM requests")},
                await fetch("SELECT * FROM outbox ORDER BY created_at, match_id, seq, number"),
                dict(seats),
                frozenset(row["match_id"] for row in await fetch("SELECT match_id FROM aside")),
                await fetch("SELECT * FROM premoves"),
                {row["name"]: row["at"] for row in await fetch("SELECT * FROM pulses")},
                await fetch("SELECT * FROM seasons ORDER BY season_id"),
                await fetch("SELECT * FROM season_events ORDER BY season_id, seq"),
                await fetch("SELECT * FROM season_messages ORDER BY number"),
                await fetch("SELECT * FROM fixtures ORDER BY match_id"),
                await fetch("SELECT * FROM deals ORDER BY deal_id"),
                await fetch("SELECT * FROM deal_matches ORDER BY match_id"),
                await fetch("SELECT * FROM deal_news"),
            )


@asynccontextmanager
async def open_row_reader(database: str) -> AsyncIterator[RowReader]:
    engine = make_engine(parse_url(database))
    try:
        yield RowReader(engine.execution_options(**{BEGIN_OPTION: "BEGIN"}))
    finally:
        await engine.dispose()


def is_overdue(row: Row, now: int, grace: int) -> bool:
    """Return whether the due work of a match is overdue by more than `grace` ms."""
    return row["due_at"] is not None and row["due_at"] + grace < now


def is_settled(stored: StoredRows, now: int, grace: int) -> bool:
    waiting = [row for row in stored.outbox if row["next_at"] is not None and row["match_id"] not in stored.quarantined]
    late_matches = [
        row
        for row in stored.matches.values()
        if row["shown_seq"] < row["seq"]
        or row["state"] == "lobby"
        or row["due_kind"] in ("computer", "settle")
        or is_overdue(row, now, grace)
    ]
    return not waiting and not late_matches
