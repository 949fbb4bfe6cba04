"""The backlog of the store, for operators and moderators."""

from collections import Counter
from typing import Final

from sqlalchemy import Column, ColumnElement, and_, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.hooks import registered
from data.store.connection.schema import to_mapping, unindexed
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.tables import aside, matches, outbox
from data.store.outbox.outbox_values import ALERT, BLOCKED, REFUSED, Backlog
from engine.table.questions import LASTS
from engine.table.table_posts import LAPSES
from engine.table.table_state import RUNNING

LATELY: Final = 7 * 24 * 3600 * 1000

_SINCE: Final = case(
    (outbox.c.attempts == 0, outbox.c.next_at),
    # Written a day before it is due.
    (outbox.c.kind == LAPSES, outbox.c.created_at + LASTS),
    else_=outbox.c.created_at,
)
"""The time since when a post could have been sent. Each failure moves `next_at`."""


async def backlog(
    connection: AsyncConnection, *, now: int, guild_id: int | None = None, of: Shards = UNDIVIDED
) -> Backlog:
    """Return unsent posts, posts that cannot be sent, and outdated boards: of a guild, or of these shards."""

    def of_these(column: Column[int]) -> ColumnElement[bool]:
        return of.hold(column) if guild_id is None else unindexed(column) == guild_id

    here = of_these(matches.c.guild_id)
    # Otherwise a closed channel would make the whole bot look unhealthy.
    open_to_us = ~_shut()
    said = outbox.join(matches)
    # Posts for later, delayed alerts and posts of quarantined tables are not late.
    tried = and_(outbox.c.attempts > 0, outbox.c.kind != ALERT)
    ready = (outbox.c.next_at.is_not(None), or_(outbox.c.next_at <= now, tried))
    open_to_us &= matches.c.match_id.not_in(select(aside.c.match_id))
    late = select(func.count(), func.min(_SINCE)).select_from(said).where(*ready, here, open_to_us)
    posts, oldest = (await connection.execute(late)).one()
    overdue = select(func.count(), func.min(matches.c.due_at)).where(matches.c.due_at <= now, here)
    due, longest = (await connection.execute(overdue)).one()
    behind = select(func.count()).where(matches.c.shown_seq < matches.c.seq, here, open_to_us)
    boards = (await connection.execute(behind)).scalar_one()
    put_aside = select(func.count()).select_from(aside.join(matches)).where(aside.c.state.in_(RUNNING), here)
    unreadable = (await connection.execute(put_aside)).scalar_one()
    lately = (outbox.c.kind == REFUSED, outbox.c.created_at > now - LATELY)
    refused = select(outbox.c.body).select_from(said).where(*lately, here)
    codes = Counter(int(to_mapping(body)["code"]) for body in await connection.scalars(refused))
    return Backlog(
        posts=posts,
        oldest=0 if oldest is None else max(0, now - oldest),
        boards=boards,
        closed=await _closed(connection, here),
        refused=codes,
        due=due,
        due_age=0 if longest is None else now - longest,
        aside=unreadable,
        held=tuple([one for find in registered().held_up for one in await find(connection, of_these)]),
    )


async def _closed(connection: AsyncConnection, here: ColumnElement[bool]) -> dict[int, int]:
    """Return the channels that the bot cannot write to, by their running match."""
    going_on = matches.c.state.in_(("lobby", "open"))
    query = select(matches.c.match_id, matches.c.channel_id).where(_shut(), going_on, here)
    return {row.match_id: row.channel_id for row in await connection.execute(query.order_by(matches.c.match_id))}


def _shut() -> ColumnElement[bool]:
    closed = outbox.alias()
    # The row has a `next_at`, so an index finds it.
    said_so = (closed.c.next_at.is_not(None), closed.c.kind == BLOCKED)
    return matches.c.match_id.in_(select(closed.c.match_id).where(*said_so))
