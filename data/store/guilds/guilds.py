"""Servers and what their moderators have set, and the pulse by which the bot knows how long it was gone."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import bindparam, delete, func, select, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import upsert
from data.store.leagues import seasons
from data.store.leagues.tables import seasons as season_lines
from data.store.log import codec
from data.store.log.deal_tables import deals, weekly_deals
from data.store.log.match_values import Guild
from data.store.log.tables import alerts, guilds, matches, pulses
from data.store.puzzles.tables import puzzle_shares
from data.store.results import recent
from data.store.results.scores import EVERYWHERE
from data.store.results.tables import bands, bests, recents, results, standings
from data.store.solo.tables import attacks
from engine.table.table_state import RUNNING

_CHUNK: Final = 100
_GUILD: Final = select(guilds).where(guilds.c.guild_id == bindparam("guild"))


async def guild_of(connection: AsyncConnection, guild_id: int) -> Guild:
    """A server; one that never set anything has no settings."""
    row = (await connection.execute(_GUILD, {"guild": guild_id})).first()
    if row is None:
        return Guild(guild_id=guild_id)
    return Guild(guild_id=guild_id, settings=codec.to_mapping(row.settings), left_at=row.left_at)


async def set_guild(connection: AsyncConnection, guild_id: int, settings: Mapping[str, Any], now: int) -> None:
    """Keep all settings of a server."""
    changed = {"settings": codec.to_text(settings), "updated_at": now}
    await upsert(connection, guilds, {"guild_id": guild_id}, {"left_at": None}, changed)


async def guild_left(connection: AsyncConnection, guild_id: int, left_at: int | None, now: int) -> None:
    """The bot was removed from a server at this time; None: it is back."""
    changed = {"left_at": left_at, "updated_at": now}
    await upsert(connection, guilds, {"guild_id": guild_id}, {"settings": "{}"}, changed)


async def still_known(connection: AsyncConnection) -> set[int]:
    """The servers of which something is kept and that the bot was not seen to leave."""
    # Results need not be looked at: there are standings wherever there are results.
    kept = union(
        select(matches.c.guild_id),
        select(standings.c.guild_id),
        select(guilds.c.guild_id),
        select(season_lines.c.guild_id),
        select(deals.c.guild_id),
        select(weekly_deals.c.guild_id),
        select(puzzle_shares.c.guild_id),
        select(alerts.c.guild_id),
        select(attacks.c.guild_id).where(attacks.c.guild_id.is_not(None)),
    )
    left = set(await connection.scalars(select(guilds.c.guild_id).where(guilds.c.left_at.is_not(None))))
    return set(await connection.scalars(kept)) - left - {EVERYWHERE}


async def left_before(connection: AsyncConnection, at: int) -> list[int]:
    """The servers that the bot was removed from no later than at this time, longest gone first."""
    query = select(guilds.c.guild_id).where(guilds.c.left_at <= at).order_by(guilds.c.left_at)
    return list(await connection.scalars(query))


async def purge(connection: AsyncConnection, guild_id: int, left_by: int) -> bool:
    """Delete some of what is kept of a server that the bot left no later than at `left_by`.

    True when there is nothing more to delete, or the bot is back. Matches go a hundred at a time, with logs, seats and
    posts: everybody else waits for this transaction.
    """
    gone = (guilds.c.guild_id == guild_id, guilds.c.left_at <= left_by)
    if (await connection.execute(select(guilds.c.guild_id).where(*gone).with_for_update())).first() is None:
        return True
    some = select(matches.c.match_id).where(matches.c.guild_id == guild_id).limit(_CHUNK)
    numbers = list(await connection.scalars(some))
    if numbers:
        await connection.execute(delete(matches).where(matches.c.match_id.in_(numbers)))
        return False
    await seasons.purge_seasons(connection, guild_id)
    await recent.count_out(connection, guild_id)
    for table in (results, standings, bands, recents, bests, alerts, deals, weekly_deals, puzzle_shares):
        await connection.execute(delete(table).where(table.c.guild_id == guild_id))
    # What an attempt came to is its player's; the server it stood on a list of is forgotten.
    await connection.execute(update(attacks).where(attacks.c.guild_id == guild_id).values(guild_id=None))
    await connection.execute(delete(guilds).where(*gone))
    return True


async def running(connection: AsyncConnection, guild_id: int) -> int:
    """The lobbies and running matches of a server."""
    query = select(func.count()).where(matches.c.guild_id == guild_id, matches.c.state.in_(RUNNING))
    return int((await connection.execute(query)).scalar_one())


async def pulse(connection: AsyncConnection, name: str, now: int) -> int | None:
    """Note that the process of this name is alive; returns when it last was, None when never."""
    found = (await connection.execute(select(pulses.c.at).where(pulses.c.name == name))).scalar_one_or_none()
    await upsert(connection, pulses, {"name": name}, {}, {"at": now})
    return found


async def last_pulses(connection: AsyncConnection) -> dict[str, int]:
    """When each process was last alive, by its name."""
    return {row.name: row.at for row in await connection.execute(select(pulses))}
