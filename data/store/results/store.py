"""Results of matches, and the leaderboards computed from them."""

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import (
    Repository,
    build_read_method,
    build_write_method,
    read_transaction,
    write_transaction,
)
from data.store.connection.schema import to_value
from data.store.results import player_standings, rating_bands, recent
from data.store.results.player_standings import to_rating, to_result
from data.store.results.scores import Profile, Result
from data.store.results.tables import results


class ResultStore(Repository):
    @read_transaction
    async def list_results(self, connection: AsyncConnection, match_id: int) -> tuple[Result, ...]:
        query = select(results).where(results.c.match_id == match_id).order_by(results.c.place, results.c.user_id)
        return tuple(to_result(row) for row in await connection.execute(query))

    @read_transaction
    async def find_profile(self, connection: AsyncConnection, user_id: int, guild_id: int, game: str) -> Profile | None:
        """Return a user's record in a game, in a guild (0: everywhere); None without a finished match."""
        row = await rating_bands.find_line(connection, guild_id, game, user_id)
        if row is None:
            return None
        rank = None if rating_bands.is_unranked(row) else await rating_bands.compute_rank(connection, row)
        return to_value(Profile, row, rating=to_rating(row.mu, row.sigma), rank=rank)

    set_departed = build_write_method(player_standings.set_departed)
    list_hidden_in_guild = build_read_method(player_standings.list_hidden_in_guild)
    advance_recent_period = build_write_method(recent.advance_period)

    async def rebuild_standings(self) -> int:
        """Compute the standings again from the results; return their number. The result is the same."""
        return await self.transactions.write(player_standings.rebuild, limit=None)

    @read_transaction
    async def list_uncounted(self, connection: AsyncConnection, limit: int, *, after: int = 0) -> list[int]:
        """Return matches after `after` whose moves were not counted, in order, at most `limit`."""
        query = select(results.c.match_id).where(results.c.moves.is_(None), results.c.match_id > after).distinct()
        return list(await connection.scalars(query.order_by(results.c.match_id).limit(limit)))

    @write_transaction
    async def set_move_count(self, connection: AsyncConnection, match_id: int, moves: int) -> None:
        """Set the number of moves of an old match; `rebuild_standings` updates what follows."""
        mine = results.c.match_id == match_id, results.c.moves.is_(None)
        await connection.execute(update(results).where(*mine).values(moves=moves))
