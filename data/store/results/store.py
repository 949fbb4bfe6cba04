"""What came of matches, and the leaderboards that are folded out of it."""

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import Repository, reads, writes
from data.store.results import player_standings, rating_bands, recent
from data.store.results.player_standings import rating_of, to_result
from data.store.results.scores import Profile, Result
from data.store.results.tables import results


class ResultStore(Repository):
    """Results and standings."""

    @reads
    async def of_match(self, connection: AsyncConnection, match_id: int) -> tuple[Result, ...]:
        """Everybody's line of a finished match, best place first, with the rating change on its server."""
        query = select(results).where(results.c.match_id == match_id).order_by(results.c.place, results.c.user_id)
        return tuple(to_result(row) for row in await connection.execute(query))

    @reads
    async def profile(self, connection: AsyncConnection, user_id: int, guild_id: int, game: str) -> Profile | None:
        """What somebody has done in a game, on a server (0: everywhere); None when they have finished no match."""
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
            rank=None if rating_bands.is_unranked(row) else await rating_bands.rank_ever(connection, row),
        )

    @writes
    async def count_lately(self, connection: AsyncConnection, since: int, *, limit: int = 500) -> bool:
        """Let only results since then count as lately; all did at first. Some go at once: False when more are to go."""
        return await recent.slide(connection, since, limit)

    async def rebuild_standings(self) -> int:
        """Add the standings up anew from the results; their number. They come out as they were."""
        return await self.transactions.write(player_standings.rebuild, limit=None)

    @reads
    async def uncounted(self, connection: AsyncConnection, limit: int, *, after: int = 0) -> list[int]:
        """Matches above number `after` whose moves nobody counted when they ended, in order, `limit` at most."""
        query = select(results.c.match_id).where(results.c.moves.is_(None), results.c.match_id > after).distinct()
        return list(await connection.scalars(query.order_by(results.c.match_id).limit(limit)))

    @writes
    async def count_moves(self, connection: AsyncConnection, match_id: int, moves: int) -> None:
        """A match that ended before moves were counted had so many; `rebuild_standings` adds up what follows."""
        mine = results.c.match_id == match_id, results.c.moves.is_(None)
        await connection.execute(update(results).where(*mine).values(moves=moves))
