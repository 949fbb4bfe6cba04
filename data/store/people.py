"""People's own settings."""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Row, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import codec
from data.store.errors import Stale
from data.store.inserting import upsert
from data.store.tables import participants, people
from engine.table.preferences import Person, Pings, Preferences

_PERSON: Final = select(people).where(people.c.user_id == bindparam("user"))
_CONCERNED: Final = (
    select(people)
    .join(participants, participants.c.user_id == people.c.user_id)
    .where(participants.c.match_id == bindparam("match"))
)


async def person(connection: AsyncConnection, user_id: int) -> Person:
    """Somebody's settings; the defaults for a newcomer."""
    row = (await connection.execute(_PERSON, {"user": user_id})).first()
    return Person(user_id=user_id) if row is None else to_person(row)


async def people_at(connection: AsyncConnection, match_id: int, others: Collection[int]) -> dict[int, Person]:
    """What everybody has set whom a match has to do with, those who are asked to sit down included, and these `others`;
    who is missing has set nothing.
    """
    found = {row.user_id: to_person(row) for row in await connection.execute(_CONCERNED, {"match": match_id})}
    for other in others:
        if other not in found:
            found[other] = await person(connection, other)
    return found


async def hidden_ones(connection: AsyncConnection, users: Collection[int] | None) -> set[int]:
    """Those of these people, or of all, who stay off leaderboards."""
    query = select(people.c.user_id, people.c.preferences)
    if users is not None:
        query = query.where(people.c.user_id.in_(users))
    rows = await connection.execute(query)
    return {row.user_id for row in rows if not codec.to_preferences(row.preferences).listed}


def to_person(row: Row[Any]) -> Person:
    """A row of `people` as a value."""
    return Person(
        user_id=row.user_id, quick=row.quick, pings=row.pings, preferences=codec.to_preferences(row.preferences)
    )


async def set_person(
    connection: AsyncConnection,
    user_id: int,
    quick: bool | None,
    pings: Pings | None,
    preferences: Preferences | None,
    now: int,
) -> Person:
    """Change what is not None; returns all of it."""
    changed: dict[str, Any] = {}
    if quick is not None:
        changed["quick"] = quick
    if pings is not None:
        changed["pings"] = pings
    if preferences is not None:
        changed["preferences"] = codec.to_text(preferences)
    if changed:
        await upsert(connection, people, {"user_id": user_id}, _newcomer(now), changed)
    return await person(connection, user_id)


async def prefer(
    connection: AsyncConnection, before: Person, preferences: Preferences, pings: Pings | None, now: int
) -> None:
    """Keep what somebody prefers, and where they are called. Raises Stale where the preferences of `before` are not
    theirs any more.
    """
    # The row is made or held first: where there is none, two first ones at once would not see each other.
    key = {"user_id": before.user_id}
    await upsert(connection, people, key, _newcomer(now), key)
    known = (
        await connection.execute(select(people.c.preferences).where(people.c.user_id == before.user_id))
    ).scalar_one()
    if codec.to_preferences(known) != before.preferences:
        raise Stale(0)
    await set_person(connection, before.user_id, None, pings, preferences, now)


def _newcomer(now: int) -> dict[str, Any]:
    """The row of somebody who has set nothing yet, but for their id."""
    usual = Person(user_id=0)
    return {"quick": usual.quick, "pings": usual.pings, "preferences": "{}", "created_at": now}
