"""Who wants to be told when a table opens, and who was: a post for each of them, written with the table it tells of."""

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
"""So often at most somebody is told within a day, of all tables on all servers."""

EVERY: Final = 6 * HOUR
"""Of one host's tables on a server one is told in such a time, in ms: whoever opens and closes tables floods nobody."""

WAIT: Final = MINUTE
"""Between the opening and the telling, in ms: a table that is closed again at once is told to nobody."""

MOST_TOLD: Final = 100
"""So many people are told of one table, those first who have not been told of any for longest."""

_DUE: Final = (
    select(posts)
    .where(posts.c.next_at <= bindparam("now"), posts.c.kind == ALERT)
    .order_by(*outbox.BY_AGE)
    .limit(bindparam("most"))
)


async def posts_for(connection: AsyncConnection, head: Head, now: int) -> list[Post]:
    """Whom a table is to be told of that has just opened and waits for people."""
    if head.state != "lobby":
        return []
    theirs = (
        matches.c.host_id == head.host_id,
        unindexed(matches.c.guild_id) == head.guild_id,
        matches.c.match_id == posts.c.match_id,
    )
    # An alert is written with its table, and alerts of this day are fewer than the tables of a server.
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
            # One host leaves room for the others.
            alerts.c.user_id.not_in(of_this_host),
            ~told_of,
        )
        .order_by(func.coalesce(lately.c.last, 0), alerts.c.since, alerts.c.user_id)
        .limit(MOST_TOLD)
        # Nobody is forgotten before these posts are there to be found.
        .with_for_update(read=True, of=alerts)
    )
    people = list(await connection.scalars(wanting))
    return [Post(kind=ALERT, body={"user": user_id}, at=now + WAIT) for user_id in people]


async def prune_alerts(connection: AsyncConnection, before: int) -> int:
    """Forget who was told of what before this time; returns how many went."""
    return (await connection.execute(delete(alerted).where(alerted.c.at < before))).rowcount


class AlertStore(Repository):
    """Who wants to be told when a table opens, and who was."""

    @reads
    async def alerts_due(
        self, connection: AsyncConnection, now: int, limit: int, *, of: Shards = UNDIVIDED
    ) -> list[OutboxRow]:
        """Who is to be told of which table of these shards by now, oldest first."""
        due = _DUE.where(of.hold_match(posts.c.match_id))
        return [outbox.row_of(row) for row in await connection.execute(due, {"now": now, "most": limit})]

    @writes
    async def note_told(self, connection: AsyncConnection, user_id: int, match_id: int, *, now: int) -> bool:
        """Somebody is about to be told of a table. False where they have been told of too many for a day, or want to be
        told of nothing any more.
        """
        # Of two tables that open at once one is first, whoever tells of them.
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
        """The games of which somebody wants to be told when a table opens here, and whether messages reach them."""
        query = select(alerts).where(alerts.c.user_id == user_id, alerts.c.guild_id == guild_id)
        return {row.game: row.reached for row in await connection.execute(query.order_by(alerts.c.game))}

    @writes
    async def want_alerts(
        self, connection: AsyncConnection, user_id: int, guild_id: int, game: str, *, now: int
    ) -> None:
        """Somebody wants to be told of this game's tables here."""
        key: dict[str, Any] = {"user_id": user_id, "guild_id": guild_id, "game": game}
        await upsert(connection, alerts, key, {"since": now}, {"reached": True})

    @writes
    async def unwant_alerts(
        self, connection: AsyncConnection, user_id: int, guild_id: int, game: str | None = None
    ) -> None:
        """They do not any more; None: of no game's."""
        these = [alerts.c.user_id == user_id, alerts.c.guild_id == guild_id]
        await connection.execute(delete(alerts).where(*these, *([] if game is None else [alerts.c.game == game])))

    @writes
    async def out_of_reach(self, connection: AsyncConnection, user_id: int) -> None:
        """Direct messages do not reach somebody who wanted to be told of tables."""
        await connection.execute(update(alerts).where(alerts.c.user_id == user_id).values(reached=False))
