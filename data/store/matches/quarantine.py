"""Quarantine matches whose log cannot be read, so that they block no channel and no player."""

from typing import Any, Final

from sqlalchemy import Select, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_if_missing
from data.store.connection.repository import Repository, build_read_method, read_transaction, write_transaction
from data.store.connection.schema import bypass_index, to_text, to_value
from data.store.connection.tables import aside, matches, seats
from data.store.connection.tables import outbox as posts
from data.store.log import heads
from data.store.log.match_values import QuarantinedMatch
from data.store.matches import journal
from data.store.outbox import delivery, outbox
from engine.table.table_events import Stopped
from engine.table.table_posts import QUARANTINE, Post
from engine.table.table_state import RUNNING

_ALL: Final[Select[Any]] = select(aside, matches.c.guild_id, matches.c.channel_id).join(
    matches, matches.c.match_id == aside.c.match_id
)


async def list_quarantined(
    connection: AsyncConnection,
    *,
    guild_id: int | None = None,
    channel_id: int | None = None,
    user_id: int | None = None,
) -> list[QuarantinedMatch]:
    """Return running quarantined matches that no moderator has closed, newest first."""
    query = _ALL.where(aside.c.state.in_(RUNNING))
    if guild_id is not None:
        query = query.where(bypass_index(matches.c.guild_id) == guild_id)
    if channel_id is not None:
        query = query.where(bypass_index(matches.c.channel_id) == channel_id)
    if user_id is not None:
        query = query.where(aside.c.match_id.in_(select(seats.c.match_id).where(seats.c.user_id == user_id)))
    rows = await connection.execute(query.order_by(aside.c.match_id.desc()))
    return [to_value(QuarantinedMatch, row) for row in rows]


class QuarantineStore(Repository):
    list_quarantined = build_read_method(list_quarantined)

    @write_transaction
    async def quarantine_match(
        self, connection: AsyncConnection, match_id: int, seq: int, why: str, *, now: int
    ) -> bool:
        """Quarantine a match whose log is unreadable from `seq` on; False if it already is."""
        head = await heads.find_head(connection, match_id)
        if head is None:
            return False
        row = {"match_id": match_id, "state": head.state, "seq": seq, "why": why, "since": now}
        if not await insert_if_missing(connection, aside, row):
            return False
        # Posts about the match wait; messages in its channel can be deleted.
        await outbox.end_turn(connection, match_id, now)
        if head.turn_message_id is not None:
            await delivery.set_turn_message(connection, match_id, None, now)
        over: dict[str, Any] = dict.fromkeys(("turn_seat", "turn_user", "due_at", "due_kind"))
        over["shown_seq"] = matches.c.seq
        if head.state in RUNNING:
            over["state"] = "void"
            await outbox.supersede_quarantine(connection, match_id, now)
            post = {"match_id": match_id, "channel_id": head.channel_id, "kind": QUARANTINE, "body": to_text({})}
            name = f"aside-{match_id:x}-{now // 1000:x}"
            await connection.execute(
                insert(posts), {**post, "dedupe": name, "next_at": now, "attempts": 0, "created_at": now}
            )
        await connection.execute(update(matches).where(matches.c.match_id == match_id).values(over))
        return True

    @write_transaction
    async def close_quarantined(self, connection: AsyncConnection, match_id: int, ruling: Stopped, *, now: int) -> bool:
        """Close a quarantined match by a moderator's decision; False if it was over before."""
        mine = (aside.c.match_id == match_id, aside.c.state.in_(RUNNING))
        if (await connection.execute(update(aside).where(*mine).values(state="void"))).rowcount != 1:
            return False
        unsent = delete(posts).where(posts.c.match_id == match_id, posts.c.next_at.is_not(None))
        await connection.execute(unsent.where(posts.c.kind.not_in(outbox.STANDALONE_KINDS)))
        await journal.append_event(connection, match_id, ruling, now)
        await connection.execute(update(matches).where(matches.c.match_id == match_id).values(shown_seq=matches.c.seq))
        head = await heads.find_head(connection, match_id)
        assert head is not None
        await outbox.queue(connection, head, [Post(kind=QUARANTINE, body={"ended": head.seq})], now)
        return True

    @read_transaction
    async def find_quarantined(self, connection: AsyncConnection, match_id: int) -> QuarantinedMatch | None:
        row = (await connection.execute(_ALL.where(aside.c.match_id == match_id))).first()
        return None if row is None else to_value(QuarantinedMatch, row)

    @read_transaction
    async def list_match_ids(self, connection: AsyncConnection) -> set[int]:
        return set(await connection.scalars(select(aside.c.match_id)))
