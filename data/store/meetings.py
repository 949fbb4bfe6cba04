"""Who met whom in rated matches: what a rating has to know of the people it is about."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final

from sqlalchemy import ColumnElement, Select, and_, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.schema import unindexed
from data.store.score_tables import recents, results, standings
from data.store.scores import EVERYWHERE, OPPONENTS, History
from data.store.tally import Tally

MONTH: Final = 30 * 24 * 3600 * 1000
"""For so long a match is remembered as one against the same people, in ms."""
MANY: Final = 9
"""Whoever has met so many different people is known well, and nobody goes on counting."""
COUNTED: Final = 1000
"""So many people with a rank are enough to say that a leaderboard has them, and nobody goes on counting."""

_THEIRS: Final = results.alias()


async def met_before(
    connection: AsyncConnection, guild_id: int, game: str, before: Mapping[int, Tally]
) -> dict[int, frozenset[int]]:
    """The different people of the rated matches of each of these on a server, but of those who are known well."""
    fresh = [user for user, tally in before.items() if tally.opponents < MANY]
    here = () if guild_id == EVERYWHERE else (unindexed(results.c.guild_id) == guild_id,)
    found: dict[int, set[int]] = {user: set() for user in fresh}
    if fresh:
        pairs = select(results.c.user_id, _THEIRS.c.user_id.label("other")).distinct()
        for row in await connection.execute(pairs.where(*_together(game, fresh), *here)):
            found[row.user_id].add(row.other)
    return {user: frozenset(others) for user, others in found.items()}


async def history_of(
    connection: AsyncConnection, game: str, users: Collection[int], met: Mapping[int, frozenset[int]], now: int
) -> History:
    """What these people had to do with each other before now; `met` is as `met_before` tells it of everywhere."""
    since = results.c.ended_at >= now - MONTH
    pairs = select(results.c.user_id, _THEIRS.c.user_id.label("other"), func.count().label("matches"))
    among = (*_together(game, users), _THEIRS.c.user_id.in_(users), results.c.user_id < _THEIRS.c.user_id, since)
    counted = await connection.execute(pairs.where(*among).group_by(results.c.user_id, _THEIRS.c.user_id))
    again = {(row.user_id, row.other): row.matches for row in counted}
    gone = select(results.c.user_id).where(results.c.user_id.in_(users), since, results.c.finished.is_(False))
    left: dict[int, int] = defaultdict(int)
    for user in await connection.scalars(gone):
        left[user] += 1
    return History(again=again, met=met, left=left)


async def is_established(connection: AsyncConnection, guild_id: int, game: str) -> bool:
    """Whether four of those who have played rated matches on a leaderboard lately, and a third of all, have a rank."""
    lately = (recents.c.guild_id == guild_id, recents.c.game == game, recents.c.rated > 0)
    mine = (standings.c.guild_id, standings.c.game, standings.c.user_id)
    same = and_(*(column == recents.c[column.name] for column in mine))
    # Whoever has a rank has met several people; by both values of `hidden` the index finds them.
    known = select(literal(1)).select_from(recents.join(standings, same))
    ranked = await _count(
        connection,
        known.where(*lately, recents.c.hidden.in_((False, True)), recents.c.met > 0, standings.c.ordinal.is_not(None)),
    )
    if ranked <= OPPONENTS:
        return False
    return ranked >= COUNTED or 3 * ranked >= await _count(connection, select(literal(1)).where(*lately))


async def _count(connection: AsyncConnection, rows: Select[int]) -> int:
    counted = select(func.count()).select_from(rows.limit(3 * COUNTED).subquery())
    return int((await connection.execute(counted)).scalar_one())


def _together(game: str, users: Collection[int]) -> tuple[ColumnElement[bool], ...]:
    """The lines of these people in rated matches, each with that of somebody else."""
    mine = (results.c.user_id.in_(users), results.c.game == game, results.c.rated)
    same = (_THEIRS.c.match_id == results.c.match_id, _THEIRS.c.user_id != results.c.user_id, _THEIRS.c.rated)
    return (*mine, *same)
