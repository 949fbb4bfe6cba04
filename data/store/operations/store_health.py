"""The backlog of the store, for operators and moderators."""

from collections import Counter
from typing import Final

from sqlalchemy import Column, ColumnElement, and_, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.bodies import read_body
from data.store.connection.hooks import load_hooks
from data.store.connection.schema import bypass_index, to_mapping
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.tables import aside, matches, outbox
from data.store.outbox.outbox_values import ALERT, BLOCKED, REFUSED, Backlog
from engine.table.questions import QUESTION_SPAN
from engine.table.table_posts import QUESTION_EXPIRED
from engine.table.table_state import RUNNING

RECENT_PERIOD: Final = 7 * 24 * 3600 * 1000

_SINCE: Final = case(
    (outbox.c.attempts == 0, outbox.c.next_at),
    # Written a day before it is due.
    (outbox.c.kind == QUESTION_EXPIRED, outbox.c.created_at + QUESTION_SPAN),
    else_=outbox.c.created_at,
)
"""The time since when a post could have been sent. Each failure moves `next_at`."""


async def load_backlog(
    connection: AsyncConnection, *, now: int, guild_id: int | None = None, of: Shards = UNSHARDED
) -> Backlog:
    """Return unsent posts, posts that cannot be sent, and outdated boards: of a guild, or of these shards."""

    def of_these(column: Column[int]) -> ColumnElement[bool]:
        return of.build_guild_condition(column) if guild_id is None else bypass_index(column) == guild_id

    in_scope = of_these(matches.c.guild_id)
    # Otherwise a closed channel would make the whole bot look unhealthy.
    is_writable = ~_build_closed_condition()
    joined = outbox.join(matches)
    # Posts for later, delayed alerts and posts of quarantined tables are not late.
    was_tried = and_(outbox.c.attempts > 0, outbox.c.kind != ALERT)
    ready = (outbox.c.next_at.is_not(None), or_(outbox.c.next_at <= now, was_tried))
    is_writable &= matches.c.match_id.not_in(select(aside.c.match_id))
    late = select(func.count(), func.min(_SINCE)).select_from(joined).where(*ready, in_scope, is_writable)
    posts, oldest = (await connection.execute(late)).one()
    overdue = select(func.count(), func.min(matches.c.due_at)).where(matches.c.due_at <= now, in_scope)
    due, longest = (await connection.execute(overdue)).one()
    behind = select(func.count()).where(matches.c.shown_seq < matches.c.seq, in_scope, is_writable)
    boards = (await connection.execute(behind)).scalar_one()
    quarantined = select(func.count()).select_from(aside.join(matches)).where(aside.c.state.in_(RUNNING), in_scope)
    unreadable = (await connection.execute(quarantined)).scalar_one()
    recently_refused = (outbox.c.kind == REFUSED, outbox.c.created_at > now - RECENT_PERIOD)
    refused = select(outbox.c.body).select_from(joined).where(*recently_refused, in_scope)
    bodies = await connection.scalars(refused)
    codes = Counter(read_body(lambda body: int(to_mapping(body)["code"]), body, 0) for body in bodies)
    return Backlog(
        posts=posts,
        oldest=0 if oldest is None else max(0, now - oldest),
        boards=boards,
        closed=await _load_closed_channels(connection, in_scope),
        refused=codes,
        due=due,
        due_age=0 if longest is None else now - longest,
        quarantined=unreadable,
        stalled=tuple([one for find in load_hooks().stalled_finders for one in await find(connection, of_these)]),
    )


async def _load_closed_channels(connection: AsyncConnection, in_scope: ColumnElement[bool]) -> dict[int, int]:
    """Return the channels that the bot cannot write to, by their running match."""
    is_running = matches.c.state.in_(("lobby", "open"))
    query = select(matches.c.match_id, matches.c.channel_id).where(_build_closed_condition(), is_running, in_scope)
    return {row.match_id: row.channel_id for row in await connection.execute(query.order_by(matches.c.match_id))}


def _build_closed_condition() -> ColumnElement[bool]:
    closed = outbox.alias()
    # The row has a `next_at`, so an index finds it.
    is_blocked = (closed.c.next_at.is_not(None), closed.c.kind == BLOCKED)
    return matches.c.match_id.in_(select(closed.c.match_id).where(*is_blocked))
