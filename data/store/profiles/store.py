"""Leaderboards of all time and of recent matches, and profiles.

The all-time leaderboard ranks by rating, if it is certain and based on several opponents; other users follow without a
rank, by wins and points. The recent one ranks by wins and average score. Hidden users see only their own line. Ties
share a rank and are ordered by user id, so that pages never overlap.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import Repository, read_transaction
from data.store.connection.schema import bypass_index
from data.store.results import rating_bands, recent
from data.store.results.bests import Best, RecordLine, to_user_bests
from data.store.results.player_standings import to_rating, to_result
from data.store.results.scores import LeaderboardPage, LeaderRow, Result
from data.store.results.tables import BESTS, bests, results


@dataclass(frozen=True, slots=True)
class _LeaderboardQueries:
    """The queries of a leaderboard, for a guild (0: everywhere) and a game."""

    total: Callable[[AsyncConnection, int, str], Awaitable[int]]
    lines: Callable[[AsyncConnection, int, str, int, int], Awaitable[list[Row[Any]]]]
    """From an offset on, with a limit."""
    line: Callable[[AsyncConnection, int, str, int], Awaitable[Row[Any] | None]]
    rank: Callable[[AsyncConnection, Row[Any]], Awaitable[int]]
    key: Callable[[Row[Any]], tuple[float | None, ...]]


_ALL_TIME: Final = _LeaderboardQueries(
    rating_bands.count_lines,
    rating_bands.list_lines,
    rating_bands.find_line,
    rating_bands.compute_rank,
    rating_bands.get_rank_key,
)

_RECENT: Final = _LeaderboardQueries(
    recent.count_lines, recent.list_lines, recent.find_line, recent.compute_rank, recent.get_rank_key
)


async def _compute_rank(connection: AsyncConnection, board: _LeaderboardQueries, row: Row[Any]) -> int | None:
    """Skips the count for users without a rank, which would be the slowest."""
    return None if rating_bands.is_unranked(row) else await board.rank(connection, row)


def _to_leader_row(row: Row[Any], rank: int | None) -> LeaderRow:
    return LeaderRow(
        rank=rank,
        user_id=row.user_id,
        rating=to_rating(row.mu, row.sigma),
        opponents=row.opponents or 0,
        hidden=row.hidden,
        matches=row.matches,
        wins=row.wins,
        points=row.points,
    )


_OTHER_RESULTS: Final = results.alias()


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    match_id: int
    game: str
    ended_at: int
    ahead: int
    """1 if the first placed before the second, -1 behind, 0 for a tie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    meetings: tuple[Meeting, ...]
    points: tuple[int, int] = (0, 0)
    best_moves: tuple[Best | None, Best | None] = (None, None)
    hexagons: tuple[int, int] = (0, 0)
    longest: Best | None = None
    """The match with the most moves; None if they were never counted."""

    @property
    def wins(self) -> tuple[int, int]:
        return sum(one.ahead > 0 for one in self.meetings), sum(one.ahead < 0 for one in self.meetings)

    @property
    def ties(self) -> int:
        return sum(one.ahead == 0 for one in self.meetings)

    @property
    def lead_history(self) -> tuple[int, ...]:
        """The lead of the first user in matches, at the start and after each match."""
        found = [0]
        for one in self.meetings:
            found.append(found[-1] + one.ahead)
        return tuple(found)


def _compare_results(row: Row[Any]) -> int:
    """Compare two results; a user who left comes after one who did not."""
    mine, theirs = (not row.finished0, row.place0), (not row.finished1, row.place1)
    return (mine < theirs) - (mine > theirs)


def _find_highest(rows: Sequence[Row[Any]], name: str) -> Best | None:
    found = max(rows, key=lambda row: row._mapping[name] or 0, default=None)
    value = found._mapping[name] if found is not None else None
    return Best(value, found.match_id) if found is not None and value else None


class ProfileStore(Repository):
    @read_transaction
    async def load_leaderboard(
        self,
        connection: AsyncConnection,
        guild_id: int,
        game: str,
        *,
        is_recent: bool = False,
        page: int = 0,
        size: int = 10,
    ) -> LeaderboardPage:
        """Return a page, from 0, of a guild's leaderboard (0: everywhere), of all time or recent."""
        board = _RECENT if is_recent else _ALL_TIME
        total = await board.total(connection, guild_id, game)
        pages = max(1, -(-total // size))
        page = min(max(page, 0), pages - 1)
        offset = page * size
        rows = await board.lines(connection, guild_id, game, offset, size)
        ranked: list[LeaderRow] = []
        rank: int | None = None
        for place, row in enumerate(rows):
            if rank is None or rating_bands.is_unranked(row):
                rank = await _compute_rank(connection, board, row)
            elif board.key(row) != board.key(rows[place - 1]):
                rank = offset + place + 1
            ranked.append(_to_leader_row(row, rank))
        return LeaderboardPage(rows=tuple(ranked), total=total, page=page, pages=pages)

    @read_transaction
    async def find_own_row(
        self, connection: AsyncConnection, guild_id: int, game: str, user_id: int, *, is_recent: bool = False
    ) -> LeaderRow | None:
        """Return a user's own line of the same leaderboard; None if they are not on it."""
        board = _RECENT if is_recent else _ALL_TIME
        row = await board.line(connection, guild_id, game, user_id)
        return None if row is None else _to_leader_row(row, await _compute_rank(connection, board, row))

    @read_transaction
    async def load_bests(
        self, connection: AsyncConnection, user_id: int, guild_id: int, game: str
    ) -> Mapping[str, Best]:
        """Return a user's best values in matches with other users, by kind (`BESTS`)."""
        mine = (
            bests.c.guild_id == guild_id,
            bests.c.game == game,
            bests.c.counted.is_(False),
            bests.c.user_id == user_id,
        )
        row = (await connection.execute(select(bests).where(*mine))).first()
        best = {} if row is None else to_user_bests(row._mapping).best
        return {kind: one for kind, one in best.items() if one.value > 0}

    @read_transaction
    async def load_records(
        self, connection: AsyncConnection, guild_id: int, game: str, *, most: int = 3
    ) -> dict[str, list[RecordLine]]:
        """Return the records of a guild, `most` of each kind, highest first."""
        found: dict[str, list[RecordLine]] = {}
        for kind in BESTS:
            value, match = bests.c[kind], bests.c[f"{kind}_match"]
            for counted in (True, False):
                listed = (bests.c.guild_id == guild_id, bests.c.game == game, bests.c.counted.is_(counted))
                query = select(bests.c.user_id, value, match).where(*listed, bests.c.hidden.is_(False), value > 0)
                rows = await connection.execute(query.order_by(value.desc(), match, bests.c.user_id).limit(most))
                if lines := [RecordLine(*row) for row in rows]:
                    found[kind] = lines
                    break
        return found

    @read_transaction
    async def list_recent_results(
        self, connection: AsyncConnection, user_id: int, guild_id: int, game: str, *, limit: int = 100
    ) -> tuple[Result, ...]:
        """Return at most `limit` of a user's last results of a game in a guild, oldest first."""
        mine = (results.c.user_id == user_id, bypass_index(results.c.guild_id) == guild_id, results.c.game == game)
        newest = (
            select(results).where(*mine).order_by(results.c.ended_at.desc(), results.c.match_id.desc()).limit(limit)
        )
        return tuple(to_result(row) for row in reversed((await connection.execute(newest)).all()))

    @read_transaction
    async def load_rivalry(
        self, connection: AsyncConnection, guild_id: int, first: int, second: int, *, game: str | None = None
    ) -> Rivalry:
        """Compare two users in all matches of a guild with results of both, in one game or in all."""
        columns = [
            *(results.c[name] for name in ("match_id", "game", "ended_at", "moves")),
            *(
                table.c[name].label(f"{name}{number}")
                for number, table in enumerate((results, _OTHER_RESULTS))
                for name in ("place", "finished", "score", "best_move", "hexagons")
            ),
        ]
        both = (
            results.c.user_id == first,
            bypass_index(results.c.guild_id) == guild_id,
            _OTHER_RESULTS.c.user_id == second,
        )
        query = select(*columns).join(_OTHER_RESULTS, _OTHER_RESULTS.c.match_id == results.c.match_id).where(*both)
        if game is not None:
            query = query.where(results.c.game == game)
        rows = (await connection.execute(query.order_by(results.c.ended_at, results.c.match_id))).all()
        return Rivalry(
            meetings=tuple(
                Meeting(match_id=row.match_id, game=row.game, ended_at=row.ended_at, ahead=_compare_results(row))
                for row in rows
            ),
            points=(sum(row.score0 for row in rows), sum(row.score1 for row in rows)),
            best_moves=(_find_highest(rows, "best_move0"), _find_highest(rows, "best_move1")),
            hexagons=(sum(row.hexagons0 for row in rows), sum(row.hexagons1 for row in rows)),
            longest=_find_highest(rows, "moves"),
        )
