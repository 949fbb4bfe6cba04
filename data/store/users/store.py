"""Users: their settings, and their notes at matches."""

from collections.abc import Collection
from typing import Any, Final

import msgspec
from sqlalchemy import Row, bindparam, delete, exists, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import upsert
from data.store.connection.repository import Repository, reading, reads, writes, writing
from data.store.connection.schema import to_text
from data.store.connection.store_errors import Stale
from data.store.connection.tables import OVER, matches, notes, participants, people
from engine.table.preferences import Person, Pings, Preferences

to_preferences: Final = msgspec.json.Decoder(Preferences).decode
_PERSON: Final = select(people).where(people.c.user_id == bindparam("user"))

_CONCERNED: Final = (
    select(people)
    .join(participants, participants.c.user_id == people.c.user_id)
    .where(participants.c.match_id == bindparam("match"))
)


async def person(connection: AsyncConnection, user_id: int) -> Person:
    row = (await connection.execute(_PERSON, {"user": user_id})).first()
    return Person(user_id=user_id) if row is None else to_person(row)


async def people_at(connection: AsyncConnection, match_id: int, others: Collection[int]) -> dict[int, Person]:
    """Return the settings of the users of a match, including invited ones, and of `others`."""
    found = {row.user_id: to_person(row) for row in await connection.execute(_CONCERNED, {"match": match_id})}
    for other in others:
        if other not in found:
            found[other] = await person(connection, other)
    return found


async def hidden_ones(connection: AsyncConnection, users: Collection[int] | None) -> set[int]:
    query = select(people.c.user_id, people.c.preferences)
    if users is not None:
        query = query.where(people.c.user_id.in_(users))
    rows = await connection.execute(query)
    return {row.user_id for row in rows if not to_preferences(row.preferences).listed}


def to_person(row: Row[Any]) -> Person:
    return Person(user_id=row.user_id, quick=row.quick, pings=row.pings, preferences=to_preferences(row.preferences))


async def set_person(
    connection: AsyncConnection,
    user_id: int,
    *,
    quick: bool | None = None,
    pings: Pings | None = None,
    preferences: Preferences | None = None,
    now: int,
) -> Person:
    """Change the settings that are not None; return all of them."""
    changed: dict[str, Any] = {}
    if quick is not None:
        changed["quick"] = quick
    if pings is not None:
        changed["pings"] = pings
    if preferences is not None:
        changed["preferences"] = to_text(preferences)
    if changed:
        await upsert(connection, people, {"user_id": user_id}, _newcomer(now), changed)
    return await person(connection, user_id)


async def prefer(
    connection: AsyncConnection, before: Person, preferences: Preferences, pings: Pings | None, now: int
) -> None:
    """Store preferences, and `pings` unless None. Raises Stale if the preferences differ from `before`."""
    # Insert or lock the row first: two first writers would not see each other.
    key = {"user_id": before.user_id}
    await upsert(connection, people, key, _newcomer(now), key)
    known = (
        await connection.execute(select(people.c.preferences).where(people.c.user_id == before.user_id))
    ).scalar_one()
    if to_preferences(known) != before.preferences:
        raise Stale(0)
    await set_person(connection, before.user_id, pings=pings, preferences=preferences, now=now)


def _newcomer(now: int) -> dict[str, Any]:
    usual = Person(user_id=0)
    return {"quick": usual.quick, "pings": usual.pings, "preferences": "{}", "created_at": now}


_NOTE: Final = select(notes.c.text).where(notes.c.match_id == bindparam("match"), notes.c.user_id == bindparam("user"))

_ONE_MORE: Final = (
    update(matches)
    .where(matches.c.match_id == bindparam("match"), matches.c.state == "open")
    .values(private=matches.c.private + 1)
)


async def prune_notes(connection: AsyncConnection, before: int, limit: int) -> int:
    """Delete at most `limit` notes of matches that ended before this time; return how many."""
    over = exists().where(matches.c.match_id == notes.c.match_id, text(OVER), matches.c.updated_at < before)
    old = (
        select(notes.c.match_id, notes.c.user_id).where(notes.c.at < before, over).order_by(notes.c.at).limit(limit)
    ).subquery()
    gone = delete(notes).where(exists().where(old.c.match_id == notes.c.match_id, old.c.user_id == notes.c.user_id))
    return (await connection.execute(gone)).rowcount


class UserStore(Repository):
    person = reading(person)
    set_person = writing(set_person)

    @reads
    async def own_note(self, connection: AsyncConnection, match_id: int, user_id: int) -> str:
        found = (await connection.execute(_NOTE, {"match": match_id, "user": user_id})).scalar()
        return found or ""

    @writes
    async def keep_note(self, connection: AsyncConnection, match_id: int, user_id: int, told: str, *, now: int) -> bool:
        """Replace a user's note; an empty text deletes it. False if the match does not run."""
        if (await connection.execute(_ONE_MORE, {"match": match_id})).rowcount != 1:
            return False
        key: dict[str, Any] = {"match_id": match_id, "user_id": user_id}
        if told:
            await upsert(connection, notes, key, {}, {"text": told, "at": now})
        else:
            await connection.execute(delete(notes).filter_by(**key))
        return True
