"""What is to be done about messages that stand in a channel: the boards, what has had its time, and closed channels.

Each is a row of the outbox with a name of its own, so that it is there once.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from sqlalchemy import and_, bindparam, delete, literal, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there
from data.store.connection.shards import Shards
from data.store.log import codec
from data.store.log.match_values import Head
from data.store.log.tables import matches
from data.store.log.tables import outbox as posts
from data.store.outbox import outbox
from data.store.outbox.outbox_values import BLOCKED, BOARD, REMOVE, OutboxRow

_GONE: Final = delete(posts).where(posts.c.dedupe == bindparam("name"))
_CHANNEL: Final = select(matches.c.channel_id).where(matches.c.match_id == bindparam("match"))


# -- messages that have had their time


async def standing_posts(
    connection: AsyncConnection, match_id: int, kind: str, *, alone: bool = False
) -> list[OutboxRow]:
    """The posts of this kind that stand in a channel, oldest first; with `alone` also those that may have gone to
    people alone, which have no message.
    """
    alone_ones = and_(literal(alone), posts.c.attempts > 0, posts.c.next_at.is_(None))
    sent_ones = (posts.c.match_id == match_id, posts.c.kind == kind, or_(posts.c.message_id.is_not(None), alone_ones))
    query = select(posts).where(*sent_ones).order_by(*outbox.IN_ORDER)
    return [outbox.row_of(row) for row in await connection.execute(query)]


async def clear(connection: AsyncConnection, row: OutboxRow) -> None:
    """What this row stands for is done, or has had its time: nobody looks for its message any more."""
    await connection.execute(_GONE, {"name": row.nonce})


async def retire(
    connection: AsyncConnection, match_id: int, kind: str, message_id: int, now: int, channel_id: int | None = None
) -> None:
    """A message of the match is to be deleted, or shrunk (`kind`). That stands here until it is done. It is in the
    channel of the match, where nothing else is said.
    """
    if channel_id is None:
        channel_id = (await connection.execute(_CHANNEL, {"match": match_id})).scalar_one()
    name = f"old-{message_id:x}"
    await _once(connection, match_id, channel_id, kind, name, {"message": message_id}, now, next_at=now)


async def passing(connection: AsyncConnection, row: OutboxRow, message_id: int, now: int) -> None:
    """The message of this post is good for the running turn only: it is to be deleted when that ends."""
    body = {"message": message_id}
    await _once(connection, row.match_id, row.channel_id, REMOVE, f"old-{message_id:x}", body, now, next_at=None)


# -- boards


async def begin_board(connection: AsyncConnection, head: Head, nonce: str, now: int, until: int) -> OutboxRow | None:
    """The caller shows the board of this match, until then at most; where it is posted, with the nonce in the body.
    None where somebody else does.
    """
    name, body = f"board-{head.match_id:x}", {"nonce": nonce}
    mine = await _once(connection, head.match_id, head.channel_id, BOARD, name, body, now, next_at=until, attempts=1)
    return (
        OutboxRow(
            match_id=head.match_id,
            channel_id=head.channel_id,
            kind=BOARD,
            nonce=name,
            body=body,
            attempts=0,
            created_at=now,
            next_at=now,
            message_id=None,
        )
        if mine
        else None
    )


async def refuse_board(connection: AsyncConnection, row: OutboxRow, seq: int, code: int) -> None:
    """Discord does not take the board of this move. The next one is another board."""
    name = f"{row.nonce}-{seq:x}"
    await connection.execute(update(posts).where(posts.c.dedupe == row.nonce).values(dedupe=name))
    await outbox.refuse(connection, replace(row, nonce=name), code)


# -- channels that are closed to the bot


async def close_channel(connection: AsyncConnection, match_id: int, channel_id: int, code: int, now: int) -> bool:
    """The channel of a match cannot be written to, for Discord's reason `code`. False when that was known."""
    name = f"blocked-{match_id:x}"
    return await _once(connection, match_id, channel_id, BLOCKED, name, {"code": code}, now, next_at=now)


async def reopen_channel(connection: AsyncConnection, match_id: int) -> None:
    """It can be written to, or the match has another one."""
    await connection.execute(delete(posts).where(posts.c.dedupe == f"blocked-{match_id:x}"))


async def closed_channels(connection: AsyncConnection, of: Shards) -> list[OutboxRow]:
    """The matches of these shards whose channel is closed to the bot. `next_at` is when something is to be done about
    it.
    """
    # The index holds the rows with a `next_at`, which are few: those that were sent have none.
    said_so = (posts.c.next_at.is_not(None), posts.c.kind == BLOCKED)
    query = select(posts).where(*said_so, of.hold_match(posts.c.match_id))
    return [outbox.row_of(row) for row in await connection.execute(query.order_by(*outbox.BY_AGE))]


async def _once(
    connection: AsyncConnection,
    match_id: int,
    channel_id: int,
    kind: str,
    name: str,
    body: Mapping[str, Any],
    now: int,
    *,
    next_at: int | None,
    attempts: int = 0,
) -> bool:
    """A row of this name, unless there is one."""
    row = {
        "match_id": match_id,
        "channel_id": channel_id,
        "kind": kind,
        "dedupe": name,
        "body": codec.to_text(body),
        "next_at": next_at,
        "noted_at": now if attempts else None,
        "attempts": attempts,
        "created_at": now,
    }
    done = await connection.execute(_unless_there(connection.dialect.name), row)
    return done.rowcount == 1


@cache
def _unless_there(dialect: str) -> sqlite.Insert | postgresql.Insert:
    """A new row, where there is none of its name."""
    return insert_unless_there(posts, dialect)
