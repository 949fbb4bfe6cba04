"""Take the due posts of one table in a transaction, and note their delivery status in the next.

That transaction takes what is due by then, so a move needs two.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, assert_never

from sqlalchemy import Integer, bindparam, exists, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.tables import aside, matches
from data.store.connection.tables import outbox as posts
from data.store.guilds.store import guild_of
from data.store.log import heads
from data.store.outbox import board_posts, outbox
from data.store.outbox.outbox_values import (
    BOARD,
    REMOVE,
    Batch,
    Called,
    Cleared,
    Dropped,
    Fate,
    OutboxRow,
    PutOff,
    Sent,
    Shown,
    Untried,
    Unwanted,
)
from data.store.users.store import person
from engine.table.table_posts import TURN

MOST: Final = 20
_OF_MATCH: Final = matches.c.match_id == bindparam("match")

# Commands and deliveries of a match wait for this lock, so that none uses old state.
_HELD: Final = select(matches.c.match_id).where(_OF_MATCH).with_for_update()

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


async def take_due(
    connection: AsyncConnection, match_id: int, became: Sequence[Fate] = (), *, nonce: str, now: int
) -> Batch | None:
    """Note delivery statuses and take what is due at a table, with a lease; None if nothing is due or others have it.

    Includes a board that is behind, which is posted with this nonce. A message of a row with `attempts` may exist.
    """
    if not await _is_there(connection, match_id):
        return None
    await _note_all(connection, became, now)
    table = (await connection.execute(_TABLE, {"match": match_id})).one()
    head, until = heads.to_head(table), now + outbox.LEASE
    rows = await outbox.to_send(connection, now, MOST, match_id=match_id)
    if rows:
        taken = {"rows": [row.nonce for row in rows], "until": until, "now": now, "one": 1}
        await connection.execute(_TAKE, taken)
    if head.dirty and not table.is_aside and not any(row.kind == BOARD for row in rows):
        board = await board_posts.begin_board(connection, head, nonce, now, until)
        rows += [] if board is None else [board]
    if not rows:
        return None
    calls = head.turn is not None and head.turn.user is not None and any(row.kind == TURN for row in rows)
    return Batch(
        head=head,
        rows=tuple(rows),
        until=until,
        guild=await guild_of(connection, head.guild_id),
        called=await person(connection, head.turn.user) if calls and head.turn and head.turn.user else None,
    )


async def note(connection: AsyncConnection, became: Sequence[Fate], *, now: int) -> None:
    if became and await _is_there(connection, became[0].row.match_id):
        await _note_all(connection, became, now)


async def _is_there(connection: AsyncConnection, match_id: int) -> bool:
    return (await connection.execute(_HELD, {"match": match_id})).first() is not None


async def _note_all(connection: AsyncConnection, became: Sequence[Fate], now: int) -> None:
    for fate in became:
        await _note(connection, fate, now)


async def _note(connection: AsyncConnection, fate: Fate, now: int) -> None:
    row = fate.row
    match fate:
        case Sent():
            row = row if fate.channel_id is None else replace(row, channel_id=fate.channel_id)
            if await outbox.sent(connection, row, fate.message_id) and fate.passing:
                await board_posts.passing(connection, row, fate.message_id, now)
        case Called():
            await _called(connection, fate, now)
        case Shown():
            shown = await board_posts.board_shown(connection, fate.head, fate.message_id, now)
            await (board_posts.clear(connection, row) if shown else outbox.put_off(connection, row, now, now=now))
        case Dropped():
            await outbox.drop(connection, row)
        case Cleared():
            await board_posts.clear(connection, row)
        case Unwanted() if row.kind == BOARD:
            await board_posts.refuse_board(connection, row, fate.head.seq, fate.code)
            here = fate.head.board_message_id
            await board_posts.note_shown(connection, row.match_id, seq=fate.head.seq, message_id=here)
        case Unwanted():
            await outbox.refuse(connection, row, fate.code)
        case PutOff():
            await outbox.put_off(connection, row, fate.next_at, now=now)
        case Untried():
            free = {"row": row.nonce, "taken": row.attempts + 1, "before": row.attempts, "now": now}
            await connection.execute(_UNTRIED, free)
        case _:
            assert_never(fate)


async def _called(connection: AsyncConnection, fate: Called, now: int) -> None:
    row = fate.row
    noted = await outbox.called(connection, row, fate.sent_as)
    if noted:
        await board_posts.turn_shown(connection, row.match_id, fate.shown_as, now)
    elif noted is False and fate.shown_as is not None:
        await board_posts.retire(connection, row.match_id, REMOVE, fate.sent_as, now)


async def keep_taken(
    connection: AsyncConnection, rows: Collection[OutboxRow], became: Sequence[Fate] = (), *, now: int
) -> frozenset[str]:
    """Extend leases and note the delivery status of other posts; return the nonces whose lease continues."""
    await note(connection, became, now=now)
    return frozenset([row.nonce for row in rows if await outbox.keep(connection, row, now)])
