"""Users and what they have set for themselves; what they wrote down at matches."""

from collections.abc import Collection
from typing import Any, Final

import msgspec
from sqlalchemy import Row, bindparam, delete, exists, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import upsert
from data.store.connection.json_text import to_text
from data.store.connection.repository import Repository, reads, writes
from data.store.connection.store_errors import Stale
from data.store.connection.tables import OVER, matches, notes, participants, people
from engine.table.preferences import Person, Pings, Preferences

_PREFERENCES: Final = msgspec.json.Decoder(Preferences)


def to_preferences(text: str) -> Preferences:
    """What somebody prefers, out of its column."""
    return _PREFERENCES.decode(text)


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
    return {row.user_id for row in rows if not to_preferences(row.preferences).listed}


def to_person(row: Row[Any]) -> Person:
    """A row of `people` as a value."""
    return Person(user_id=row.user_id, quick=row.quick, pings=row.pings, preferences=to_preferences(row.preferences))


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
        changed["preferences"] = to_text(preferences)
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
    if to_preferences(known) != before.preferences:
        raise Stale(0)
    await set_person(connection, before.user_id, None, pings, preferences, now)


def _newcomer(now: int) -> dict[str, Any]:
    """The row of somebody who has set nothing yet, but for their id."""
    usual = Person(user_id=0)
    return {"quick": usual.quick, "pings": usual.pings, "preferences": "{}", "created_at": now}


_NOTE: Final = select(notes.c.text).where(notes.c.match_id == bindparam("match"), notes.c.user_id == bindparam("user"))

_ONE_MORE: Final = (
    update(matches)
    .where(matches.c.match_id == bindparam("match"), matches.c.state == "open")
    .values(private=matches.c.private + 1)
)


async def prune_notes(connection: AsyncConnection, before: int, limit: int) -> int:
    """Forget notes of matches that were over before this time, `limit` at most; returns how many went."""
    over = exists().where(matches.c.match_id == notes.c.match_id, text(OVER), matches.c.updated_at < before)
    old = (
        select(notes.c.match_id, notes.c.user_id).where(notes.c.at < before, over).order_by(notes.c.at).limit(limit)
    ).subquery()
    gone = delete(notes).where(exists().where(old.c.match_id == notes.c.match_id, old.c.user_id == notes.c.user_id))
    return (await connection.execute(gone)).rowcount


class UserStore(Repository):
    """Settings and notes."""

    @reads
    async def person(self, connection: AsyncConnection, user_id: int) -> Person:
        """Somebody's own settings; the defaults for a newcomer."""
        return await person(connection, user_id)

    @writes
    async def set_person(
        self,
        connection: AsyncConnection,
        user_id: int,
        *,
        quick: bool | None = None,
        pings: Pings | None = None,
        preferences: Preferences | None = None,
        now: int,
    ) -> Person:
        """Change the settings that are not None; returns all of them."""
        return await set_person(connection, user_id, quick, pings, preferences, now)

    @reads
    async def own_note(self, connection: AsyncConnection, match_id: int, user_id: int) -> str:
        """What somebody wrote down for themselves at a match; empty where they did not."""
        found = (await connection.execute(_NOTE, {"match": match_id, "user": user_id})).scalar()
        return found or ""

    @writes
    async def keep_note(self, connection: AsyncConnection, match_id: int, user_id: int, told: str, *, now: int) -> bool:
        """Keep this in place of what they wrote before; an empty one is none. False where the match does not run."""
        if (await connection.execute(_ONE_MORE, {"match": match_id})).rowcount != 1:
            return False
        key: dict[str, Any] = {"match_id": match_id, "user_id": user_id}
        if told:
            await upsert(connection, notes, key, {}, {"text": told, "at": now})
        else:
            await connection.execute(delete(notes).filter_by(**key))
        return True
