"""What waits to be said in public. Rows are written with the act they tell of and sent after it."""

from collections.abc import Sequence
from functools import lru_cache
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
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.json_text import to_mapping, to_text
from data.store.connection.shards import Shards
from data.store.connection.tables import aside, matches, outbox
from data.store.log.match_values import Head
from data.store.outbox.outbox_values import ALERT, BLOCKED, BOARD, PASSING, RECALL, REFUSED, REMOVE, SHRINK, OutboxRow
from engine.table.table_events import SKEW
from engine.table.table_posts import ABSENCE, ASIDE, LAPSES, QUESTION, TURN, Post
from engine.table.table_state import RUNNING

_APART: Final = (ALERT, BLOCKED, BOARD, RECALL, REMOVE, SHRINK)
"""Kinds that nobody reads: they keep no other post waiting, and wait for none."""

PLAIN: Final = (ASIDE, RECALL, REMOVE, SHRINK)
"""Kinds for which nobody needs to know how the table stands: of one that is set aside they alone are dealt with."""

IN_ORDER: Final = (outbox.c.seq, outbox.c.number)
"""The order in which the posts of a match are said: that of the acts they tell of, whatever the clocks said."""

BY_AGE: Final = (outbox.c.created_at + 0, outbox.c.match_id, *IN_ORDER)
"""The order in which posts of several matches are looked at. By the bare `created_at` SQLite would walk through all
posts of all time, so as not to sort the few that wait, which an index finds.
"""

LEASE: Final = 25_000
"""For so many ms a post is of whoever has taken it. After that it stands in its channel, or will never."""

DIVISIONS: Final = 64
"""So many statements are remembered, one for each set of shards that was asked for."""

# Run with every move: making a statement costs several times what running it does.
_ADDED: Final = insert(outbox)

_CALLING: Final = and_(outbox.c.kind == TURN, outbox.c.next_at.is_not(None))

_BEGUN: Final = and_(outbox.c.kind.in_(PASSING), outbox.c.next_at.is_not(None), outbox.c.attempts > 0)

_PASSING: Final = and_(outbox.c.kind == REMOVE, outbox.c.next_at.is_(None))

_STANDING: Final = and_(outbox.c.kind.in_((QUESTION, ABSENCE)), outbox.c.message_id.is_not(None))

_SOON: Final = bindparam("soon", type_=BigInteger)

_END_TURN: Final = (
    update(outbox)
    .where(outbox.c.match_id == bindparam("match"), or_(_CALLING, _BEGUN, _PASSING))
    .values(
        kind=case((_BEGUN, RECALL), (and_(_CALLING, outbox.c.attempts > 0), RECALL), else_=outbox.c.kind),
        next_at=case(
            (_PASSING, bindparam("now", type_=BigInteger)),
            (outbox.c.attempts == 0, None),
            (outbox.c.next_at < _SOON, outbox.c.next_at),
            else_=_SOON,
        ),
    )
)

_SUPERSEDED: Final = (
    update(outbox)
    .where(outbox.c.match_id == bindparam("match"), outbox.c.kind == ASIDE, outbox.c.next_at.is_not(None))
    .values(
        kind=case((outbox.c.attempts > 0, RECALL), else_=outbox.c.kind),
        next_at=case((outbox.c.attempts == 0, None), (outbox.c.next_at < _SOON, outbox.c.next_at), else_=_SOON),
    )
)

_TAKE: Final = (
    update(outbox)
    .where(
        outbox.c.dedupe == bindparam("row"),
        outbox.c.kind == bindparam("was_kind"),
        outbox.c.next_at == bindparam("was_next"),
        outbox.c.attempts == bindparam("was_tried"),
    )
    .values(next_at=bindparam("until"), noted_at=bindparam("now"), attempts=bindparam("tried"))
)

_SENT: Final = (
    update(outbox)
    .where(outbox.c.dedupe == bindparam("row"), outbox.c.kind != RECALL)
    .values(next_at=None, message_id=bindparam("message"), channel_id=bindparam("channel"))
)

_CALLED: Final = (
    update(outbox)
    .where(outbox.c.dedupe == bindparam("row"), outbox.c.kind == TURN, outbox.c.next_at.is_not(None))
    .values(next_at=None, message_id=bindparam("message"))
)


async def queue(connection: AsyncConnection, head: Head, posts: Sequence[Post], now: int) -> None:
    """Queue the posts of the act that brought the match to this head."""
    rows = [
        {
            "match_id": head.match_id,
            "seq": head.seq,
            "number": number,
            "channel_id": head.channel_id if post.channel_id is None else post.channel_id,
            "kind": post.kind,
            "dedupe": nonce(head, number),
            "body": to_text(post.body),
            "next_at": now if post.at is None else post.at,
            "attempts": 0,
            "created_at": now,
        }
        for number, post in enumerate(posts)
    ]
    if any(post.kind == ASIDE for post in posts):
        await supersede_quarantine(connection, head.match_id, now)
    if rows:
        await connection.execute(_ADDED, rows)


async def supersede_quarantine(connection: AsyncConnection, match_id: int, now: int) -> None:
    """There is news of a match that was set aside: what waits to be told of that is told no more, and looked for where
    somebody may have sent it.
    """
    await connection.execute(_SUPERSEDED, {"match": match_id, "soon": now + LEASE})


def nonce(head: Head, number: int) -> str:
    """A name for one post that no other post ever has, in the 25 characters that Discord allows.

    A match reaches a seq once. The second it was opened keeps apart two databases of one bot.
    """
    return f"{head.match_id:x}-{head.seq:x}-{number:x}-{head.created_at // 1000:x}"


async def end_turn(connection: AsyncConnection, match_id: int, now: int) -> None:
    """Calls to move that were not sent yet are worthless now, and messages that were good for this turn are to go.

    One of either kind that somebody has taken may be sent at this moment, or may have been by somebody who died of it.
    When nobody sends it any more, it is looked for.
    """
    await connection.execute(_END_TURN, {"match": match_id, "now": now, "soon": now + LEASE})


async def withdraw(connection: AsyncConnection, match_id: int, kinds: Sequence[str], now: int) -> None:
    """Posts of these kinds that wait are worthless now; what may have been sent for one turn is looked for."""
    if kinds:
        waiting = (outbox.c.match_id == match_id, outbox.c.kind.in_(kinds), outbox.c.next_at.is_not(None))
        looked_for = {
            "kind": case((_BEGUN, RECALL), else_=outbox.c.kind),
            "next_at": case((_BEGUN, bindparam("soon", now + LEASE, type_=BigInteger)), else_=None),
        }
        await connection.execute(update(outbox).where(*waiting).values(looked_for))


async def take(connection: AsyncConnection, row: OutboxRow, now: int, until: int) -> bool:
    """Only the caller deals with this post until then. False where somebody else does, or has: leave it alone."""
    as_it_was = {"row": row.nonce, "was_kind": row.kind, "was_next": row.next_at, "was_tried": row.attempts}
    done = await connection.execute(_TAKE, {**as_it_was, "now": now, "until": until, "tried": row.attempts + 1})
    return done.rowcount == 1


async def keep(connection: AsyncConnection, row: OutboxRow, now: int) -> bool:
    """Whoever has taken this post deals with it still, as long again. False where somebody else does by now, or has.

    A call that has become one to look for meanwhile is looked for after that: it may be about to arrive.
    """
    mine = (outbox.c.dedupe == row.nonce, outbox.c.attempts == row.attempts + 1, outbox.c.next_at.is_not(None))
    longer = update(outbox).where(*mine).values(next_at=now + LEASE, noted_at=now)
    return (await connection.execute(longer)).rowcount == 1


async def to_send(
    connection: AsyncConnection, now: int, limit: int, match_id: int | None, of: Shards
) -> list[OutboxRow]:
    """What should be sent now, oldest first. A post waits behind an earlier one of its match that was put off.

    Of all matches of these shards, those whose channel is closed to the bot are left out; one that is named may be
    tried.
    """
    given = {"now": now, "most": limit} if match_id is None else {"now": now, "most": limit, "match": match_id}
    return [row_of(row) for row in await connection.execute(_due(of, named=match_id is not None), given)]


@lru_cache(DIVISIONS)
def _due(of: Shards, *, named: bool) -> Select[Any]:
    earlier, closed = outbox.alias("earlier"), outbox.alias("closed")
    put_off = exists().where(
        earlier.c.match_id == outbox.c.match_id,
        tuple_(earlier.c.seq, earlier.c.number) < tuple_(*IN_ORDER),
        earlier.c.next_at > bindparam("now"),
        earlier.c.attempts > 0,
        earlier.c.kind.not_in(_APART),
    )
    query = select(outbox).where(
        outbox.c.next_at <= bindparam("now"),
        outbox.c.kind.not_in((ALERT, BLOCKED)),
        or_(~put_off, outbox.c.kind.in_(_APART)),
        or_(outbox.c.kind.in_(PLAIN), outbox.c.match_id.not_in(select(aside.c.match_id))),
    )
    if named:
        query = query.where(outbox.c.match_id == bindparam("match"))
    else:
        query = query.where(
            ~exists().where(closed.c.match_id == outbox.c.match_id, closed.c.kind == BLOCKED),
            of.hold_match(outbox.c.match_id),
        )
    return query.order_by(*(IN_ORDER if named else BY_AGE)).limit(bindparam("most", type_=Integer))


def row_of(row: Row[Any]) -> OutboxRow:
    return OutboxRow(
        match_id=row.match_id,
        channel_id=row.channel_id,
        kind=row.kind,
        nonce=row.dedupe,
        body=to_mapping(row.body),
        attempts=row.attempts,
        created_at=row.created_at,
        next_at=row.next_at,
        message_id=row.message_id,
    )


async def sent(connection: AsyncConnection, row: OutboxRow, message_id: int) -> bool:
    """It stands in the channel of this row as this message. False where it lost its sense meanwhile: it is still looked
    for.
    """
    noted = {"row": row.nonce, "message": message_id, "channel": row.channel_id}
    return (await connection.execute(_SENT, noted)).rowcount == 1


async def called(connection: AsyncConnection, row: OutboxRow, message_id: int) -> bool | None:
    """The call of this row stands in the channel as this message. None where somebody else has noted just that, False
    where the call has lost its sense meanwhile: then nobody else knows of the message.
    """
    done = await connection.execute(_CALLED, {"row": row.nonce, "message": message_id})
    if done.rowcount == 1:
        return True
    known = select(outbox.c.message_id).where(outbox.c.dedupe == row.nonce)
    return None if (await connection.execute(known)).scalar_one_or_none() == message_id else False


async def put_off(connection: AsyncConnection, row: OutboxRow, now: int, next_at: int) -> None:
    """It could not be sent; try again at `next_at`. Nothing happens to one that was sent or dropped meanwhile."""
    waiting = update(outbox).where(outbox.c.dedupe == row.nonce, outbox.c.next_at.is_not(None))
    await connection.execute(waiting.values(next_at=next_at, noted_at=now))


async def drop(connection: AsyncConnection, row: OutboxRow) -> None:
    """It will never be sent. A call that became one to look for meanwhile is still looked for."""
    as_it_was = (outbox.c.dedupe == row.nonce, outbox.c.kind == row.kind)
    await connection.execute(update(outbox).where(*as_it_was).values(next_at=None))


async def refuse(connection: AsyncConnection, row: OutboxRow, code: int) -> None:
    """Discord does not take it, for its reason `code`: it will never be sent."""
    body = to_text({"kind": row.kind, "code": code})
    as_it_was = (outbox.c.dedupe == row.nonce, outbox.c.kind == row.kind)
    await connection.execute(update(outbox).where(*as_it_was).values(kind=REFUSED, next_at=None, body=body))


async def drop_all(connection: AsyncConnection, match_id: int) -> None:
    """Nothing of a match will be sent, and nobody tries to."""
    await connection.execute(delete(outbox).where(outbox.c.match_id == match_id, outbox.c.next_at.is_not(None)))


async def prune(connection: AsyncConnection, before: int, limit: int) -> int:
    """Forget posts from before this time that were sent or dropped, the `limit` oldest of those; returns how many went.
    However many older ones still wait, they hide nothing. Nor do messages that a match which goes on is still to delete
    or to change.
    """
    going_on = exists().where(matches.c.match_id == outbox.c.match_id, matches.c.state.in_(RUNNING))
    needed = and_(or_(_PASSING, _STANDING), going_on)
    dealt_with = select(outbox.c.dedupe).where(outbox.c.created_at < before, outbox.c.next_at.is_(None), ~needed)
    oldest = dealt_with.order_by(outbox.c.created_at).limit(limit)
    return (await connection.execute(delete(outbox).where(outbox.c.dedupe.in_(oldest)))).rowcount


_NOW: Final = bindparam("now", type_=BigInteger)

_FOLLOWING: Final = outbox.c.next_at > _NOW + SKEW
"""An index leads to what lies ahead: sweeps look for it often."""

_TRIED: Final = outbox.c.noted_at > _NOW + SKEW

# A question lapses by its own time, which stands in the log.
_UNTRIED: Final = and_(outbox.c.noted_at.is_(None), outbox.c.created_at > _NOW + SKEW, outbox.c.kind != LAPSES)

_AHEAD: Final = select(outbox.c.dedupe).where(_FOLLOWING, or_(_TRIED, _UNTRIED)).limit(1)

_BROUGHT_BACK: Final = (
    update(outbox)
    .where(_FOLLOWING, or_(_TRIED, _UNTRIED))
    .values(
        # Whoever took it may still be at it. What nobody has taken waits as long as it was to when it was written.
        next_at=case((_TRIED, _SOON), else_=outbox.c.next_at - outbox.c.created_at + _NOW),
        created_at=case((_TRIED, outbox.c.created_at), else_=_NOW),
        noted_at=case((_TRIED, _NOW), else_=outbox.c.noted_at),
    )
)


async def is_ahead(connection: AsyncConnection, now: int) -> bool:
    """Whether a post waits because of a clock that was ahead."""
    return (await connection.execute(_AHEAD, {"now": now})).first() is not None


async def bring_back(connection: AsyncConnection, now: int) -> int:
    """Let each of them be taken up as soon as whoever may be at it must have ended; returns how many there were."""
    done = await connection.execute(_BROUGHT_BACK, {"now": now, "soon": now + LEASE})
    return done.rowcount
