"""Take the due posts of one table in a transaction, and note their delivery status in the next.

That transaction also takes the posts that have become due, so a move needs two transactions.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final, assert_never

from sqlalchemy import Integer, bindparam, delete, exists, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there
from data.store.connection.schema import to_text
from data.store.connection.store_errors import UnknownMatch
from data.store.connection.tables import aside, matches
from data.store.connection.tables import outbox as posts
from data.store.guilds.store import load_guild
from data.store.log import heads
from data.store.log.match_values import Head
from data.store.outbox import outbox
from data.store.outbox.outbox_values import (
    BOARD,
    REMOVE,
    SHRINK,
    Batch,
    BoardShown,
    CallSent,
    DeliveryStatus,
    OutboxRow,
    PostDropped,
    PostPostponed,
    PostRejected,
    PostReleased,
    PostSent,
    RowCleared,
)
from data.store.users.store import load_person
from engine.table.table_posts import TURN

_BOARD_SHOWN: Final = (
    update(matches)
    .where(
        matches.c.match_id == bindparam("match"),
        matches.c.board_message_id.is_not_distinct_from(bindparam("before")),
        matches.c.shown_seq <= bindparam("now_seq"),
        matches.c.channel_id == bindparam("channel"),
    )
    .values(shown_seq=bindparam("now_seq"), board_message_id=bindparam("message"))
)

_TURN_MESSAGE: Final = (
    select(matches.c.turn_message_id).where(matches.c.match_id == bindparam("match")).with_for_update()
)

_TURN_SHOWN: Final = (
    update(matches).where(matches.c.match_id == bindparam("match")).values(turn_message_id=bindparam("message"))
)


_DELETE_ROW: Final = delete(posts).where(posts.c.dedupe == bindparam("name"))
_CHANNEL: Final = select(matches.c.channel_id).where(matches.c.match_id == bindparam("match"))


async def clear(connection: AsyncConnection, row: OutboxRow) -> None:
    """Delete a row that is done, or whose message is no longer needed."""
    await connection.execute(_DELETE_ROW, {"name": row.nonce})


async def queue_cleanup(
    connection: AsyncConnection, match_id: int, kind: str, message_id: int, now: int, channel_id: int | None = None
) -> None:
    """Queue the deletion or shrinking (`kind`) of a message, by default in the channel of the match."""
    if channel_id is None:
        channel_id = (await connection.execute(_CHANNEL, {"match": match_id})).scalar_one()
    name = f"old-{message_id:x}"
    await insert_once(connection, match_id, channel_id, kind, name, {"message": message_id}, now, next_at=now)


async def queue_turn_cleanup(connection: AsyncConnection, row: OutboxRow, message_id: int, now: int) -> None:
    body = {"message": message_id}
    await insert_once(connection, row.match_id, row.channel_id, REMOVE, f"old-{message_id:x}", body, now, next_at=None)


async def begin_board(connection: AsyncConnection, head: Head, nonce: str, now: int, until: int) -> OutboxRow | None:
    """Take a lease on showing the board of this match; None if another process has it."""
    name, body = f"board-{head.match_id:x}", {"nonce": nonce}
    if not await insert_once(
        connection, head.match_id, head.channel_id, BOARD, name, body, now, next_at=until, attempts=1
    ):
        return None
    return OutboxRow(
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


async def refuse_board(connection: AsyncConnection, row: OutboxRow, seq: int, code: int) -> None:
    """Note that Discord rejects the board of this move. The next move makes another board."""
    name = f"{row.nonce}-{seq:x}"
    await connection.execute(update(posts).where(posts.c.dedupe == row.nonce).values(dedupe=name))
    await outbox.refuse(connection, replace(row, nonce=name), code)


async def reopen_channel(connection: AsyncConnection, match_id: int) -> None:
    """Note that the bot can write to the channel, or the match has another one."""
    await connection.execute(delete(posts).where(posts.c.dedupe == f"blocked-{match_id:x}"))


async def insert_once(
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
    """Insert a row unless its name exists; return whether it was inserted."""
    row = {
        "match_id": match_id,
        "channel_id": channel_id,
        "kind": kind,
        "dedupe": name,
        "body": to_text(body),
        "next_at": next_at,
        "noted_at": now if attempts else None,
        "attempts": attempts,
        "created_at": now,
    }
    return (await connection.execute(_build_insert(posts, connection.dialect.name), row)).rowcount == 1


# Making a statement costs as much as running it.
_build_insert: Final = cache(insert_unless_there)


async def note_shown(connection: AsyncConnection, match_id: int, *, seq: int, message_id: int | None) -> bool:
    """Note that the board message shows `seq`; None if it can be shown nowhere. False if a newer one is shown."""
    mine = (matches.c.match_id == match_id, matches.c.shown_seq <= seq, matches.c.seq >= seq)
    shown = update(matches).where(*mine).values(shown_seq=seq, board_message_id=message_id)
    return (await connection.execute(shown)).rowcount == 1


async def note_board_shown(connection: AsyncConnection, head: Head, message_id: int, now: int) -> bool:
    """Note that the board shows the seq of this head; shrink the old one. False if the match has another board."""
    before = head.board_message_id
    given = {"match": head.match_id, "before": before, "now_seq": head.seq, "channel": head.channel_id}
    done = await connection.execute(_BOARD_SHOWN, {**given, "message": message_id})
    if done.rowcount == 1 and before is not None and before != message_id:
        await queue_cleanup(connection, head.match_id, SHRINK, before, now)
    return done.rowcount == 1


async def set_turn_message(connection: AsyncConnection, match_id: int, message_id: int | None, now: int) -> int | None:
    """Set the turn message and queue the deletion of the one before it, which is returned."""
    before = (await connection.execute(_TURN_MESSAGE, {"match": match_id})).first()
    if before is None:
        raise UnknownMatch(match_id)
    await connection.execute(_TURN_SHOWN, {"match": match_id, "message": message_id})
    old = before.turn_message_id
    if old is None or old == message_id:
        return None
    await queue_cleanup(connection, match_id, REMOVE, old, now)
    return int(old)


MAX_POSTS: Final = 20
_OF_MATCH: Final = matches.c.match_id == bindparam("match")

# Commands and deliveries of a match wait for this lock, so that none uses old state.
_LOCK_MATCH: Final = select(matches.c.match_id).where(_OF_MATCH).with_for_update()

_TABLE: Final = select(matches, exists().where(aside.c.match_id == matches.c.match_id).label("is_aside")).where(
    _OF_MATCH
)

_TAKE: Final = (
    update(posts)
    .where(posts.c.dedupe.in_(bindparam("rows", expanding=True)))
    .values(
        next_at=bindparam("until"),
        noted_at=bindparam("now"),
        attempts=posts.c.attempts + bindparam("one", type_=Integer),
    )
)

_UNTRIED: Final = (
    update(posts)
    .where(posts.c.dedupe == bindparam("row"), posts.c.attempts == bindparam("taken"), posts.c.next_at.is_not(None))
    .values(next_at=bindparam("now"), noted_at=bindparam("now"), attempts=bindparam("before"))
)


async def lease_due_posts(
    connection: AsyncConnection, match_id: int, statuses: Sequence[DeliveryStatus] = (), *, nonce: str, now: int
) -> Batch | None:
    """Note delivery statuses and take what is due at a table, with a lease; None if nothing is due or others have it.

    Includes a board that is behind, which is posted with this nonce. A message of a row with `attempts` may exist.
    """
    if not await _lock_match(connection, match_id):
        return None
    await _note_all(connection, statuses, now)
    table = (await connection.execute(_TABLE, {"match": match_id})).one()
    head, until = heads.to_head(table), now + outbox.LEASE
    rows = await outbox.list_due(connection, now, MAX_POSTS, match_id=match_id)
    if rows:
        leased = {"rows": [row.nonce for row in rows], "until": until, "now": now, "one": 1}
        await connection.execute(_TAKE, leased)
    if head.is_board_outdated and not table.is_aside and not any(row.kind == BOARD for row in rows):
        board = await begin_board(connection, head, nonce, now, until)
        rows += [] if board is None else [board]
    if not rows:
        return None
    called = head.turn.user if head.turn is not None and any(row.kind == TURN for row in rows) else None
    called_player = None if called is None else await load_person(connection, called)
    guild = await load_guild(connection, head.guild_id)
    return Batch(head=head, rows=tuple(rows), until=until, guild=guild, called_player=called_player)


async def note_statuses(connection: AsyncConnection, statuses: Sequence[DeliveryStatus], *, now: int) -> None:
    if statuses and await _lock_match(connection, statuses[0].row.match_id):
        await _note_all(connection, statuses, now)


async def _lock_match(connection: AsyncConnection, match_id: int) -> bool:
    return (await connection.execute(_LOCK_MATCH, {"match": match_id})).first() is not None


async def _note_all(connection: AsyncConnection, statuses: Sequence[DeliveryStatus], now: int) -> None:
    for status in statuses:
        await _note(connection, status, now)


async def _note(connection: AsyncConnection, status: DeliveryStatus, now: int) -> None:
    row = status.row
    match status:
        case PostSent():
            row = row if status.channel_id is None else replace(row, channel_id=status.channel_id)
            if await outbox.note_sent(connection, row, status.message_id) and status.ends_with_turn:
                await queue_turn_cleanup(connection, row, status.message_id, now)
        case CallSent():
            await _note_call(connection, status, now)
        case BoardShown():
            shown = await note_board_shown(connection, status.head, status.message_id, now)
            await (clear(connection, row) if shown else outbox.postpone(connection, row, now, now=now))
        case PostDropped():
            await outbox.drop(connection, row)
        case RowCleared():
            await clear(connection, row)
        case PostRejected() if row.kind == BOARD:
            await refuse_board(connection, row, status.head.seq, status.code)
            here = status.head.board_message_id
            await note_shown(connection, row.match_id, seq=status.head.seq, message_id=here)
        case PostRejected():
            await outbox.refuse(connection, row, status.code)
        case PostPostponed():
            await outbox.postpone(connection, row, status.next_at, now=now)
        case PostReleased():
            free = {"row": row.nonce, "taken": row.attempts + 1, "before": row.attempts, "now": now}
            await connection.execute(_UNTRIED, free)
        case _:
            assert_never(status)


async def _note_call(connection: AsyncConnection, status: CallSent, now: int) -> None:
    row = status.row
    noted = await outbox.note_call_sent(connection, row, status.sent_as)
    if noted:
        await set_turn_message(connection, row.match_id, status.shown_as, now)
    elif noted is False and status.shown_as is not None:
        await queue_cleanup(connection, row.match_id, REMOVE, status.sent_as, now)


async def extend_leases(
    connection: AsyncConnection, rows: Collection[OutboxRow], statuses: Sequence[DeliveryStatus] = (), *, now: int
) -> frozenset[str]:
    """Extend leases and note the delivery status of other posts; return the nonces whose lease continues."""
    await note_statuses(connection, statuses, now=now)
    return frozenset([row.nonce for row in rows if await outbox.extend_lease(connection, row, now)])
