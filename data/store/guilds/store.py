"""Servers: what their moderators have set, and how many matches may run there."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import bindparam, delete, func, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_into, upsert
from data.store.connection.facts import leave_remains
from data.store.connection.hooks import registered
from data.store.connection.json_text import to_mapping, to_text
from data.store.connection.repository import Repository, reads, writes
from data.store.connection.store_errors import TooMany
from data.store.connection.tables import alerts, guilds, matches, seats
from data.store.log.deal_tables import deals
from data.store.log.match_values import Guild, Limits
from data.store.results import recent
from data.store.results.scores import EVERYWHERE
from data.store.results.tables import bands, bests, recents, results, standings
from engine.table.table_state import RUNNING

_CHUNK: Final = 100

_GUILD: Final = select(guilds).where(guilds.c.guild_id == bindparam("guild"))


async def guild_of(connection: AsyncConnection, guild_id: int) -> Guild:
    """A server; one that never set anything has no settings."""
    row = (await connection.execute(_GUILD, {"guild": guild_id})).first()
    if row is None:
        return Guild(guild_id=guild_id)
    return Guild(guild_id=guild_id, settings=to_mapping(row.settings), left_at=row.left_at)


async def running(connection: AsyncConnection, guild_id: int) -> int:
    """The lobbies and running matches of a server."""
    query = select(func.count()).where(matches.c.guild_id == guild_id, matches.c.state.in_(RUNNING))
    return int((await connection.execute(query)).scalar_one())


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
    for purge_feature in registered().guild_purgers:
        await purge_feature(connection, guild_id)
    await recent.count_out(connection, guild_id)
    for table in (results, standings, bands, recents, bests, alerts, deals):
        await connection.execute(delete(table).where(table.c.guild_id == guild_id))
    await connection.execute(delete(guilds).where(*gone))
    return True


_HELD: Final = insert_into(guilds, "postgresql").on_conflict_do_update(
    index_elements=["guild_id"], set_={"updated_at": guilds.c.updated_at}
)


async def check_limits(connection: AsyncConnection, guild_id: int, limits: Limits) -> None:
    """Raise TooMany where a server, or somebody on it, has as many running matches as there may be."""
    if limits.person is not None and await _of_person(connection, guild_id, limits.user_id) >= limits.person:
        raise TooMany("person", limits.person)
    if limits.server is not None and await running(connection, guild_id) >= limits.server:
        raise TooMany("server", limits.server)


async def hold(connection: AsyncConnection, guild_id: int, now: int) -> None:
    """Somebody sits down in this transaction: until it ends nobody else on the server can.

    It comes before any row is changed. Whoever opens a table holds the server, and may then have to wait for the match
    that runs in the channel: whoever had changed that one and wanted the server next would wait for them in turn.
    """
    if connection.dialect.name == "postgresql":
        # SQLite has one writer anyway. The row of the server is held, which not every engine has another lock for.
        await connection.execute(_HELD, {"guild_id": guild_id, "settings": "{}", "updated_at": now})


async def _of_person(connection: AsyncConnection, guild_id: int, user_id: int) -> int:
    query = (
        select(func.count())
        .select_from(matches.join(seats, seats.c.match_id == matches.c.match_id))
        .where(seats.c.user_id == user_id, matches.c.guild_id == guild_id, matches.c.state.in_(RUNNING))
    )
    return int((await connection.execute(query)).scalar_one())


class GuildStore(Repository):
    """Servers."""

    @reads
    async def guild(self, connection: AsyncConnection, guild_id: int) -> Guild:
        """A server's settings, empty where nothing was set."""
        return await guild_of(connection, guild_id)

    @writes
    async def set_guild(
        self, connection: AsyncConnection, guild_id: int, settings: Mapping[str, Any], *, now: int
    ) -> None:
        """Keep all settings of a server."""
        changed = {"settings": to_text(settings), "updated_at": now}
        await upsert(connection, guilds, {"guild_id": guild_id}, {"left_at": None}, changed)

    @writes
    async def guild_left(self, connection: AsyncConnection, guild_id: int, left_at: int | None, *, now: int) -> None:
        """The bot was removed from a server at this time; None: it is back."""
        changed = {"left_at": left_at, "updated_at": now}
        await upsert(connection, guilds, {"guild_id": guild_id}, {"settings": "{}"}, changed)

    @reads
    async def guilds_known(self, connection: AsyncConnection) -> set[int]:
        """The guilds of which something is kept and that the bot was not seen to leave."""
        # Results need not be looked at: there are standings wherever there are results.
        kept = union(
            select(matches.c.guild_id),
            select(standings.c.guild_id),
            select(guilds.c.guild_id),
            select(deals.c.guild_id),
            select(alerts.c.guild_id),
            *(select(column).where(column.is_not(None)) for column in registered().guild_columns),
        )
        left = set(await connection.scalars(select(guilds.c.guild_id).where(guilds.c.left_at.is_not(None))))
        return set(await connection.scalars(kept)) - left - {EVERYWHERE}

    @reads
    async def guilds_left(self, connection: AsyncConnection, before: int) -> list[int]:
        """The guilds that the bot was removed from by then, longest gone first."""
        query = select(guilds.c.guild_id).where(guilds.c.left_at <= before).order_by(guilds.c.left_at)
        return list(await connection.scalars(query))

    async def purge_guild(self, guild_id: int, *, left_by: int) -> None:
        """Delete all that is kept of a server that the bot left by then; nothing when it is back."""
        while not await self.transactions.write(lambda connection: purge(connection, guild_id, left_by)):
            pass  # a part at a time, so that others can write in between
        await self.transactions.write(leave_remains)

    @reads
    async def check_limits(self, connection: AsyncConnection, guild_id: int, given: Limits) -> None:
        """Whether somebody could sit down just now. Raises TooMany, as sitting down does."""
        await check_limits(connection, guild_id, given)

    @reads
    async def running_in_guild(self, connection: AsyncConnection, guild_id: int) -> int:
        """The number of lobbies and running matches on a server."""
        return await running(connection, guild_id)
