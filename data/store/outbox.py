"""What waits to be said in public. Rows are written with the act they tell of and sent after it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row, delete, exists, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import codec
from data.store.tables import matches, outbox
from data.store.values import BLOCKED, RECALL, REMOVE, SHRINK, TURN, Head, OutboxRow, Post

_APART: Final = (BLOCKED, RECALL, REMOVE, SHRINK)
"""Kinds that nobody reads: they keep no other post waiting."""

UNDER_WAY: Final = 10_000
"""After so many ms a message that was being sent is there, or will never be."""


async def add(connection: AsyncConnection, head: Head, posts: Sequence[Post], now: int) -> None:
    """Queue the posts of the act that brought the match to this head."""
    rows = [
        {
            "match_id": head.match_id,
            "channel_id": head.channel_id if post.channel_id is None else post.channel_id,
            "kind": post.kind,
            "dedupe": nonce(head, number),
            "body": codec.to_text(post.body),
            "next_at": now if post.at is None else post.at,
            "attempts": 0,
            "created_at": now,
        }
        for number, post in enumerate(posts)
    ]
    if rows:
        await connection.execute(insert(outbox), rows)


def nonce(head: Head, number: int) -> str:
    """A name for one post that no other post ever has, in the 25 characters that Discord allows.

    A match reaches a seq once. The second it was opened keeps apart two databases of one bot.
    """
    return f"{head.match_id:x}-{head.seq:x}-{number:x}-{head.created_at // 1000:x}"


async def drop_turns(connection: AsyncConnection, match_id: int, now: int) -> None:
    """Calls to move that were not sent yet are worthless now. One may have been sent by somebody who died of it."""
    await connection.execute(
        update(outbox)
        .where(outbox.c.match_id == match_id, outbox.c.kind == TURN, outbox.c.next_at.is_not(None))
        .values(kind=RECALL, next_at=now + UNDER_WAY)
    )


async def due(connection: AsyncConnection, now: int, limit: int, match_id: int | None) -> list[OutboxRow]:
    """What should be sent now, oldest first. A post waits behind an earlier one of its match that was put off.

    Of all matches, those whose channel is closed to the bot are left out; one that is named may be tried.
    """
    earlier, closed = outbox.alias("earlier"), outbox.alias("closed")
    put_off = exists().where(
        earlier.c.match_id == outbox.c.match_id,
        earlier.c.id < outbox.c.id,
        earlier.c.next_at > now,
        earlier.c.attempts > 0,
        earlier.c.kind.not_in(_APART),
    )
    query = select(outbox).where(outbox.c.next_at <= now, outbox.c.kind != BLOCKED, ~put_off)
    if match_id is not None:
        query = query.where(outbox.c.match_id == match_id)
    else:
        query = query.where(~exists().where(closed.c.match_id == outbox.c.match_id, closed.c.kind == BLOCKED))
    return [_row(row) for row in await connection.execute(query.order_by(outbox.c.id).limit(limit))]


def _row(row: Row[Any]) -> OutboxRow:
    return OutboxRow(
        id=row.id,
        match_id=row.match_id,
        channel_id=row.channel_id,
        kind=row.kind,
        nonce=row.dedupe,
        body=codec.to_mapping(row.body),
        attempts=row.attempts,
        created_at=row.created_at,
        next_at=row.next_at,
        message_id=row.message_id,
    )


async def sent(connection: AsyncConnection, row_id: int, message_id: int) -> None:
    """It stands in the channel as this message."""
    await connection.execute(update(outbox).where(outbox.c.id == row_id).values(next_at=None, message_id=message_id))


async def called(connection: AsyncConnection, row: OutboxRow, message_id: int) -> bool | None:
    """The call of this row stands in the channel as this message. None where somebody else has noted just that, False
    where the call has lost its sense meanwhile: then nobody else knows of the message.
    """
    mine = outbox.c.id == row.id
    done = await connection.execute(
        update(outbox)
        .where(mine, outbox.c.kind == TURN, outbox.c.next_at.is_not(None))
        .values(next_at=None, message_id=message_id)
    )
    if done.rowcount == 1:
        return True
    known = (await connection.execute(select(outbox.c.message_id).where(mine))).scalar_one_or_none()
    return None if known == message_id else False


async def put_off(connection: AsyncConnection, row_id: int, next_at: int) -> None:
    """It could not be sent; try again at `next_at`. Nothing happens to one that was sent or dropped meanwhile."""
    await connection.execute(
        update(outbox)
        .where(outbox.c.id == row_id, outbox.c.next_at.is_not(None))
        .values(next_at=next_at, attempts=outbox.c.attempts + 1)
    )


async def drop(connection: AsyncConnection, row_id: int) -> None:
    """It will never be sent."""
    await connection.execute(update(outbox).where(outbox.c.id == row_id).values(next_at=None))


async def drop_all(connection: AsyncConnection, match_id: int) -> None:
    """Nothing of a match will be sent, and nobody tries to."""
    await connection.execute(delete(outbox).where(outbox.c.match_id == match_id, outbox.c.next_at.is_not(None)))


# -- messages that have had their time


async def retire(connection: AsyncConnection, match_id: int, kind: str, message_id: int, now: int) -> None:
    """A message of the match is to be deleted, or shrunk (`kind`). That stands here until it is done."""
    head = matches.c.match_id == match_id
    channel_id = (await connection.execute(select(matches.c.channel_id).where(head))).scalar_one()
    await _once(connection, match_id, channel_id, kind, f"old-{message_id:x}", {"message": message_id}, now)


async def retired(connection: AsyncConnection, message_id: int) -> None:
    """It is done."""
    await connection.execute(delete(outbox).where(outbox.c.dedupe == f"old-{message_id:x}"))


# -- channels that are closed to the bot


async def block(connection: AsyncConnection, match_id: int, channel_id: int, code: int, now: int) -> bool:
    """The channel of a match cannot be written to, for Discord's reason `code`. False when that was known."""
    return await _once(connection, match_id, channel_id, BLOCKED, f"blocked-{match_id:x}", {"code": code}, now)


async def unblock(connection: AsyncConnection, match_id: int) -> None:
    """It can be written to, or the match has another one."""
    await connection.execute(delete(outbox).where(outbox.c.dedupe == f"blocked-{match_id:x}"))


async def blocked(connection: AsyncConnection) -> list[OutboxRow]:
    """The matches whose channel is closed to the bot. `next_at` is when something is to be done about it."""
    # The index holds the rows with a `next_at`, which are few: those that were sent have none.
    query = select(outbox).where(outbox.c.next_at.is_not(None), outbox.c.kind == BLOCKED)
    return [_row(row) for row in await connection.execute(query.order_by(outbox.c.id))]


async def _once(
    connection: AsyncConnection,
    match_id: int,
    channel_id: int,
    kind: str,
    name: str,
    body: Mapping[str, Any],
    now: int,
) -> bool:
    """A row of this name, unless there is one."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    row = dialect.insert(outbox).values(
        match_id=match_id,
        channel_id=channel_id,
        kind=kind,
        dedupe=name,
        body=codec.to_text(body),
        next_at=now,
        attempts=0,
        created_at=now,
    )
    done = await connection.execute(row.on_conflict_do_nothing(index_elements=["dedupe"]))
    return done.rowcount == 1


# -- what nobody needs any more


async def prune(connection: AsyncConnection, before: int, limit: int) -> int:
    """Forget posts from before this time that were sent or dropped; looks at the `limit` oldest, returns how many went.

    Rows are numbered in the order they were made, so the oldest are found without an index on time.
    """
    oldest = select(outbox.c.id, outbox.c.next_at, outbox.c.created_at).order_by(outbox.c.id).limit(limit).subquery()
    gone = select(oldest.c.id).where(oldest.c.next_at.is_(None), oldest.c.created_at < before)
    return (await connection.execute(delete(outbox).where(outbox.c.id.in_(gone)))).rowcount
