"""Read the heads and logs of matches inside a transaction."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import Row, Select, bindparam, insert, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.schema import to_value
from data.store.connection.store_errors import DamagedLog
from data.store.connection.tables import events, matches, participants, requests
from data.store.log import archive, codec
from data.store.log.archive import LogRow
from data.store.log.match_values import Head
from engine.table.evolve import LogEntry
from engine.table.people import list_event_users, rename_users
from engine.table.table_events import LogEvent
from engine.table.table_state import RUNNING, Due, State, Turn

_OF_MATCH: Final = select(participants).where(participants.c.match_id == bindparam("match"))
_INSERT: Final = insert(participants)


async def load_user_ids(connection: AsyncConnection, match_id: int) -> dict[int, int | None]:
    """Return the users of a match by their numbers; None for an erased user."""
    return {row.number: row.user_id for row in await connection.execute(_OF_MATCH, {"match": match_id})}


async def with_numbers(connection: AsyncConnection, match_id: int, events: Sequence[LogEvent]) -> list[LogEvent]:
    """Return the events with numbers for users, and link new numbers to their users."""
    people = dict.fromkeys(person for event in events for person in list_event_users(event))
    if not people:
        return list(events)
    known = await load_user_ids(connection, match_id)
    numbers = {user_id: number for number, user_id in known.items() if user_id is not None}
    rows: list[dict[str, Any]] = []
    for person in people:
        if person not in numbers:
            numbers[person] = len(known) + len(rows)
            rows.append({"match_id": match_id, "number": numbers[person], "user_id": person})
    if rows:
        await connection.execute(_INSERT, rows)
    return [rename_users(event, lambda person: None if person is None else numbers[person]) for event in events]


def decode_event(row: Row[Any] | LogRow, match_id: int, people: dict[int, int | None]) -> LogEvent:
    """Decode the event of a row and replace numbers by users. Raises DamagedLog."""
    event = codec.to_event(row.kind, row.body, match_id=match_id, seq=row.seq)
    return rename_users(event, lambda number: None if number is None else people.get(number))


async def list_lobbies_with_user(connection: AsyncConnection, user_id: int) -> list[int]:
    known = select(participants.c.match_id).where(participants.c.user_id == user_id)
    query = select(matches.c.match_id).where(matches.c.state == "lobby", matches.c.match_id.in_(known))
    return list(await connection.scalars(query.order_by(matches.c.match_id)))


async def unlink(connection: AsyncConnection, match_id: int, user_ids: Collection[int]) -> None:
    """Remove the links from these users to the match. Their numbers are not used again."""
    if user_ids:
        theirs = (participants.c.match_id == match_id, participants.c.user_id.in_(user_ids))
        await connection.execute(update(participants).where(*theirs).values(user_id=None))


# Run several times per move: making a statement costs as much as running it.
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

NEWEST_FIRST: Final = (matches.c.created_at.desc(), matches.c.match_id.desc())
"""By time first: a server may give processes blocks of numbers."""


def to_head(row: Row[Any]) -> Head:
    turn = None if row.turn_seat is None else Turn(seat=row.turn_seat, user=row.turn_user)
    due = None if row.due_at is None else Due(at=row.due_at, kind=row.due_kind)
    return to_value(Head, row, turn=turn, due=due, secret=bytes(row.secret))


async def find_head(connection: AsyncConnection, match_id: int) -> Head | None:
    row = (await connection.execute(_HEAD, {"match": match_id})).first()
    return None if row is None else to_head(row)


async def find_running(connection: AsyncConnection, channel_id: int) -> Head | None:
    row = (await connection.execute(_RUNNING_IN, {"channel": channel_id})).first()
    return None if row is None else to_head(row)


async def list_in_channel(
    connection: AsyncConnection, channel_id: int, states: Sequence[State] = RUNNING, *, limit: int | None = None
) -> list[Head]:
    """Return the matches with their board in this channel, newest first: the first `limit`, or all."""
    query = select(matches).where(matches.c.channel_id == channel_id, matches.c.state.in_(states))
    return [to_head(row) for row in await connection.execute(query.order_by(*NEWEST_FIRST).limit(limit))]


async def list_heads(connection: AsyncConnection, numbers: Collection[int]) -> list[Head]:
    """Return the heads of these matches; deleted matches are missing."""
    query = select(matches).where(matches.c.match_id.in_(numbers))
    return [to_head(row) for row in await connection.execute(query)]


async def find_request(connection: AsyncConnection, interaction_id: int) -> tuple[int, int] | None:
    """Return the match and seq that an interaction led to; None for a new one."""
    row = (await connection.execute(_REQUEST, {"request": interaction_id})).first()
    return None if row is None else (row.match_id, row.seq)


async def load_log(connection: AsyncConnection, match_id: int, upto: int | None = None) -> tuple[LogEntry, ...]:
    """Return the events up to this seq, in order. Raises DamagedLog."""
    query = _LOG if upto is None else _LOG.where(events.c.seq <= upto)
    people = await load_user_ids(connection, match_id)
    try:
        rows = (await connection.execute(query.order_by(events.c.seq), {"match": match_id})).all()
    except OperationalError as error:
        if "decode to UTF-8" not in str(error):
            raise
        # SQLite quotes invalid bytes in its error, which must not be repeated.
        raise DamagedLog(match_id, 0, "it is no text") from None
    # A log without a row for its first event is compressed.
    lines = rows if rows and rows[0].seq == 1 else await archive.merge_archived(connection, match_id, rows, upto)
    return tuple(LogEntry(decode_event(line, match_id, people), line.at) for line in lines)
