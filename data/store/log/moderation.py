"""Where a moderator stepped in at a match: what was done, why, by whom."""

from contextlib import suppress
from typing import Any, Final

import msgspec
from sqlalchemy import Row, Select, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.store_errors import LogDamaged
from data.store.log import codec
from data.store.log.match_values import Moderation
from data.store.log.tables import RULINGS, events
from data.store.log.tables import participants as participant_table
from data.store.users import participants
from engine.table.table_events import MODERATED, Skipped

_RULINGS: Final[Select[Any]] = (
    select(events.c.seq, events.c.kind, events.c.body, events.c.at)
    .where(events.c.match_id == bindparam("match"), text(RULINGS))
    .order_by(events.c.seq)
)


_ACTS: Final[Select[Any]] = (
    select(events.c.match_id, events.c.seq, events.c.body, participant_table.c.number)
    .join(participant_table, participant_table.c.match_id == events.c.match_id)
    .where(participant_table.c.user_id == bindparam("user"), text(RULINGS))
    .order_by(events.c.match_id, events.c.seq)
)


async def moderations(connection: AsyncConnection, match_id: int) -> tuple[Moderation, ...]:
    """Every time a moderator stepped in at a match, oldest first. Raises LogDamaged."""
    people = await participants.people_of(connection, match_id)
    rows = await connection.execute(_RULINGS, {"match": match_id})
    return tuple(_of(row, match_id, people) for row in rows)


async def moderation(connection: AsyncConnection, match_id: int, seq: int) -> Moderation | None:
    """How a moderator stepped in with this event, whatever else stands in the log; None where it does not tell."""
    row = (await connection.execute(_RULINGS.where(events.c.seq == seq), {"match": match_id})).first()
    with suppress(LogDamaged):
        return None if row is None else _of(row, match_id, await participants.people_of(connection, match_id))
    return None


def _of(row: Row[Any], match_id: int, people: dict[int, int | None]) -> Moderation:
    event = participants.event_of(row, match_id, people)
    assert isinstance(event, MODERATED)
    return Moderation(
        match_id=match_id,
        seq=row.seq,
        kind=row.kind,
        reason=event.reason,
        seat=event.seat if isinstance(event, Skipped) else None,
        user_id=event.by,
        at=row.at,
    )


async def acts_of(connection: AsyncConnection, user_id: int) -> list[tuple[int, int]]:
    """The match and seq of each time a person stepped in as a moderator. A line that cannot be read is nobody's."""
    found = []
    for row in await connection.execute(_ACTS, {"user": user_id}):
        with suppress(msgspec.MsgspecError):
            if codec.to_mapping(row.body).get("by") == row.number:
                found.append((row.match_id, row.seq))
    return found
