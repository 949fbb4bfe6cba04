"""Alerts for users when a table opens: one post per user, written with the table."""

from typing import Any, Final

from sqlalchemy import bindparam, delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there, upsert
from data.store.connection.repository import Repository, reads, writes
from data.store.connection.schema import unindexed
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.tables import alerted, alerts, matches
from data.store.connection.tables import outbox as posts
from data.store.log.match_values import Head
from data.store.outbox import outbox
from data.store.outbox.outbox_values import ALERT, OutboxRow
from engine.table.table_posts import Post
from engine.table.terms import DAY, HOUR, MINUTE

MOST_A_DAY: Final = 3
"""Maximum alerts of a user per day, for all guilds."""
EVERY: Final = 6 * HOUR
"""Milliseconds between two alerts about the same host's tables in a guild, so that a host cannot flood users."""
WAIT: Final = MINUTE
"""Milliseconds between the opening of a table and its alerts: a table that closes at once causes none."""
MOST_TOLD: Final = 100
"""Maximum alerts of one table; users without an alert for longest come first."""

_DUE: Final = (
    select(posts)
    .where(posts.c.next_at <= bindparam("now"), posts.c.kind == ALERT)
    .order_by(*outbox.BY_AGE)
    .limit(bindparam("most"))
)


async def posts_for(connection: AsyncConnection, head: Head, now: int) -> list[Post]:
    if head.state != "lobby":
        return []
    theirs = (
        matches.c.host_id == head.host_id,
        unindexed(matches.c.guild_id) == head.guild_id,
        matches.c.match_id == posts.c.match_id,
    )
    # An alert is written with its table, and there are fewer alerts per day than tables of a guild.
    lately_told = (posts.c.kind == ALERT, posts.c.created_at > now - EVERY, matches.c.created_at > now - EVERY)
    told_of = exists().where(*lately_told, *theirs)
    lately = (
        select(alerted.c.user_id, func.count().label("times"), func.max(alerted.c.at).label("last"))
        .where(alerted.c.at > now - DAY)
        .group_by(alerted.c.user_id)
        .subquery()
    )
    of_this_host = (
        select(alerted.c.user_id)
        .join(matches, matches.c.match_id == alerted.c.match_id)
        .where(alerted.c.at > now - DAY, matches.c.host_id == head.host_id)
    )
    wanting = (
        select(alerts.c.user_id)
        .outerjoin(lately, lately.c.user_id == alerts.c.user_id)
        .where(
            alerts.c.guild_id == head.guild_id,
            alerts.c.game == head.game,
            alerts.c.reached,
            alerts.c.user_id != head.host_id,
            func.coalesce(lately.c.times, 0) < MOST_A_DAY,
            # At most one alert per host and day.
            alerts.c.user_id.not_in(of_this_host),
            ~told_of,
        )
        .order_by(func.coalesce(lately.c.last, 0), alerts.c.since, alerts.c.user_id)
        .limit(MOST_TOLD)
        # Erasure waits until these posts are visible.
        .with_for_update(read=True, of=alerts)
    )
    people = list(await connection.scalars(wanting))
    return [Post(kind=ALERT, body={"user": user_id}, at=now + WAIT) for user_id in people]


class AlertStore(Repository):
    @reads
    async def alerts_due(
        self, connection: AsyncConnection, now: int, limit: int, *, of: Shards = UNDIVIDED
    ) -> list[OutboxRow]:
        due = _DUE.where(of.hold_match(posts.c.match_id))
        return [outbox.row_of(row) for row in await connection.execute(due, {"now": now, "most": limit})]

    @writes
    async def note_told(self, connection: AsyncConnection, user_id: int, match_id: int, *, now: int) -> bool:
        """Note an alert before it is sent; False if the user had too many today, or wants none any more."""
        # Of two tables that open at once, one is first.
        wanted = select(alerts.c.game).where(alerts.c.user_id == user_id).with_for_update()
        if (await connection.execute(wanted)).first() is None:
            return False
        mine = alerted.c.user_id == user_id
        known = await connection.scalars(select(alerted.c.match_id).where(mine, alerted.c.at > now - DAY))
        tables = set(known)
        if match_id in tables:
            return True
        if len(tables) >= MOST_A_DAY:
            return False
        row = {"user_id": user_id, "match_id": match_id, "at": now}
        await connection.execute(insert_unless_there(alerted, connection.dialect.name), row)
        return True

    @reads
    async def alerts_wanted(self, connection: AsyncConnection, user_id: int, guild_id: int) -> dict[str, bool]:
        """Return the games for which a user wants alerts in a guild, and whether DMs reach them."""
        query = select(alerts).where(alerts.c.user_id == user_id, alerts.c.guild_id == guild_id)
        return {row.game: row.reached for row in await connection.execute(query.order_by(alerts.c.game))}

    @writes
    async def want_alerts(
        self, connection: AsyncConnection, user_id: int, guild_id: int, game: str, *, now: int
    ) -> None:
        key: dict[str, Any] = {"user_id": user_id, "guild_id": guild_id, "game": game}
        await upsert(connection, alerts, key, {"since": now}, {"reached": True})

    @writes
    async def unwant_alerts(
        self, connection: AsyncConnection, user_id: int, guild_id: int, game: str | None = None
    ) -> None:
        these = [alerts.c.user_id == user_id, alerts.c.guild_id == guild_id]
        await connection.execute(delete(alerts).where(*these, *([] if game is None else [alerts.c.game == game])))

    @writes
    async def out_of_reach(self, connection: AsyncConnection, user_id: int) -> None:
        """Note that DMs do not reach a user who wanted alerts."""
        await connection.execute(update(alerts).where(alerts.c.user_id == user_id).values(reached=False))
