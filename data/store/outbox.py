"""What waits to be said in public. Rows are written with the act they tell of and sent after it."""

from collections.abc import Sequence

from sqlalchemy import exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import codec
from data.store.tables import outbox
from data.store.values import TURN, Head, OutboxRow, Post


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


async def drop_turns(connection: AsyncConnection, match_id: int) -> None:
    """Calls to move that were not sent yet are worthless now."""
    await connection.execute(
        update(outbox)
        .where(outbox.c.match_id == match_id, outbox.c.kind == TURN, outbox.c.next_at.is_not(None))
        .values(next_at=None)
    )


async def due(connection: AsyncConnection, now: int, limit: int, match_id: int | None) -> list[OutboxRow]:
    """What should be sent now, oldest first. A post waits behind an earlier one of its match that was put off."""
    earlier = outbox.alias("earlier")
    blocked = exists().where(
        earlier.c.match_id == outbox.c.match_id,
        earlier.c.id < outbox.c.id,
        earlier.c.next_at > now,
        earlier.c.attempts > 0,
    )
    query = select(outbox).where(outbox.c.next_at <= now, ~blocked).order_by(outbox.c.id).limit(limit)
    if match_id is not None:
        query = query.where(outbox.c.match_id == match_id)
    return [
        OutboxRow(
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
        for row in await connection.execute(query)
    ]


async def sent(connection: AsyncConnection, row_id: int, message_id: int) -> None:
    """It stands in the channel as this message."""
    await connection.execute(update(outbox).where(outbox.c.id == row_id).values(next_at=None, message_id=message_id))


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
