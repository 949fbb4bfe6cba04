"""Who stands where: the leaderboard of all time, the one of the last days, and one person's profile.

All time ranks by the rating that is shown, where it is sure enough and several people stand behind it; all others have
no rank yet and follow, by wins and then points. Lately ranks those who have met several people by wins and then the
average score; the others have no rank there either. Whoever wants to stay off has a line for themselves alone.
Ties share a rank; among them the order is the user id's, so that pages never overlap.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.results import rating_bands, recent
from data.store.results.player_standings import rating_of
from data.store.results.scores import LeaderboardPage, LeaderRow, Profile


@dataclass(frozen=True, slots=True)
class _Board:
    """How one kind of leaderboard is read: for a server (0: everywhere) and a game."""

    total: Callable[[AsyncConnection, int, str], Awaitable[int]]
    lines: Callable[[AsyncConnection, int, str, int, int], Awaitable[list[Row[Any]]]]
    """From an offset on, at most so many."""
    line: Callable[[AsyncConnection, int, str, int], Awaitable[Row[Any] | None]]
    """Of this person."""
    rank: Callable[[AsyncConnection, Row[Any]], Awaitable[int]]
    key: Callable[[Row[Any]], tuple[float | None, ...]]


_EVER: Final = _Board(
    rating_bands.total_ever,
    rating_bands.lines_ever,
    rating_bands.line_ever,
    rating_bands.rank_ever,
    rating_bands.key_ever,
)
_LATELY: Final = _Board(
    recent.total_lately, recent.lines_lately, recent.line_lately, recent.rank_lately, recent.key_lately
)


async def page(
    connection: AsyncConnection, guild_id: int, game: str, lately: bool, number: int, size: int
) -> LeaderboardPage:
    """Page `number`, from 0; a page past the end is the last one."""
    board = _LATELY if lately else _EVER
    total = await board.total(connection, guild_id, game)
    pages = max(1, -(-total // size))
    number = min(max(number, 0), pages - 1)
    offset = number * size
    rows = await board.lines(connection, guild_id, game, offset, size)
    ranked: list[LeaderRow] = []
    rank: int | None = None
    for place, row in enumerate(rows):
        if rank is None or _unranked(row):
            rank = await _rank(connection, board, row)
        elif board.key(row) != board.key(rows[place - 1]):
            rank = offset + place + 1
        ranked.append(_row(row, rank))
    return LeaderboardPage(rows=tuple(ranked), total=total, page=number, pages=pages)


async def own(connection: AsyncConnection, guild_id: int, game: str, lately: bool, user_id: int) -> LeaderRow | None:
    """Somebody's own line, wherever it is; None when they have no match."""
    board = _LATELY if lately else _EVER
    row = await board.line(connection, guild_id, game, user_id)
    return None if row is None else _row(row, await _rank(connection, board, row))


async def profile_of(connection: AsyncConnection, user_id: int, guild_id: int, game: str) -> Profile | None:
    """What somebody has done; None when they have finished no match."""
    row = await rating_bands.line_ever(connection, guild_id, game, user_id)
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
        finished=row.finished,
        opponents=row.opponents,
        hidden=row.hidden,
        rating=rating_of(row.mu, row.sigma),
        rank=None if _unranked(row) else await rating_bands.rank_ever(connection, row),
    )


def _unranked(row: Row[Any]) -> bool:
    """Whether somebody has no rank on either leaderboard."""
    return bool(row.hidden or (row.met == 0 if "met" in row._mapping else row.ordinal is None))


async def _rank(connection: AsyncConnection, board: _Board, row: Row[Any]) -> int | None:
    """None is not counted first: it is those without a rank who have most people before them."""
    return None if _unranked(row) else await board.rank(connection, row)


def _row(row: Row[Any], rank: int | None) -> LeaderRow:
    return LeaderRow(
        rank=rank,
        user_id=row.user_id,
        rating=rating_of(row.mu, row.sigma),
        opponents=row.opponents or 0,
        hidden=row.hidden,
        matches=row.matches,
        wins=row.wins,
        points=row.points,
    )
