"""Who showed a server how a puzzle went, and its table of the day.

The order of that table is noted with each line, so that it costs the same however many stand in it.
"""

from collections.abc import Sequence
from typing import Final, Literal

from sqlalchemy import exists, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there
from data.store.connection.schema import unindexed
from data.store.puzzles.tables import puzzle_shares, puzzle_tries
from data.store.puzzles.tries import PuzzleTry, to_try
from data.store.results.tables import results

Sharing = Literal["listed", "unlisted", "before"]
"""Whether somebody who shows how it went stands in the table of the day from now on; or did so before."""

_TIMES: Final = 10**13
"""Above every time in ms: what was achieved comes first, and then who was first."""


async def share_puzzle(connection: AsyncConnection, guild_id: int, tried: PuzzleTry, now: int) -> Sharing:
    """Somebody shows a server how a puzzle went that is over for them.

    In its table stands who had finished a rated match there before: accounts made for puzzles are not between those
    whom people there know. As long as nobody has, all stand there.
    """
    listed = await _stands_there(connection, guild_id, tried)
    row = {
        "guild_id": guild_id,
        "game": tried.game,
        "day": tried.day,
        "user_id": tried.user_id,
        "at": now,
        "ranked": rank_of(tried) if listed else None,
    }
    added = insert_unless_there(puzzle_shares, connection.dialect.name).values(row)
    if (await connection.execute(added)).rowcount != 1:
        return "before"
    return "listed" if listed else "unlisted"


def rank_of(tried: PuzzleTry) -> int:
    """Less for whoever did better: solved, with fewer tries, without the hint, sooner."""
    worth = 100 * (not tried.solved) + 10 * (len(tried.answers) - 1) + tried.hinted
    return worth * _TIMES + (tried.ended_at or 0)


async def unshare_puzzle(connection: AsyncConnection, guild_id: int, user_id: int, game: str, day: str) -> None:
    """Nothing came of showing it."""
    shares = puzzle_shares.c
    this = (shares.guild_id == guild_id, shares.user_id == user_id, shares.game == game, shares.day == day)
    await connection.execute(puzzle_shares.delete().where(*this))


async def table_of_day(
    connection: AsyncConnection, guild_id: int, game: str, day: str, limit: int
) -> Sequence[PuzzleTry]:
    """How those did who showed it to a server, the best first."""
    tried, shares = puzzle_tries.c, puzzle_shares.c
    same = (shares.user_id == tried.user_id) & (shares.game == tried.game) & (shares.day == tried.day)
    query = (
        select(puzzle_tries)
        .select_from(puzzle_shares.join(puzzle_tries, same))
        .where(shares.guild_id == guild_id, shares.game == game, shares.day == day, shares.ranked.is_not(None))
        .order_by(shares.ranked, shares.user_id)
        .limit(limit)
    )
    return [to_try(row) for row in await connection.execute(query)]


async def _stands_there(connection: AsyncConnection, guild_id: int, tried: PuzzleTry) -> bool:
    """Whether somebody stands in the table of a server."""
    here = unindexed(results.c.guild_id) == guild_id
    theirs = (results.c.user_id == tried.user_id, results.c.ended_at < tried.ended_at)
    mine = exists(literal(1)).where(*theirs, here, results.c.rated)
    anybody = exists(literal(1)).where(results.c.guild_id == guild_id, results.c.rated)
    row = (await connection.execute(select(mine.label("mine"), anybody.label("anybody")))).one()
    return bool(row.mine) or not row.anybody
