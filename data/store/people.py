"""People's own settings."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import codec
from data.store.errors import Stale
from data.store.tables import people, seats
from data.store.upsert import upsert
from data.store.values import Person, Pings, SeatRow

_PERSON: Final = select(people).where(people.c.user_id == bindparam("user"))
_SITTERS: Final = (
    select(people).join(seats, seats.c.user_id == people.c.user_id).where(seats.c.match_id == bindparam("match"))
)


async def person(connection: AsyncConnection, user_id: int) -> Person:
    """Somebody's settings; the defaults for a newcomer."""
    row = (await connection.execute(_PERSON, {"user": user_id})).first()
    return Person(user_id=user_id) if row is None else to_person(row)


async def sitters(connection: AsyncConnection, match_id: int, chairs: Sequence[SeatRow]) -> dict[int, Person]:
    """The settings of everybody who sits on these chairs, which are those of this match."""
    newcomers = {chair.user_id: Person(user_id=chair.user_id) for chair in chairs if chair.user_id is not None}
    rows = await connection.execute(_SITTERS, {"match": match_id})
    return newcomers | {row.user_id: to_person(row) for row in rows}


def to_person(row: Row[Any]) -> Person:
    """A row of `people` as a value."""
    return Person(user_id=row.user_id, quick=row.quick, pings=row.pings, wishes=codec.to_mapping(row.wishes))


async def set_person(
    connection: AsyncConnection,
    user_id: int,
    quick: bool | None,
    pings: Pings | None,
    wishes: Mapping[str, Any] | None,
    now: int,
) -> Person:
    """Change what is not None; returns all of it."""
    changed: dict[str, Any] = {}
    if quick is not None:
        changed["quick"] = quick
    if pings is not None:
        changed["pings"] = pings
    if wishes is not None:
        changed["wishes"] = codec.to_text(wishes)
    if changed:
        await upsert(connection, people, {"user_id": user_id}, _newcomer(now), changed)
    return await person(connection, user_id)


async def wish(
    connection: AsyncConnection, before: Person, wishes: Mapping[str, Any], pings: Pings | None, now: int
) -> None:
    """Keep somebody's wishes, and where they are called. Raises Stale where the wishes of `before` are not theirs any
    more.
    """
    # The row is made or held first: where there is none, two first wishes at once would not see each other.
    key = {"user_id": before.user_id}
    await upsert(connection, people, key, _newcomer(now), key)
    known = (await connection.execute(select(people.c.wishes).where(people.c.user_id == before.user_id))).scalar_one()
    if codec.to_mapping(known) != before.wishes:
        raise Stale(0)
    await set_person(connection, before.user_id, None, pings, wishes, now)


def _newcomer(now: int) -> dict[str, Any]:
    """The row of somebody who has set nothing yet, but for their id."""
    usual = Person(user_id=0)
    return {"quick": usual.quick, "pings": usual.pings, "wishes": "{}", "created_at": now}
