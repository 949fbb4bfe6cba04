"""Who stepped in at a match as a moderator, kept beside the log so that the person can be forgotten."""

from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import codec
from data.store.tables import events, moderations
from data.store.values import Moderation


async def note(connection: AsyncConnection, match_id: int, seq: int, user_id: int) -> None:
    """This person is behind this event."""
    await connection.execute(insert(moderations).values(match_id=match_id, seq=seq, user_id=user_id))


async def of_match(connection: AsyncConnection, match_id: int) -> tuple[Moderation, ...]:
    """Every time a moderator stepped in at a match, oldest first."""
    query = (
        select(moderations.c.seq, moderations.c.user_id, events.c.kind, events.c.body, events.c.at)
        .join(events, (events.c.match_id == moderations.c.match_id) & (events.c.seq == moderations.c.seq))
        .where(moderations.c.match_id == match_id)
        .order_by(moderations.c.seq)
    )
    return tuple(_moderation(match_id, row) for row in await connection.execute(query))


def _moderation(match_id: int, row: Any) -> Moderation:
    facts = codec.to_mapping(row.body)
    return Moderation(
        match_id=match_id,
        seq=row.seq,
        kind=row.kind,
        reason=str(facts.get("reason", "")),
        seat=facts.get("seat"),
        user_id=row.user_id,
        at=row.at,
    )
