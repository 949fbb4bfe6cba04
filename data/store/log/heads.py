"""Read the heads and logs of matches inside a transaction."""

from collections.abc import Sequence
from typing import Any, Final, cast

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.store_errors import LogDamaged
from data.store.connection.tables import events, matches, requests
from data.store.log import archive, participants
from data.store.log.match_values import Head
from engine.table.evolve import Entry
from engine.table.table_state import RUNNING, Due, State, Turn

# Asked several times a move: making a statement costs as much as running it.
_HEAD: Final = select(matches).where(matches.c.match_id == bindparam("match"))

_RUNNING_IN: Final = (
    select(matches)
    .where(matches.c.channel_id == bindparam("channel"), matches.c.state.in_(RUNNING))
    .order_by(matches.c.match_id.desc())
    .limit(1)
)

_REQUEST: Final = select(requests.c.match_id, requests.c.seq).where(requests.c.interaction_id == bindparam("request"))

_LOG: Final[Select[Any]] = select(events.c.seq, events.c.kind, events.c.body, events.c.at).where(
    events.c.match_id == bindparam("match")
)

NEWEST: Final = (matches.c.created_at.desc(), matches.c.match_id.desc())
"""Not by number alone: a server may hand numbers out in blocks, to one process these and to the next those after them.
"""


def to_head(row: Row[Any]) -> Head:
    """A row of `matches` as a value."""
    return Head(
        match_id=row.match_id,
        game=row.game,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        host_id=row.host_id,
        state=cast(State, row.state),
        seq=row.seq,
        shown_seq=row.shown_seq,
        board_message_id=row.board_message_id,
        turn_message_id=row.turn_message_id,
        turn=None if row.turn_seat is None else Turn(seat=row.turn_seat, user=row.turn_user),
        due=None if row.due_at is None else Due(at=row.due_at, kind=row.due_kind),
        secret=bytes(row.secret),
        created_at=row.created_at,
        updated_at=row.updated_at,
        private=row.private,
    )


async def head(connection: AsyncConnection, match_id: int) -> Head | None:
    """One match."""
    row = (await connection.execute(_HEAD, {"match": match_id})).first()
    return None if row is None else to_head(row)


async def running_in(connection: AsyncConnection, channel_id: int) -> Head | None:
    """The newest match that runs in a channel."""
    row = (await connection.execute(_RUNNING_IN, {"channel": channel_id})).first()
    return None if row is None else to_head(row)


async def in_channel(
    connection: AsyncConnection, channel_id: int, states: Sequence[State], limit: int | None
) -> list[Head]:
    """The matches whose board is in this channel, newest first: the first `limit` of them, or all."""
    query = select(matches).where(matches.c.channel_id == channel_id, matches.c.state.in_(states))
    return [to_head(row) for row in await connection.execute(query.order_by(*NEWEST).limit(limit))]


async def request(connection: AsyncConnection, interaction_id: int) -> tuple[int, int] | None:
    """The match and seq that an interaction led to, None when it is new."""
    row = (await connection.execute(_REQUEST, {"request": interaction_id})).first()
    return None if row is None else (row.match_id, row.seq)


async def log(connection: AsyncConnection, match_id: int, upto: int | None) -> tuple[Entry, ...]:
    """Everything up to this seq, in order. Raises LogDamaged."""
    query = _LOG if upto is None else _LOG.where(events.c.seq <= upto)
    people = await participants.people_of(connection, match_id)
    try:
        rows = (await connection.execute(query.order_by(events.c.seq), {"match": match_id})).all()
    except OperationalError as error:
        if "decode to UTF-8" not in str(error):
            raise
        # SQLite keeps bytes that are no text, and quotes them: what stands there is not repeated.
        raise LogDamaged(match_id, 0, "it is no text") from None
    # A log that begins elsewhere was packed.
    lines = rows if rows and rows[0].seq == 1 else await archive.with_archived(connection, match_id, rows, upto)
    return tuple(Entry(participants.event_of(line, match_id, people), line.at) for line in lines)
