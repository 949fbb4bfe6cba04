"""Alerts for users when a table opens: one post per user, written with the table."""

from typing import Any, Final

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_if_missing, upsert
from data.store.connection.repository import Repository, read_transaction, write_transaction
from data.store.connection.schema import bypass_index
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.tables import alerted, alerts, matches
from data.store.connection.tables import outbox as posts
from data.store.log.match_values import Head
from data.store.outbox import outbox
from data.store.outbox.outbox_values import ALERT, OutboxRow
from engine.table.table_posts import Post
from engine.table.terms import DAY, HOUR, MINUTE

MAX_PER_DAY: Final = 3
"""Maximum alerts of a user per day, for all guilds."""
HOST_INTERVAL: Final = 6 * HOUR
"""Milliseconds between two alerts about the same host's tables in a guild, so that a host cannot flood users."""
ALERT_DELAY: Final = MINUTE
"""Milliseconds between the opening of a table and its alerts: a table that closes at once causes none."""
MAX_PER_TABLE: Final = 100
"""Maximum alerts of one table; users without an alert for longest come first."""


async def build_posts(connection: AsyncConnection, head: Head, now: int) -> list[Post]:
    if head.state != "lobby":
        return []
    since = now - HOST_INTERVAL
    theirs = (matches.c.host_id == head.host_id, bypass_index(matches.c.guild_id) == head.guild_id)
    # An alert is written with its table, and there are fewer alerts per day than tables of a guild.
    recent_alerts = (posts.c.kind == ALERT, posts.c.created_at > since, matches.c.created_at > since)
    is_announced = exists().where(*recent_alerts, *theirs, matches.c.match_id == posts.c.match_id)
    alerts_today = (
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
    subscribers = (
        select(alerts.c.user_id)
        .outerjoin(alerts_today, alerts_today.c.user_id == alerts.c.user_id)
        .where(
            alerts.c.guild_id == head.guild_id,
            alerts.c.game == head.game,
            alerts.c.reached,
            alerts.c.user_id != head.host_id,
            func.coalesce(alerts_today.c.times, 0) < MAX_PER_DAY,
            # At most one alert per host and day.
            alerts.c.user_id.not_in(of_this_host),
            ~is_announced,
        )
        .order_by(func.coalesce(alerts_today.c.last, 0), alerts.c.since, alerts.c.user_id)
        .limit(MAX_PER_TABLE)
        # Erasure waits until these posts are visible.
        .with_for_update(read=True, of=alerts)
    )
    people = list(await connection.scalars(subscribers))
    return [Post(kind=ALERT, body={"user": user_id}, at=now + ALERT_DELAY) for user_id in people]


class AlertStore(Repository):
    @read_transaction
    async def list_due_alerts(
        self, connection: AsyncConnection, now: int, limit: int, *, of: Shards = UNSHARDED
    ) -> list[OutboxRow]:
        is_due = (posts.c.next_at <= now, posts.c.kind == ALERT, of.build_match_condition(posts.c.match_id))
        query = select(posts).where(*is_due).order_by(*outbox.BY_AGE).limit(limit)
        return [outbox.to_outbox_row(row) for row in await connection.execute(query)]

    @write_transaction
    async def note_alert(self, connection: AsyncConnection, user_id: int, match_id: int, *, now: int) -> bool:
        """Note an alert before it is sent; False if the user had too many today, or wants none any more."""
        # Of two tables that open at once, one is first.
        wanted = select(alerts.c.game).where(alerts.c.user_id == user_id).with_for_update()
        if (await connection.execute(wanted)).first() is None:
            return False
        today = select(alerted.c.match_id).where(alerted.c.user_id == user_id, alerted.c.at > now - DAY)
        tables = set(await connection.scalars(today))
        if match_id in tables or len(tables) >= MAX_PER_DAY:
            return match_id in tables
        row = {"user_id": user_id, "match_id": match_id, "at": now}
        await insert_if_missing(connection, alerted, row)
        return True

    @read_transaction
    async def load_subscriptions(self, connection: AsyncConnection, user_id: int, guild_id: int) -> dict[str, bool]:
        """Return the games for which a user wants alerts in a guild, and whether DMs reach them."""
        query = select(alerts).where(alerts.c.user_id == user_id, alerts.c.guild_id == guild_id)
        return {row.game: row.reached for row in await connection.execute(query.order_by(alerts.c.game))}

    @write_transaction
    async def subscribe(self, connection: AsyncConnection, user_id: int, guild_id: int, game: str, *, now: int) -> None:
        key: dict[str, Any] = {"user_id": user_id, "guild_id": guild_id, "game": game}
        await upsert(connection, alerts, key, {"since": now}, {"reached": True})

    @write_transaction
    async def unsubscribe(
        self, connection: AsyncConnection, user_id: int, guild_id: int, game: str | None = None
    ) -> None:
        these = [alerts.c.user_id == user_id, alerts.c.guild_id == guild_id]
        await connection.execute(delete(alerts).where(*these, *([] if game is None else [alerts.c.game == game])))

    @write_transaction
    async def note_unreachable(self, connection: AsyncConnection, user_id: int) -> None:
        """Note that DMs do not reach a user who wanted alerts."""
        await connection.execute(update(alerts).where(alerts.c.user_id == user_id).values(reached=False))
