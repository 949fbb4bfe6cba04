"""Users: their settings, and their notes at matches."""

from collections.abc import Collection
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import Row, bindparam, delete, exists, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.bodies import check_text, read_body, register_body
from data.store.connection.engines import upsert
from data.store.connection.repository import (
    Repository,
    build_read_method,
    build_write_method,
    read_transaction,
    write_transaction,
)
from data.store.connection.schema import to_text
from data.store.connection.store_errors import StaleVersion
from data.store.connection.tables import OVER, matches, notes, participants, people
from engine.table.preferences import Person, Pings, Preferences

_PREFERENCES: Final = msgspec.json.Decoder(Preferences)
UNREADABLE: Final = Preferences(listed=False)
"""The preferences of a user whose row is garbled. Who may have been hidden stays hidden."""


def parse_preferences(text: str) -> Preferences:
    """Raises one of BODY_ERRORS."""
    found = _PREFERENCES.decode(text)
    ZoneInfo(found.zone)
    return found


to_preferences: Final = partial(read_body, parse_preferences, fallback=UNREADABLE)
register_body(people.c.preferences, lambda row: parse_preferences(row.preferences))
register_body(notes.c.text, lambda row: check_text(row.text))
_PERSON: Final = select(people).where(people.c.user_id == bindparam("user"))

_PEOPLE_OF_MATCH: Final = (
    select(people)
    .join(participants, participants.c.user_id == people.c.user_id)
    .where(participants.c.match_id == bindparam("match"))
)


async def load_person(connection: AsyncConnection, user_id: int) -> Person:
    row = (await connection.execute(_PERSON, {"user": user_id})).first()
    return Person(user_id=user_id) if row is None else to_person(row)


async def load_people(connection: AsyncConnection, match_id: int, others: Collection[int]) -> dict[int, Person]:
    """Return the settings of the users of a match, including invited ones, and of `others`."""
    found = {row.user_id: to_person(row) for row in await connection.execute(_PEOPLE_OF_MATCH, {"match": match_id})}
    for other in others:
        if other not in found:
            found[other] = await load_person(connection, other)
    return found


async def list_hidden_users(connection: AsyncConnection, users: Collection[int] | None) -> set[int]:
    query = select(people.c.user_id, people.c.preferences)
    rows = await connection.execute(query if users is None else query.where(people.c.user_id.in_(users)))
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
    text = None if preferences is None else to_text(preferences)
    given = {"quick": quick, "pings": pings, "preferences": text}
    if changed := {name: value for name, value in given.items() if value is not None}:
        await upsert(connection, people, {"user_id": user_id}, _build_default_columns(now), changed)
    return await load_person(connection, user_id)


async def save_preferences(
    connection: AsyncConnection, before: Person, preferences: Preferences, pings: Pings | None, now: int
) -> None:
    """Store preferences, and `pings` unless None. Raises StaleVersion if the preferences differ from `before`."""
    # Insert or lock the row first: two first writers would not see each other.
    key = {"user_id": before.user_id}
    await upsert(connection, people, key, _build_default_columns(now), key)
    if (await load_person(connection, before.user_id)).preferences != before.preferences:
        raise StaleVersion(0)
    await set_person(connection, before.user_id, pings=pings, preferences=preferences, now=now)


def _build_default_columns(now: int) -> dict[str, Any]:
    default = Person(user_id=0)
    return {"quick": default.quick, "pings": default.pings, "preferences": "{}", "created_at": now}


_NOTE: Final = select(notes.c.text).where(notes.c.match_id == bindparam("match"), notes.c.user_id == bindparam("user"))

_COUNT_CHANGE: Final = (
    update(matches)
    .where(matches.c.match_id == bindparam("match"), matches.c.state == "open")
    .values(private=matches.c.private + 1)
)


async def prune_notes(connection: AsyncConnection, before: int, limit: int) -> int:
    """Delete at most `limit` notes of matches that ended before this time; return how many."""
    over = exists().where(matches.c.match_id == notes.c.match_id, text(OVER), matches.c.updated_at < before)
    oldest = select(notes.c.match_id, notes.c.user_id).where(notes.c.at < before, over).order_by(notes.c.at)
    old = oldest.limit(limit).subquery()
    expired = delete(notes).where(exists().where(old.c.match_id == notes.c.match_id, old.c.user_id == notes.c.user_id))
    return (await connection.execute(expired)).rowcount


class UserStore(Repository):
    load_person = build_read_method(load_person)
    set_person = build_write_method(set_person)

    @read_transaction
    async def load_note(self, connection: AsyncConnection, match_id: int, user_id: int) -> str:
        return read_body(check_text, await connection.scalar(_NOTE, {"match": match_id, "user": user_id}), "")

    @write_transaction
    async def save_note(self, connection: AsyncConnection, match_id: int, user_id: int, note: str, *, now: int) -> bool:
        """Replace a user's note; an empty text deletes it. False if the match does not run."""
        if (await connection.execute(_COUNT_CHANGE, {"match": match_id})).rowcount != 1:
            return False
        key: dict[str, Any] = {"match_id": match_id, "user_id": user_id}
        if note:
            await upsert(connection, notes, key, {}, {"text": note, "at": now})
        else:
            await connection.execute(delete(notes).filter_by(**key))
        return True
