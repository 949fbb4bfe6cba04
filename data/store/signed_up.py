"""Who signed up for which seasons and tournaments: what that says of one person."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.league_tables import entrants, seasons
from data.store.seasons import DUE_NOW, UNDER_WAY


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSeason:
    """A season that is over, for somebody who signed up for it."""

    season_id: int
    channel_id: int
    player: int
    """As whom its log knows them."""


async def over_with(connection: AsyncConnection, user_id: int, guild_id: int, limit: int) -> list[PastSeason]:
    """The seasons of a server that are over and for which somebody signed up, `limit` at most, newest first."""
    columns = seasons.c.season_id, seasons.c.channel_id, entrants.c.player
    query = (
        select(*columns)
        .join(entrants, entrants.c.season_id == seasons.c.season_id)
        .where(entrants.c.user_id == user_id, seasons.c.guild_id == guild_id, seasons.c.state == "over")
        .order_by(seasons.c.created_at.desc(), seasons.c.season_id.desc())
        .limit(limit)
    )
    return [PastSeason(**row._mapping) for row in await connection.execute(query)]


async def entrants_of(connection: AsyncConnection, season_ids: Collection[int]) -> dict[tuple[int, int], int | None]:
    """Whom the logs of these seasons mean, by season and player; None for somebody who was forgotten."""
    columns = entrants.c.season_id, entrants.c.player, entrants.c.user_id
    rows = await connection.execute(select(*columns).where(entrants.c.season_id.in_(season_ids)))
    return {(row.season_id, row.player): row.user_id for row in rows}


async def lines_of(connection: AsyncConnection, user_id: int) -> list[dict[str, Any]]:
    """The seasons that somebody plays in or has."""
    query = (
        select(entrants.c.season_id, entrants.c.player, seasons.c.guild_id, seasons.c.state)
        .join(seasons, seasons.c.season_id == entrants.c.season_id)
        .where(entrants.c.user_id == user_id)
        .order_by(entrants.c.season_id)
    )
    return [dict(row._mapping) for row in await connection.execute(query)]


async def forget_entrant(connection: AsyncConnection, user_id: int) -> bool:
    """Nothing says any more whom the seasons mean by somebody's numbers; those under way see at once that they left.
    Whether there were any.
    """
    theirs = select(entrants.c.season_id).where(entrants.c.user_id == user_id)
    numbers = list(await connection.scalars(theirs))
    if numbers:
        waiting = seasons.c.season_id.in_(numbers), seasons.c.state.in_(UNDER_WAY)
        await connection.execute(update(seasons).where(*waiting).values(due_at=DUE_NOW))
        await connection.execute(update(entrants).where(entrants.c.user_id == user_id).values(user_id=None))
    return bool(numbers)
