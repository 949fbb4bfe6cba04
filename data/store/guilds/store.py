"""Guilds: settings of their moderators, and limits of running matches."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import bindparam, delete, func, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.bodies import read_mapping, register_body
from data.store.connection.engines import insert_into, upsert
from data.store.connection.facts import request_scrub
from data.store.connection.hooks import load_hooks
from data.store.connection.repository import Repository, build_read_method, read_transaction, write_transaction
from data.store.connection.schema import to_mapping, to_text, to_value
from data.store.connection.store_errors import TooManyMatches
from data.store.connection.tables import alerts, guilds, matches, seats
from data.store.log.deal_tables import deals
from data.store.log.match_values import Guild, Limits
from data.store.results import recent
from data.store.results.scores import EVERYWHERE
from data.store.results.tables import bands, bests, recents, results, standings
from engine.table.table_state import RUNNING

_CHUNK: Final = 100
_GUILD: Final = select(guilds).where(guilds.c.guild_id == bindparam("guild"))


register_body(guilds.c.settings, lambda row: to_mapping(row.settings))


async def load_guild(connection: AsyncConnection, guild_id: int) -> Guild:
    row = (await connection.execute(_GUILD, {"guild": guild_id})).first()
    return Guild(guild_id=guild_id) if row is None else to_value(Guild, row, settings=read_mapping(row.settings))


async def count_running(connection: AsyncConnection, guild_id: int) -> int:
    query = select(func.count()).where(matches.c.guild_id == guild_id, matches.c.state.in_(RUNNING))
    return await connection.scalar(query) or 0


async def purge(connection: AsyncConnection, guild_id: int, left_by: int) -> bool:
    """Delete a part of the data of a guild that the bot left no later than `left_by`.

    True if nothing is left to delete, or the bot is back. Deletes a hundred matches at a time, because all writers
    wait.
    """
    gone = (guilds.c.guild_id == guild_id, guilds.c.left_at <= left_by)
    if (await connection.execute(select(guilds.c.guild_id).where(*gone).with_for_update())).first() is None:
        return True
    some = select(matches.c.match_id).where(matches.c.guild_id == guild_id).limit(_CHUNK)
    if numbers := list(await connection.scalars(some)):
        await connection.execute(delete(matches).where(matches.c.match_id.in_(numbers)))
        return False
    for purge_feature in load_hooks().guild_purgers:
        await purge_feature(connection, guild_id)
    await recent.subtract_guild(connection, guild_id)
    for table in (results, standings, bands, recents, bests, alerts, deals):
        await connection.execute(delete(table).where(table.c.guild_id == guild_id))
    await connection.execute(delete(guilds).where(*gone))
    return True


_LOCK_GUILD: Final = insert_into(guilds, "postgresql").on_conflict_do_update(
    index_elements=["guild_id"], set_={"updated_at": guilds.c.updated_at}
)


async def check_limits(connection: AsyncConnection, guild_id: int, limits: Limits) -> None:
    """Raise TooManyMatches if the guild, or the user in it, has as many running matches as allowed."""
    person, server = limits.person, limits.server
    if person is not None and await _count_running_of_user(connection, guild_id, limits.user_id) >= person:
        raise TooManyMatches("person", person)
    if server is not None and await count_running(connection, guild_id) >= server:
        raise TooManyMatches("server", server)


async def lock_guild(connection: AsyncConnection, guild_id: int, now: int) -> None:
    """Lock a guild for a transaction that seats a user: no other one can until it ends.

    Call it before any row is changed. A transaction that locks a match first and then the guild could deadlock.
    """
    if connection.dialect.name == "postgresql":
        # SQLite has one writer. Not every PostgreSQL-compatible server has advisory locks, so lock the guild's row.
        await connection.execute(_LOCK_GUILD, {"guild_id": guild_id, "settings": "{}", "updated_at": now})


async def _count_running_of_user(connection: AsyncConnection, guild_id: int, user_id: int) -> int:
    joined = select(func.count()).select_from(matches.join(seats, seats.c.match_id == matches.c.match_id))
    mine = (seats.c.user_id == user_id, matches.c.guild_id == guild_id, matches.c.state.in_(RUNNING))
    return await connection.scalar(joined.where(*mine)) or 0


class GuildStore(Repository):
    load_guild = build_read_method(load_guild)
    check_limits = build_read_method(check_limits)
    count_running = build_read_method(count_running)

    @write_transaction
    async def set_guild(
        self, connection: AsyncConnection, guild_id: int, settings: Mapping[str, Any], *, now: int
    ) -> None:
        changed = {"settings": to_text(settings), "updated_at": now}
        await upsert(connection, guilds, {"guild_id": guild_id}, {"left_at": None}, changed)

    @write_transaction
    async def note_guild_left(
        self, connection: AsyncConnection, guild_id: int, left_at: int | None, *, now: int
    ) -> None:
        """Note when the bot was removed from a guild; None if it is back."""
        changed = {"left_at": left_at, "updated_at": now}
        await upsert(connection, guilds, {"guild_id": guild_id}, {"settings": "{}"}, changed)

    @read_transaction
    async def list_known_guilds(self, connection: AsyncConnection) -> set[int]:
        """Return the guilds with stored data that the bot has not left."""
        # Results need no query: there are standings for them.
        columns = [table.c.guild_id for table in (matches, standings, guilds, deals, alerts)]
        columns += load_hooks().guild_columns
        kept = union(*(select(column).where(column.is_not(None)) for column in columns))
        left = set(await connection.scalars(select(guilds.c.guild_id).where(guilds.c.left_at.is_not(None))))
        return set(await connection.scalars(kept)) - left - {EVERYWHERE}

    @read_transaction
    async def list_left_guilds(self, connection: AsyncConnection, before: int) -> list[int]:
        query = select(guilds.c.guild_id).where(guilds.c.left_at <= before).order_by(guilds.c.left_at)
        return list(await connection.scalars(query))

    async def purge_guild(self, guild_id: int, *, left_by: int) -> None:
        """Delete all data of a guild that the bot left before `left_by`; nothing if it is back."""
        while not await self.transactions.write(lambda connection: purge(connection, guild_id, left_by)):
            pass  # in parts, so that others can write in between
        await self.transactions.write(request_scrub)
