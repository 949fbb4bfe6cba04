"""Who stands where: the leaderboard of all time, of the days since, and one person's profile.

All time ranks by the careful rating; people who met only computers have none and follow, by wins and then points.
Since a day ranks those who met people first, and both groups by wins and then the average score.
Ties share a rank; among them the order is the user id's, so that pages never overlap.
"""

from typing import Any

from sqlalchemy import Double, Row, Select, and_, case, cast, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.scores import EVERYWHERE, LeaderboardPage, LeaderRow, Profile
from data.store.standings import rating_of
from data.store.tables import results, standings


async def page(
    connection: AsyncConnection, guild_id: int, game: str, since: int | None, number: int, size: int
) -> LeaderboardPage:
    """Page `number`, from 0; a page past the end is the last one."""
    total = await _total(connection, guild_id, game, since)
    pages = max(1, -(-total // size))
    number = min(max(number, 0), pages - 1)
    if since is None:
        rows = await _standing_rows(connection, guild_id, game, number * size, size)
    else:
        board = _since(guild_id, game, since).subquery()
        query = select(board).order_by(board.c.rank, board.c.user_id.desc()).offset(number * size).limit(size)
        rows = [_row(row, row.rank) for row in await connection.execute(query)]
    return LeaderboardPage(rows=tuple(rows), total=total, page=number, pages=pages)


async def own(
    connection: AsyncConnection, guild_id: int, game: str, since: int | None, user_id: int
) -> LeaderRow | None:
    """Somebody's own line, wherever it is; None when they have no match."""
    if since is None:
        row = await _standing(connection, guild_id, game, user_id)
        return None if row is None else _row(row, await _rank(connection, row))
    board = _since(guild_id, game, since).subquery()
    found = (await connection.execute(select(board).where(board.c.user_id == user_id))).first()
    return None if found is None else _row(found, found.rank)


async def profile(connection: AsyncConnection, user_id: int, guild_id: int, game: str) -> Profile | None:
    """What somebody has done; None when they have finished no match."""
    row = await _standing(connection, guild_id, game, user_id)
    if row is None:
        return None
    return Profile(
        user_id=row.user_id,
        matches=row.matches,
        wins=row.wins,
        points=row.points,
        best_score=row.best_score,
        best_move=row.best_move,
        hexagons=row.hexagons,
        bridges=row.bridges,
        rating=rating_of(row.mu, row.sigma),
        rank=await _rank(connection, row),
    )


async def _total(connection: AsyncConnection, guild_id: int, game: str, since: int | None) -> int:
    if since is None:
        query = select(func.count()).select_from(standings).where(*_on(guild_id, game))
    else:
        query = select(func.count(results.c.user_id.distinct())).where(*_in(guild_id, game, since))
    return int((await connection.execute(query)).scalar_one())


async def _standing(connection: AsyncConnection, guild_id: int, game: str, user_id: int) -> Row[Any] | None:
    query = select(standings).where(*_on(guild_id, game), standings.c.user_id == user_id)
    return (await connection.execute(query)).first()


async def _standing_rows(
    connection: AsyncConnection, guild_id: int, game: str, offset: int, size: int
) -> list[LeaderRow]:
    """A page of all time. Rated and unrated people are read apart: each part in the order of the index."""
    rated, unrated = standings.c.ordinal.is_not(None), standings.c.ordinal.is_(None)
    by_wins = (standings.c.wins.desc(), standings.c.points.desc(), standings.c.user_id.desc())
    everybody = select(standings).where(*_on(guild_id, game))
    first = everybody.where(rated).order_by(standings.c.ordinal.desc(), *by_wins).offset(offset).limit(size)
    rows = list((await connection.execute(first)).all())
    if len(rows) < size:
        count = select(func.count()).select_from(standings).where(*_on(guild_id, game), rated)
        skip = max(0, offset - int((await connection.execute(count)).scalar_one()))
        rest = everybody.where(unrated).order_by(*by_wins).offset(skip).limit(size - len(rows))
        rows += (await connection.execute(rest)).all()
    ranked: list[LeaderRow] = []
    for number, row in enumerate(rows):
        if number == 0:
            rank = await _rank(connection, row)
        elif _key(row) != _key(rows[number - 1]):
            rank = offset + number + 1
        ranked.append(_row(row, rank))
    return ranked


def _key(row: Row[Any]) -> tuple[float | None, ...]:
    """What people are ranked by: those with the same key share a rank."""
    return (row.ordinal,) if row.ordinal is not None else (None, row.wins, row.points)


async def _rank(connection: AsyncConnection, row: Row[Any]) -> int:
    """One more than the people who stand before this one in the leaderboard of all time."""
    if row.ordinal is not None:
        before = standings.c.ordinal > row.ordinal
    else:
        before = or_(
            standings.c.ordinal.is_not(None),
            standings.c.wins > row.wins,
            and_(standings.c.wins == row.wins, standings.c.points > row.points),
        )
    query = select(func.count()).select_from(standings).where(*_on(row.guild_id, row.game), before)
    return 1 + int((await connection.execute(query)).scalar_one())


def _since(guild_id: int, game: str, since: int) -> Select[Any]:
    """Everybody's sums over the results since then, with their ranks and today's ratings."""
    sums = (
        select(
            results.c.user_id,
            func.count().label("matches"),
            func.sum(case((results.c.won, 1), else_=0)).label("wins"),
            func.sum(results.c.score).label("points"),
            func.max(case((results.c.rated, 1), else_=0)).label("met"),
        )
        .where(*_in(guild_id, game, since))
        .group_by(results.c.user_id)
        .subquery()
    )
    average = cast(sums.c.points, Double) / sums.c.matches
    rank = func.rank().over(order_by=(sums.c.met.desc(), sums.c.wins.desc(), average.desc()))
    today = and_(*_on(guild_id, game), standings.c.user_id == sums.c.user_id)
    return select(sums, standings.c.mu, standings.c.sigma, rank.label("rank")).outerjoin_from(sums, standings, today)


def _on(guild_id: int, game: str) -> tuple[Any, ...]:
    return (standings.c.guild_id == guild_id, standings.c.game == game)


def _in(guild_id: int, game: str, since: int) -> tuple[Any, ...]:
    here = () if guild_id == EVERYWHERE else (results.c.guild_id == guild_id,)
    return (*here, results.c.game == game, results.c.ended_at >= since)


def _row(row: Row[Any], rank: int) -> LeaderRow:
    return LeaderRow(
        rank=rank,
        user_id=row.user_id,
        rating=rating_of(row.mu, row.sigma),
        matches=row.matches,
        wins=row.wins,
        points=int(row.points),
    )
