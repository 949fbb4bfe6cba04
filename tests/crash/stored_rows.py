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
class Reader:
    """Reads the rows of one SQLite or PostgreSQL database."""

    engine: AsyncEngine

    async def books(self) -> StoredRows:
        async with self.engine.connect() as connection:

            async def rows(query: str) -> list[Row]:
                return list((await connection.execute(text(query))).mappings())

            logs, chairs = defaultdict(list), defaultdict(dict)
            for row in await rows("SELECT * FROM events ORDER BY match_id, seq"):
                logs[row["match_id"]].append(row)
            for row in await rows("SELECT * FROM seats"):
                chairs[row["match_id"]][row["seat"]] = row["user_id"]
            return StoredRows(
                {row["match_id"]: row for row in await rows("SELECT * FROM matches ORDER BY match_id")},
                dict(logs),
                {row["interaction_id"]: row for row in await rows("SELECT * FROM requests")},
                await rows("SELECT * FROM outbox ORDER BY created_at, match_id, seq, number"),
                dict(chairs),
                frozenset(row["match_id"] for row in await rows("SELECT match_id FROM aside")),
                await rows("SELECT * FROM premoves"),
                {row["name"]: row["at"] for row in await rows("SELECT * FROM pulses")},
                await rows("SELECT * FROM seasons ORDER BY season_id"),
                await rows("SELECT * FROM season_events ORDER BY season_id, seq"),
                await rows("SELECT * FROM season_messages ORDER BY number"),
                await rows("SELECT * FROM fixtures ORDER BY match_id"),
                await rows("SELECT * FROM deals ORDER BY deal_id"),
                await rows("SELECT * FROM deal_matches ORDER BY match_id"),
                await rows("SELECT * FROM deal_news"),
            )


@asynccontextmanager
async def reader(database: str) -> AsyncIterator[Reader]:
    engine = make_engine(parse_url(database))
    try:
        yield Reader(engine.execution_options(**{BEGIN_OPTION: "BEGIN"}))
    finally:
        await engine.dispose()


def overdue(row: Row, now: int, grace: int) -> bool:
    """Return whether the due work of a match is overdue by more than `grace` ms."""
    return row["due_at"] is not None and row["due_at"] + grace < now


def settled(found: StoredRows, now: int, grace: int) -> bool:
    waiting = [row for row in found.outbox if row["next_at"] is not None and row["match_id"] not in found.quarantined]
    late = [
        row
        for row in found.matches.values()
        if row["shown_seq"] < row["seq"]
        or row["state"] == "lobby"
        or row["due_kind"] in ("computer", "settle")
        or overdue(row, now, grace)
    ]
    return not waiting and not late
