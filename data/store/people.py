"""People's own settings."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.tables import people
from data.store.values import Person, Pings


async def person(connection: AsyncConnection, user_id: int) -> Person:
    """Somebody's settings; the defaults for a newcomer."""
    row = (await connection.execute(select(people).where(people.c.user_id == user_id))).first()
    return Person(user_id=user_id) if row is None else Person(user_id=user_id, quick=row.quick, pings=row.pings)


async def set_person(
    connection: AsyncConnection, user_id: int, quick: bool | None, pings: Pings | None, now: int
) -> Person:
    """Change what is not None; returns all of it."""
    changed: dict[str, Any] = {}
    if quick is not None:
        changed["quick"] = quick
    if pings is not None:
        changed["pings"] = pings
    if changed:
        newcomer = Person(user_id=user_id)
        row = {"user_id": user_id, "quick": newcomer.quick, "pings": newcomer.pings, "created_at": now, **changed}
        postgres = connection.dialect.name == "postgresql"
        added = (postgresql.insert(people) if postgres else sqlite.insert(people)).values(row)
        await connection.execute(added.on_conflict_do_update(index_elements=[people.c.user_id], set_=changed))
    return await person(connection, user_id)
