"""What waits to be said in public. Rows are written with the act they tell of and sent after it."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Integer,
    Row,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import codec
from data.store.posts import BLOCKED, BOARD, RECALL, REFUSED, REMOVE, SHRINK, TURN, OutboxRow, Post
from data.store.tables import matches, outbox
from data.store.values import Head

_APART: Final = (BLOCKED, BOARD, RECALL, REMOVE, SHRINK)
"""Kinds that nobody reads: they keep no other post waiting, and wait for none."""

LEASE: Final = 25_000
"""For so many ms a post is of whoever has taken it. After that it stands in its channel, or will never."""

# Run with every move: making a statement costs several times what running it does.
_MINE: Final = (outbox.c.match_id == bindparam("match"), outbox.c.kind == TURN, outbox.c.next_at.is_not(None))
_UNSENT: Final = and_(outbox.c.kind == TURN, outbox.c.next_at.is_not(None), outbox.c.attempts == 0)
_PASSING: Final = and_(outbox.c.kind == REMOVE, outbox.c.next_at.is_(None))
_END_TURN: Final = (
    update(outbox)
    .where(outbox.c.match_id == bindparam("match"), or_(_UNSENT, _PASSING))
    .values(next_at=case((outbox.c.kind == REMOVE, bindparam("now", type_=BigInteger)), else_=None))
)
_RECALL_TURNS: Final = (
    update(outbox)
    .where(*_MINE)
    .values(
        kind=RECALL,
        next_at=case((outbox.c.next_at < bindparam("soon"), outbox.c.next_at), else_=bindparam("soon")),
    )
)
_TAKE: Final = (
    update(outbox)
    .where(
        outbox.c.id == bindparam("row"),
        outbox.c.kind == bindparam("was_kind"),
        outbox.c.next_at == bindparam("was_next"),
        outbox.c.attempts == bindparam("was_tried"),
    )
    .values(next_at=bindparam("until"), attempts=bindparam("tried"))
)
_CALLED: Final = (
    update(outbox)
    .where(outbox.c.id == bindparam("row"), outbox.c.kind == TURN, outbox.c.next_at.is_not(None))
    .values(next_at=None, message_id=bindparam("message"))
)
_NAMED: Final = select(outbox).where(outbox.c.dedupe == bindparam("name"), outbox.c.next_at <= bindparam("now"))
_GONE: Final = delete(outbox).where(outbox.c.id == bindparam("row"))
_RETIRED: Final = delete(outbox).where(outbox.c.dedupe == bindparam("name"))
_CHANNEL: Final = select(matches.c.channel_id).where(matches.c.match_id == bindparam("match"))
_BOARD_CHANNEL: Final = _CHANNEL.where(
    matches.c.board_message_id.is_not_distinct_from(bindparam("board"))
).with_for_update()


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


async def end_turn(connection: AsyncConnection, match_id: int, now: int) -> None:
    """Calls to move that were not sent yet are worthless now, and messages that were good for this turn are to go.

    A call that somebody has taken may be sent at this moment, or may have been by somebody who died of it. When nobody
    sends it any more, it is looked for.
    """
    await connection.execute(_END_TURN, {"match": match_id, "now": now})
    await connection.execute(_RECALL_TURNS, {"match": match_id, "soon": now + LEASE})


async def withdraw(connection: AsyncConnection, match_id: int, kinds: Sequence[str]) -> None:
    """Posts of these kinds that wait are worthless now."""
    if kinds:
        waiting = (outbox.c.match_id == match_id, outbox.c.kind.in_(kinds), outbox.c.next_at.is_not(None))
        await connection.execute(update(outbox).where(*waiting).values(next_at=None))


async def take(connection: AsyncConnection, row: OutboxRow, until: int) -> bool:
    """Only the caller deals with this post until then. False where somebody else does, or has: leave it alone."""
    as_it_was = {"row": row.id, "was_kind": row.kind, "was_next": row.next_at, "was_tried": row.attempts}
    done = await connection.execute(_TAKE, {**as_it_was, "until": until, "tried": row.attempts + 1})
    return done.rowcount == 1


async def due(connection: AsyncConnection, now: int, limit: int, match_id: int | None) -> list[OutboxRow]:
    """What should be sent now, oldest first. A post waits behind an earlier one of its match that was put off.

    Of all matches, those whose channel is closed to the bot are left out; one that is named may be tried.
    """
    given = {"now": now, "most": limit} if match_id is None else {"now": now, "most": limit, "match": match_id}
    return [_row(row) for row in await connection.execute(_due(named=match_id is not None), given)]


@cache
def _due(*, named: bool) -> Select[Any]:
    earlier, closed = outbox.alias("earlier"), outbox.alias("closed")
    put_off = exists().where(
        earlier.c.match_id == outbox.c.match_id,
        earlier.c.id < outbox.c.id,
        earlier.c.next_at > bindparam("now"),
        earlier.c.attempts > 0,
        earlier.c.kind.not_in(_APART),
    )
    query = select(outbox).where(
        outbox.c.next_at <= bindparam("now"), outbox.c.kind != BLOCKED, or_(~put_off, outbox.c.kind.in_(_APART))
    )
    if named:
        query = query.where(outbox.c.match_id == bindparam("match"))
    else:
        query = query.where(~exists().where(closed.c.match_id == outbox.c.match_id, closed.c.kind == BLOCKED))
    return query.order_by(outbox.c.id).limit(bindparam("most", type_=Integer))


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
    done = await connection.execute(_CALLED, {"row": row.id, "message": message_id})
    if done.rowcount == 1:
        return True
    known = (await connection.execute(select(outbox.c.message_id).where(outbox.c.id == row.id))).scalar_one_or_none()
    return None if known == message_id else False


async def put_off(connection: AsyncConnection, row_id: int, next_at: int) -> None:
    """It could not be sent; try again at `next_at`. Nothing happens to one that was sent or dropped meanwhile."""
    await connection.execute(
        update(outbox).where(outbox.c.id == row_id, outbox.c.next_at.is_not(None)).values(next_at=next_at)
    )


async def drop(connection: AsyncConnection, row: OutboxRow) -> None:
    """It will never be sent. A call that became one to look for meanwhile is still looked for."""
    as_it_was = (outbox.c.id == row.id, outbox.c.kind == row.kind)
    await connection.execute(update(outbox).where(*as_it_was).values(next_at=None))


async def refuse(connection: AsyncConnection, row: OutboxRow, code: int) -> None:
    """Discord does not take it, for its reason `code`: it will never be sent."""
    body = codec.to_text({"kind": row.kind, "code": code})
    as_it_was = (outbox.c.id == row.id, outbox.c.kind == row.kind)
    await connection.execute(update(outbox).where(*as_it_was).values(kind=REFUSED, next_at=None, body=body))


async def drop_all(connection: AsyncConnection, match_id: int) -> None:
    """Nothing of a match will be sent, and nobody tries to."""
    await connection.execute(delete(outbox).where(outbox.c.match_id == match_id, outbox.c.next_at.is_not(None)))


# -- messages that have had their time


async def standing(connection: AsyncConnection, match_id: int, kind: str) -> list[OutboxRow]:
    """The posts of this kind that stand in a channel, oldest first."""
    sent_ones = (outbox.c.match_id == match_id, outbox.c.kind == kind, outbox.c.message_id.is_not(None))
    return [_row(row) for row in await connection.execute(select(outbox).where(*sent_ones).order_by(outbox.c.id))]


async def over(connection: AsyncConnection, row: OutboxRow) -> None:
    """A post that was sent has had its time: nobody looks for its message any more."""
    await connection.execute(delete(outbox).where(outbox.c.id == row.id))


async def retire(connection: AsyncConnection, match_id: int, kind: str, message_id: int, now: int) -> None:
    """A message of the match is to be deleted, or shrunk (`kind`). That stands here until it is done."""
    channel_id = (await connection.execute(_CHANNEL, {"match": match_id})).scalar_one()
    name = f"old-{message_id:x}"
    await _once(connection, match_id, channel_id, kind, name, {"message": message_id}, now, next_at=now)


async def passing(connection: AsyncConnection, row: OutboxRow, message_id: int, now: int) -> None:
    """The message of this post is good for the running turn only: it is to be deleted when that ends."""
    body = {"message": message_id}
    await _once(connection, row.match_id, row.channel_id, REMOVE, f"old-{message_id:x}", body, now, next_at=None)


async def retired(connection: AsyncConnection, message_id: int) -> None:
    """It is done."""
    await connection.execute(_RETIRED, {"name": f"old-{message_id:x}"})


# -- boards


async def take_board(connection: AsyncConnection, head: Head, nonce: str, now: int, until: int) -> OutboxRow | None:
    """The caller edits or posts the board of this match, until then at most. None while somebody else does, or where
    another message is its board by now.

    Where the row was taken before (`attempts`), a message with the nonce in its body may stand in the channel.
    """
    mine = {"match": head.match_id, "board": head.board_message_id}
    channel_id = (await connection.execute(_BOARD_CHANNEL, mine)).scalar()
    if channel_id is None:
        return None
    name = f"board-{head.match_id:x}"
    await _once(connection, head.match_id, channel_id, BOARD, name, {"nonce": nonce}, now, next_at=now)
    found = (await connection.execute(_NAMED, {"name": name, "now": now})).first()
    row = None if found is None else _row(found)
    return row if row is not None and await take(connection, row, until) else None


async def leave_board(connection: AsyncConnection, row: OutboxRow) -> None:
    """The board is shown, and nobody is at it any more."""
    await connection.execute(_GONE, {"row": row.id})


async def refuse_board(connection: AsyncConnection, row: OutboxRow, seq: int, code: int) -> None:
    """Discord does not take the board of this move. The next one is another board."""
    await connection.execute(update(outbox).where(outbox.c.id == row.id).values(dedupe=f"{row.nonce}-{seq:x}"))
    await refuse(connection, row, code)


# -- channels that are closed to the bot


async def block(connection: AsyncConnection, match_id: int, channel_id: int, code: int, now: int) -> bool:
    """The channel of a match cannot be written to, for Discord's reason `code`. False when that was known."""
    name = f"blocked-{match_id:x}"
    return await _once(connection, match_id, channel_id, BLOCKED, name, {"code": code}, now, next_at=now)


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
    *,
    next_at: int | None,
) -> bool:
    """A row of this name, unless there is one."""
    row = {
        "match_id": match_id,
        "channel_id": channel_id,
        "kind": kind,
        "dedupe": name,
        "body": codec.to_text(body),
        "next_at": next_at,
        "attempts": 0,
        "created_at": now,
    }
    done = await connection.execute(_unless_there(connection.dialect.name), row)
    return done.rowcount == 1


@cache
def _unless_there(dialect: str) -> sqlite.Insert | postgresql.Insert:
    """A new row, where there is none of its name."""
    new = postgresql.insert(outbox) if dialect == "postgresql" else sqlite.insert(outbox)
    return new.on_conflict_do_nothing(index_elements=["dedupe"])


# -- what nobody needs any more


async def prune(connection: AsyncConnection, before: int, limit: int) -> int:
    """Forget posts from before this time that were sent or dropped; looks at the `limit` oldest, returns how many went.

    Rows are numbered in the order they were made, so the oldest are found without an index on time.
    """
    oldest = select(outbox.c.id, outbox.c.next_at, outbox.c.created_at).order_by(outbox.c.id).limit(limit).subquery()
    gone = select(oldest.c.id).where(oldest.c.next_at.is_(None), oldest.c.created_at < before)
    return (await connection.execute(delete(outbox).where(outbox.c.id.in_(gone)))).rowcount
