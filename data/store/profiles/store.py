"""Leaderboards of all time and of recent matches, and profiles.

The all-time leaderboard ranks by rating, if it is certain and based on several opponents; other users follow without a
rank, by wins and points. The recent one ranks by wins and average score. Hidden users see only their own line. Ties
share a rank and are ordered by user id, so that pages never overlap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import Repository, read_transaction
from data.store.connection.schema import bypass_index
from data.store.results import rating_bands, recent
from data.store.results.bests import Best, RecordLine, to_user_bests
from data.store.results.player_standings import to_rating, to_result
from data.store.results.scores import LeaderboardPage, LeaderRow, Result, limit_page
from data.store.results.tables import BESTS, bests, build_board_condition, build_listed_condition, results


class _Leaderboard(Protocol):
    """A module with the queries of a leaderboard, for a guild (0: everywhere) and a game."""

    async def count_lines(self, connection: AsyncConnection, guild_id: int, game: str, /) -> int: ...
    async def list_lines(
        self, connection: AsyncConnection, guild_id: int, game: str, offset: int, size: int, /
    ) -> list[Row[Any]]: ...
    async def find_line(
        self, connection: AsyncConnection, guild_id: int, game: str, user_id: int, /
    ) -> Row[Any] | None: ...
    async def compute_rank(self, connection: AsyncConnection, row: Row[Any], /) -> int: ...
    def get_rank_key(self, row: Row[Any], /) -> tuple[float | None, ...]: ...


_ALL_TIME: Final[_Leaderboard] = rating_bands
_RECENT: Final[_Leaderboard] = recent


async def _compute_rank(connection: AsyncConnection, board: _Leaderboard, row: Row[Any]) -> int | None:
    """Skips the count for users without a rank, which would be the slowest."""
    return None if rating_bands.is_unranked(row) else await board.compute_rank(connection, row)


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
        total = await board.count_lines(connection, guild_id, game)
        page, pages = limit_page(page, size, total)
        offset = page * size
        rows = await board.list_lines(connection, guild_id, game, offset, size)
        ranked: list[LeaderRow] = []
        rank: int | None = None
        for place, row in enumerate(rows):
            if rank is None or rating_bands.is_unranked(row):
                rank = await _compute_rank(connection, board, row)
            elif board.get_rank_key(row) != board.get_rank_key(rows[place - 1]):
                rank = offset + place + 1
            ranked.append(_to_leader_row(row, rank))
        return LeaderboardPage(rows=tuple(ranked), total=total, page=page, pages=pages)

    @read_transaction
    async def find_own_row(
        self, connection: AsyncConnection, guild_id: int, game: str, user_id: int, *, is_recent: bool = False
    ) -> LeaderRow | None:
        """Return a user's own line of the same leaderboard; None if they are not on it."""
        board = _RECENT if is_recent else _ALL_TIME
        row = await board.find_line(connection, guild_id, game, user_id)
        return None if row is None else _to_leader_row(row, await _compute_rank(connection, board, row))

    @read_transaction
    async def load_bests(
        self, connection: AsyncConnection, user_id: int, guild_id: int, game: str
    ) -> Mapping[str, Best]:
        """Return a user's best values in matches with other users, by kind (`BESTS`)."""
        mine = (*build_board_condition(bests, guild_id, game), bests.c.user_id == user_id)
        row = (await connection.execute(select(bests).where(*mine, bests.c.counted.is_(False)))).first()
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
                listed = (*build_listed_condition(bests, guild_id, game), bests.c.counted.is_(counted))
                query = select(bests.c.user_id, value, match).where(*listed, value > 0)
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
        newest = select(results).where(*mine).order_by(results.c.ended_at.desc(), results.c.match_id.desc())
        return tuple(to_result(row) for row in reversed((await connection.execute(newest.limit(limit))).all()))

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
        mine, theirs = results.c, _OTHER_RESULTS.c
        both = (mine.user_id == first, bypass_index(mine.guild_id) == guild_id, theirs.user_id == second)
        query = select(*columns).join(_OTHER_RESULTS, theirs.match_id == mine.match_id).where(*both)
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
