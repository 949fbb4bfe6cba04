"""How many matches may run at the same time: counted in the transaction in which somebody sits down."""

from typing import Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import guilds
from data.store.errors import TooMany
from data.store.inserting import insert_into
from data.store.tables import guilds as servers
from data.store.tables import matches, seats
from data.store.values import Limits
from engine.table.state import RUNNING

_HELD: Final = insert_into(servers, "postgresql").on_conflict_do_update(
    index_elements=["guild_id"], set_={"updated_at": servers.c.updated_at}
)


async def check_limits(connection: AsyncConnection, guild_id: int, limits: Limits) -> None:
    """Raise TooMany where a server, or somebody on it, has as many running matches as there may be."""
    if limits.person is not None and await _of_person(connection, guild_id, limits.user_id) >= limits.person:
        raise TooMany("person", limits.person)
    if limits.server is not None and await guilds.running(connection, guild_id) >= limits.server:
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
