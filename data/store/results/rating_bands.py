"""The all-time leaderboard: standings by rating, with counts of users in narrow bands.

A rank is the sum of the bands above and a count inside one band, and a page starts inside one band. Counting all users
would be slower the more there are.
"""

from collections.abc import Mapping
from math import floor
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, and_, delete, func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_into
from data.store.results.tables import bands, build_board_condition, build_listed_condition, standings

UNRATED: Final = -1_000_000
"""The band of users without a rank, below all others."""
WIDTH: Final = 0.25
"""Width of a band, on the scale of the rating model. A power of two: edges are exact."""
_BY_WINS: Final = (standings.c.wins.desc(), standings.c.points.desc(), standings.c.user_id.desc())
Counts = Mapping[tuple[int, str, int], int]
"""Changes of the number of users, by guild, game and band."""


def compute_band(ordinal: float | None) -> int:
    return UNRATED if ordinal is None else floor(ordinal / WIDTH)


async def apply_changes(connection: AsyncConnection, changes: Counts) -> None:
    """Apply changes of the number of users in bands. The caller holds the standings that changed."""
    if rows := _build_rows(changes):
        added = insert_into(bands, connection.dialect.name)
        key = [bands.c.guild_id, bands.c.game, bands.c.band]
        more = {"people": bands.c.people + added.excluded.people}
        await connection.execute(added.on_conflict_do_update(index_elements=key, set_=more), rows)


async def rebuild_bands(connection: AsyncConnection, counts: Counts) -> None:
    await connection.execute(delete(bands))
    if rows := _build_rows(counts):
        await connection.execute(insert(bands), rows)


def _build_rows(counts: Counts) -> list[dict[str, Any]]:
    return [
        {"guild_id": guild_id, "game": game, "band": band, "people": people}
        for (guild_id, game, band), people in sorted(counts.items())  # in order, to prevent deadlocks
        if people
    ]


async def count_lines(connection: AsyncConnection, guild_id: int, game: str) -> int:
    return sum((await _load_counts(connection, guild_id, game)).values())


async def find_line(connection: AsyncConnection, guild_id: int, game: str, user_id: int) -> Row[Any] | None:
    query = select(standings).where(*build_board_condition(standings, guild_id, game), standings.c.user_id == user_id)
    return (await connection.execute(query)).first()


async def list_lines(connection: AsyncConnection, guild_id: int, game: str, offset: int, size: int) -> list[Row[Any]]:
    """Return some lines in order. Ranked and unranked users are read separately, each in the order of the index."""
    everybody = select(standings).where(*build_listed_condition(standings, guild_id, game))
    unranked = everybody.where(standings.c.ordinal.is_(None)).order_by(*_BY_WINS)
    rows: list[Row[Any]] = []
    skip = offset
    for band, people in sorted((await _load_counts(connection, guild_id, game)).items(), reverse=True):
        if skip >= people:
            skip -= people
            continue
        if band != UNRATED:
            below = everybody.where(standings.c.ordinal < (band + 1) * WIDTH)
            ranked = below.order_by(standings.c.ordinal.desc(), *_BY_WINS)
            rows += (await connection.execute(ranked.offset(skip).limit(size))).all()
            skip = 0
        if len(rows) < size:
            rows += (await connection.execute(unranked.offset(skip).limit(size - len(rows)))).all()
        break
    return rows


def get_rank_key(row: Row[Any]) -> tuple[float | None, ...]:
    """Return the values that determine the rank: equal values share a rank."""
    return (row.ordinal,) if row.ordinal is not None else (None, row.wins, row.points)


async def compute_rank(connection: AsyncConnection, row: Row[Any]) -> int:
    mine = compute_band(row.ordinal)
    above = (*build_board_condition(bands, row.guild_id, row.game), bands.c.band > mine)
    counted = select(func.coalesce(func.sum(bands.c.people), 0)).where(*above)
    is_better: ColumnElement[bool]
    if row.ordinal is not None:
        is_better = and_(standings.c.ordinal > row.ordinal, standings.c.ordinal < (mine + 1) * WIDTH)
    else:
        more = or_(standings.c.wins > row.wins, and_(standings.c.wins == row.wins, standings.c.points > row.points))
        is_better = and_(standings.c.ordinal.is_(None), more)
    listed = build_listed_condition(standings, row.guild_id, row.game)
    better_in_band = select(func.count()).select_from(standings).where(*listed, is_better)
    return 1 + int(await connection.scalar(counted) or 0) + (await connection.scalar(better_in_band) or 0)


async def _load_counts(connection: AsyncConnection, guild_id: int, game: str) -> dict[int, int]:
    query = select(bands.c.band, bands.c.people).where(*build_board_condition(bands, guild_id, game))
    return {row.band: row.people for row in await connection.execute(query) if row.people}


def is_unranked(row: Row[Any]) -> bool:
    """Return whether the user of a line has no rank on a leaderboard, all-time or recent."""
    return bool(row.hidden or (row.met == 0 if "met" in row._mapping else row.ordinal is None))
