"""Messages that stand in a channel: boards, calls, what has had its time, and channels that are closed to the bot.

Each is a row of the outbox with a name of its own, so that it is there once.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
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
    await once(connection, match_id, channel_id, kind, name, {"message": message_id}, now, next_at=now)


async def passing(connection: AsyncConnection, row: OutboxRow, message_id: int, now: int) -> None:
    """The message of this post is good for the running turn only: it is to be deleted when that ends."""
    body = {"message": message_id}
    await once(connection, row.match_id, row.channel_id, REMOVE, f"old-{message_id:x}", body, now, next_at=None)


async def begin_board(connection: AsyncConnection, head: Head, nonce: str, now: int, until: int) -> OutboxRow | None:
    """The caller shows the board of this match, until then at most; where it is posted, with the nonce in the body.
    None where somebody else does.
    """
    name, body = f"board-{head.match_id:x}", {"nonce": nonce}
    mine = await once(connection, head.match_id, head.channel_id, BOARD, name, body, now, next_at=until, attempts=1)
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


async def reopen_channel(connection: AsyncConnection, match_id: int) -> None:
    """It can be written to, or the match has another one."""
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
    """A row of this name, unless there is one."""
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
    done = await connection.execute(_unless_there(connection.dialect.name), row)
    return done.rowcount == 1


@cache
def _unless_there(dialect: str) -> sqlite.Insert | postgresql.Insert:
    """A new row, where there is none of its name."""
    return insert_unless_there(posts, dialect)


async def note_shown(connection: AsyncConnection, match_id: int, seq: int, message_id: int | None) -> bool:
    """The board message now shows `seq`. False, and nothing changes, when a newer one is shown already.

    A message of None says that there is nowhere to show it, so that nobody tries again before the next act.
    """
    done = await connection.execute(
        update(matches)
        .where(matches.c.match_id == match_id, matches.c.shown_seq <= seq, matches.c.seq >= seq)
        .values(shown_seq=seq, board_message_id=message_id)
    )
    return done.rowcount == 1


async def board_shown(connection: AsyncConnection, head: Head, message_id: int, now: int) -> bool:
    """The board that this head has, or the one that takes its place, shows its seq. False when the match has another
    board by now, or none. The message that was replaced is to be shrunk.
    """
    before = head.board_message_id
    given = {"match": head.match_id, "before": before, "now_seq": head.seq, "channel": head.channel_id}
    done = await connection.execute(_BOARD_SHOWN, {**given, "message": message_id})
    if done.rowcount == 1 and before is not None and before != message_id:
        await retire(connection, head.match_id, SHRINK, before, now)
    return done.rowcount == 1


async def turn_shown(connection: AsyncConnection, match_id: int, message_id: int | None, now: int) -> int | None:
    """The turn message from now on; returns the one before it, which is to be removed."""
    before = (await connection.execute(_TURN_MESSAGE, {"match": match_id})).first()
    if before is None:
        raise UnknownMatch(match_id)
    await connection.execute(_TURN_SHOWN, {"match": match_id, "message": message_id})
    old = before.turn_message_id
    if old is None or old == message_id:
        return None
    await retire(connection, match_id, REMOVE, old, now)
    return int(old)
