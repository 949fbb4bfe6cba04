"""Messages in a channel: boards, calls to move, messages to delete, and channels that the bot cannot write to.

Each is a row of the outbox with a unique name, so it exists once.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there
from data.store.connection.json_text import to_text
from data.store.connection.store_errors import UnknownMatch
from data.store.connection.tables import matches
from data.store.connection.tables import outbox as posts
from data.store.log.match_values import Head
from data.store.outbox import outbox
from data.store.outbox.outbox_values import BOARD, REMOVE, SHRINK, OutboxRow

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


_GONE: Final = delete(posts).where(posts.c.dedupe == bindparam("name"))
_CHANNEL: Final = select(matches.c.channel_id).where(matches.c.match_id == bindparam("match"))


async def clear(connection: AsyncConnection, row: OutboxRow) -> None:
    """Delete a row that is done, or whose message is no longer needed."""
    await connection.execute(_GONE, {"name": row.nonce})


async def retire(
    connection: AsyncConnection, match_id: int, kind: str, message_id: int, now: int, channel_id: int | None = None
) -> None:
    """Queue the deletion or shrinking (`kind`) of a message, by default in the channel of the match."""
    if channel_id is None:
        channel_id = (await connection.execute(_CHANNEL, {"match": match_id})).scalar_one()
    name = f"old-{message_id:x}"
    await once(connection, match_id, channel_id, kind, name, {"message": message_id}, now, next_at=now)


async def passing(connection: AsyncConnection, row: OutboxRow, message_id: int, now: int) -> None:
    body = {"message": message_id}
    await once(connection, row.match_id, row.channel_id, REMOVE, f"old-{message_id:x}", body, now, next_at=None)


async def begin_board(connection: AsyncConnection, head: Head, nonce: str, now: int, until: int) -> OutboxRow | None:
    """Take a lease on showing the board of this match; None if another process has it."""
    name, body = f"board-{head.match_id:x}", {"nonce": nonce}
    if not await once(connection, head.match_id, head.channel_id, BOARD, name, body, now, next_at=until, attempts=1):
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


async def once(
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
    return (await connection.execute(_unless_there(posts, connection.dialect.name), row)).rowcount == 1


# Making a statement costs as much as running it.
_unless_there: Final = cache(insert_unless_there)


async def note_shown(connection: AsyncConnection, match_id: int, *, seq: int, message_id: int | None) -> bool:
    """Note that the board message shows `seq`; None if it can be shown nowhere. False if a newer one is shown."""
    done = await connection.execute(
        update(matches)
        .where(matches.c.match_id == match_id, matches.c.shown_seq <= seq, matches.c.seq >= seq)
        .values(shown_seq=seq, board_message_id=message_id)
    )
    return done.rowcount == 1


async def board_shown(connection: AsyncConnection, head: Head, message_id: int, now: int) -> bool:
    """Note that the board shows the seq of this head; shrink the old one. False if the match has another board."""
    before = head.board_message_id
    given = {"match": head.match_id, "before": before, "now_seq": head.seq, "channel": head.channel_id}
    done = await connection.execute(_BOARD_SHOWN, {**given, "message": message_id})
    if done.rowcount == 1 and before is not None and before != message_id:
        await retire(connection, head.match_id, SHRINK, before, now)
    return done.rowcount == 1


async def turn_shown(connection: AsyncConnection, match_id: int, message_id: int | None, now: int) -> int | None:
    """Set the turn message and queue the deletion of the one before it, which is returned."""
    before = (await connection.execute(_TURN_MESSAGE, {"match": match_id})).first()
    if before is None:
        raise UnknownMatch(match_id)
    await connection.execute(_TURN_SHOWN, {"match": match_id, "message": message_id})
    old = before.turn_message_id
    if old is None or old == message_id:
        return None
    await retire(connection, match_id, REMOVE, old, now)
    return int(old)
