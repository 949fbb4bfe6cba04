"""The users behind the numbers in a match's log: the only link between an event and a user."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import Row, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.tables import matches, participants
from data.store.log import codec
from data.store.log.archive import LogRow
from engine.table.people import people_in, renamed
from engine.table.table_events import LogEvent

_OF_MATCH: Final = select(participants).where(participants.c.match_id == bindparam("match"))
_ADDED: Final = insert(participants)


async def people_of(connection: AsyncConnection, match_id: int) -> dict[int, int | None]:
    """Return the users of a match by their numbers; None for an erased user."""
    return {row.number: row.user_id for row in await connection.execute(_OF_MATCH, {"match": match_id})}


async def with_numbers(connection: AsyncConnection, match_id: int, events: Sequence[LogEvent]) -> list[LogEvent]:
    """Return the events with numbers for users, and link new numbers to their users."""
    people = dict.fromkeys(person for event in events for person in people_in(event))
    if not people:
        return list(events)
    known = await people_of(connection, match_id)
    numbers = {user_id: number for number, user_id in known.items() if user_id is not None}
    rows: list[dict[str, Any]] = []
    for person in people:
        if person not in numbers:
            numbers[person] = len(known) + len(rows)
            rows.append({"match_id": match_id, "number": numbers[person], "user_id": person})
    if rows:
        await connection.execute(_ADDED, rows)
    return [renamed(event, lambda person: None if person is None else numbers[person]) for event in events]


def event_of(row: Row[Any] | LogRow, match_id: int, people: dict[int, int | None]) -> LogEvent:
    """Decode the event of a row and replace numbers by users. Raises LogDamaged."""
    event = codec.to_event(row.kind, row.body, match_id=match_id, seq=row.seq)
    return renamed(event, lambda number: None if number is None else people.get(number))


async def lobbies_naming(connection: AsyncConnection, user_id: int) -> list[int]:
    known = select(participants.c.match_id).where(participants.c.user_id == user_id)
    query = select(matches.c.match_id).where(matches.c.state == "lobby", matches.c.match_id.in_(known))
    return list(await connection.scalars(query.order_by(matches.c.match_id)))


async def unlink(connection: AsyncConnection, match_id: int, user_ids: Collection[int]) -> None:
    """Remove the links from these users to the match. Their numbers are not used again."""
    if user_ids:
        theirs = (participants.c.match_id == match_id, participants.c.user_id.in_(user_ids))
        await connection.execute(update(participants).where(*theirs).values(user_id=None))
