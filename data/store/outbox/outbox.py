"""The outbox: posts are written with the event that causes them, and sent after it."""

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

from data.store.connection.bodies import read_mapping, register_body
from data.store.connection.schema import to_mapping, to_text, to_value
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.tables import aside, matches, outbox
from data.store.log.match_values import Head
from data.store.outbox.outbox_values import (
    ALERT,
    BLOCKED,
    BOARD,
    RECALL,
    REFUSED,
    REMOVE,
    SHRINK,
    TURN_KINDS,
    OutboxRow,
)
from engine.table.table_events import CLOCK_SKEW
from engine.table.table_posts import ABSENCE, QUARANTINE, QUESTION, QUESTION_EXPIRED, TURN, Post
from engine.table.table_state import RUNNING

_INTERNAL_KINDS: Final = (ALERT, BLOCKED, BOARD, RECALL, REMOVE, SHRINK)
"""Kinds that no user reads: they block no post and wait for none."""
STANDALONE_KINDS: Final = (QUARANTINE, RECALL, REMOVE, SHRINK)
"""Kinds that do not depend on the table: only these are handled for a quarantined match."""
IN_ORDER: Final = (outbox.c.seq, outbox.c.number)
"""The order of the posts of a match: that of its events, not of the clocks."""
BY_AGE: Final = (outbox.c.created_at + 0, outbox.c.match_id, *IN_ORDER)
"""The order of the posts of several matches. `+ 0` keeps SQLite from reading all posts by the index of `created_at`."""
LEASE: Final = 25_000
"""Milliseconds of a lease on a post. After that it was sent or never will be."""
QUERY_CACHE_SIZE: Final = 64

# Run with every move: making a statement costs several times as much as running it.
_INSERT: Final = insert(outbox)
_CALLING: Final = and_(outbox.c.kind == TURN, outbox.c.next_at.is_not(None))
_BEGUN: Final = and_(outbox.c.kind.in_(TURN_KINDS), outbox.c.next_at.is_not(None), outbox.c.attempts > 0)
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
    .where(outbox.c.match_id == bindparam("match"), outbox.c.kind == QUARANTINE, outbox.c.next_at.is_not(None))
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
    rows = [
        {
            "match_id": head.match_id,
            "seq": head.seq,
            "number": number,
            "channel_id": head.channel_id if post.channel_id is None else post.channel_id,
            "kind": post.kind,
            "dedupe": build_nonce(head, number),
            "body": to_text(post.body),
            "next_at": now if post.at is None else post.at,
            "attempts": 0,
            "created_at": now,
        }
        for number, post in enumerate(posts)
    ]
    if any(post.kind == QUARANTINE for post in posts):
        await supersede_quarantine(connection, head.match_id, now)
    if rows:
        await connection.execute(_INSERT, rows)


async def supersede_quarantine(connection: AsyncConnection, match_id: int, now: int) -> None:
    """Replace unsent posts about a quarantine; recall the ones that may have been sent."""
    await connection.execute(_SUPERSEDED, {"match": match_id, "soon": now + LEASE})


def build_nonce(head: Head, number: int) -> str:
    """Return a unique name for a post, in the 25 characters that Discord allows.

    A match reaches a seq once. The second of its creation separates two databases of one bot.
    """
    return f"{head.match_id:x}-{head.seq:x}-{number:x}-{head.created_at // 1000:x}"


async def end_turn(connection: AsyncConnection, match_id: int, now: int) -> None:
    """Drop unsent calls to move and delete messages for this turn; search for the ones that may have been sent."""
    await connection.execute(_END_TURN, {"match": match_id, "now": now, "soon": now + LEASE})


async def withdraw(connection: AsyncConnection, match_id: int, kinds: Sequence[str], now: int) -> None:
    """Drop unsent posts of these kinds; recall the ones that may have been sent for one turn."""
    if kinds:
        waiting = (outbox.c.match_id == match_id, outbox.c.kind.in_(kinds), outbox.c.next_at.is_not(None))
        recalled = {
            "kind": case((_BEGUN, RECALL), else_=outbox.c.kind),
            "next_at": case((_BEGUN, bindparam("soon", now + LEASE, type_=BigInteger)), else_=None),
        }
        await connection.execute(update(outbox).where(*waiting).values(recalled))


async def lease(connection: AsyncConnection, row: OutboxRow, *, now: int, until: int | None = None) -> bool:
    """Take a lease on a post; False if another process has it or sent it."""
    until = now + LEASE if until is None else until
    expected = {"row": row.nonce, "was_kind": row.kind, "was_next": row.next_at, "was_tried": row.attempts}
    done = await connection.execute(_TAKE, {**expected, "now": now, "until": until, "tried": row.attempts + 1})
    return done.rowcount == 1


async def extend_lease(connection: AsyncConnection, row: OutboxRow, now: int) -> bool:
    """Extend the lease on a post; False if another process has it or sent it.

    A call to move that became a recall waits for the lease: it may arrive at any moment.
    """
    mine = (outbox.c.dedupe == row.nonce, outbox.c.attempts == row.attempts + 1, outbox.c.next_at.is_not(None))
    longer = update(outbox).where(*mine).values(next_at=now + LEASE, noted_at=now)
    return (await connection.execute(longer)).rowcount == 1


async def list_due(
    connection: AsyncConnection, now: int, limit: int, *, match_id: int | None = None, of: Shards = UNSHARDED
) -> list[OutboxRow]:
    """Return due posts, oldest first. A post waits behind an earlier one of its match that was delayed.

    Without `match_id`: posts of these shards, except in channels that the bot cannot write to.
    """
    query = _build_due_query(of, named=match_id is not None)
    rows = await connection.execute(query, {"now": now, "most": limit, "match": match_id})
    return [to_outbox_row(row) for row in rows]


@lru_cache(QUERY_CACHE_SIZE)
def _build_due_query(of: Shards, *, named: bool) -> Select[Any]:
    earlier, closed = outbox.alias("earlier"), outbox.alias("closed")
    put_off = exists().where(
        earlier.c.match_id == outbox.c.match_id,
        tuple_(earlier.c.seq, earlier.c.number) < tuple_(*IN_ORDER),
        earlier.c.next_at > bindparam("now"),
        earlier.c.attempts > 0,
        earlier.c.kind.not_in(_INTERNAL_KINDS),
    )
    query = select(outbox).where(
        outbox.c.next_at <= bindparam("now"),
        outbox.c.kind.not_in((ALERT, BLOCKED)),
        or_(~put_off, outbox.c.kind.in_(_INTERNAL_KINDS)),
        or_(outbox.c.kind.in_(STANDALONE_KINDS), outbox.c.match_id.not_in(select(aside.c.match_id))),
    )
    if named:
        query = query.where(outbox.c.match_id == bindparam("match"))
    else:
        query = query.where(
            ~exists().where(closed.c.match_id == outbox.c.match_id, closed.c.kind == BLOCKED),
            of.build_match_condition(outbox.c.match_id),
        )
    return query.order_by(*(IN_ORDER if named else BY_AGE)).limit(bindparam("most", type_=Integer))


def to_outbox_row(row: Row[Any]) -> OutboxRow:
    # A garbled body is empty, and the post is given up where a part is missing.
    return to_value(OutboxRow, row, nonce=row.dedupe, body=read_mapping(row.body))


register_body(outbox.c.body, lambda row: to_mapping(row.body))


async def note_sent(connection: AsyncConnection, row: OutboxRow, message_id: int) -> bool:
    """Note the message of a post; False if the post became obsolete, so that its message is recalled."""
    noted = {"row": row.nonce, "message": message_id, "channel": row.channel_id}
    return (await connection.execute(_SENT, noted)).rowcount == 1


async def note_call_sent(connection: AsyncConnection, row: OutboxRow, message_id: int) -> bool | None:
    """Note the message of a call to move.

    None if another process has noted the same, False if the call became obsolete, so that its message is unknown.
    """
    done = await connection.execute(_CALLED, {"row": row.nonce, "message": message_id})
    if done.rowcount == 1:
        return True
    known = select(outbox.c.message_id).where(outbox.c.dedupe == row.nonce)
    return None if await connection.scalar(known) == message_id else False


async def postpone(connection: AsyncConnection, row: OutboxRow, next_at: int, *, now: int) -> None:
    """Postpone a post, unless it was sent or dropped."""
    waiting = update(outbox).where(outbox.c.dedupe == row.nonce, outbox.c.next_at.is_not(None))
    await connection.execute(waiting.values(next_at=next_at, noted_at=now))


async def drop(connection: AsyncConnection, row: OutboxRow) -> None:
    """Drop a post. A call to move that became a recall stays."""
    expected = (outbox.c.dedupe == row.nonce, outbox.c.kind == row.kind)
    await connection.execute(update(outbox).where(*expected).values(next_at=None))


async def refuse(connection: AsyncConnection, row: OutboxRow, code: int) -> None:
    body = to_text({"kind": row.kind, "code": code})
    expected = (outbox.c.dedupe == row.nonce, outbox.c.kind == row.kind)
    await connection.execute(update(outbox).where(*expected).values(kind=REFUSED, next_at=None, body=body))


async def prune(connection: AsyncConnection, before: int, limit: int) -> int:
    """Delete old posts that were sent or dropped, except messages that a running match will edit; return how many."""
    is_running = exists().where(matches.c.match_id == outbox.c.match_id, matches.c.state.in_(RUNNING))
    needed = and_(or_(_PASSING, _STANDING), is_running)
    finished = select(outbox.c.dedupe).where(outbox.c.created_at < before, outbox.c.next_at.is_(None), ~needed)
    oldest = finished.order_by(outbox.c.created_at).limit(limit)
    return (await connection.execute(delete(outbox).where(outbox.c.dedupe.in_(oldest)))).rowcount


_NOW: Final = bindparam("now", type_=BigInteger)
_FOLLOWING: Final = outbox.c.next_at > _NOW + CLOCK_SKEW
"""Redundant, but indexed: the sweeper runs this often."""
_TRIED: Final = outbox.c.noted_at > _NOW + CLOCK_SKEW

# A question expires by the time in the log.
_UNTRIED: Final = and_(
    outbox.c.noted_at.is_(None), outbox.c.created_at > _NOW + CLOCK_SKEW, outbox.c.kind != QUESTION_EXPIRED
)
_AHEAD: Final = select(outbox.c.dedupe).where(_FOLLOWING, or_(_TRIED, _UNTRIED)).limit(1)

_RESCHEDULE: Final = (
    update(outbox)
    .where(_FOLLOWING, or_(_TRIED, _UNTRIED))
    .values(
        # A taken post may still be in delivery. Others wait as long after now as they did after their creation.
        next_at=case((_TRIED, _SOON), else_=outbox.c.next_at - outbox.c.created_at + _NOW),
        created_at=case((_TRIED, outbox.c.created_at), else_=_NOW),
        noted_at=case((_TRIED, _NOW), else_=outbox.c.noted_at),
    )
)


async def has_posts_ahead(connection: AsyncConnection, now: int) -> bool:
    return (await connection.execute(_AHEAD, {"now": now})).first() is not None


async def reschedule_ahead(connection: AsyncConnection, now: int) -> int:
    """Reschedule posts that wait because a clock was ahead; return how many."""
    done = await connection.execute(_RESCHEDULE, {"now": now, "soon": now + LEASE})
    return done.rowcount
