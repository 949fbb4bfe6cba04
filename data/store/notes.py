"""What players write down for themselves at a match."""

from typing import Any, Final

from sqlalchemy import bindparam, delete, exists, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.inserting import upsert
from data.store.tables import OVER, matches, notes
from data.store.transactions import Part

_NOTE: Final = select(notes.c.text).where(notes.c.match_id == bindparam("match"), notes.c.user_id == bindparam("user"))
_ONE_MORE: Final = (
    update(matches)
    .where(matches.c.match_id == bindparam("match"), matches.c.state == "open")
    .values(private=matches.c.private + 1)
)


async def note_of(connection: AsyncConnection, match_id: int, user_id: int) -> str:
    """What somebody wrote down at a match; empty where they did not."""
    found = (await connection.execute(_NOTE, {"match": match_id, "user": user_id})).scalar()
    return found or ""


async def keep_note(connection: AsyncConnection, match_id: int, user_id: int, told: str, now: int) -> bool:
    """Keep this in place of what was written before; an empty one is none. False where the match is over, or gone."""
    if (await connection.execute(_ONE_MORE, {"match": match_id})).rowcount != 1:
        return False
    key: dict[str, Any] = {"match_id": match_id, "user_id": user_id}
    if told:
        await upsert(connection, notes, key, {}, {"text": told, "at": now})
    else:
        await connection.execute(delete(notes).filter_by(**key))
    return True


async def prune_notes(connection: AsyncConnection, before: int, limit: int) -> int:
    """Forget notes of matches that were over before this time, `limit` at most; returns how many went."""
    over = exists().where(matches.c.match_id == notes.c.match_id, text(OVER), matches.c.updated_at < before)
    old = (
        select(notes.c.match_id, notes.c.user_id).where(notes.c.at < before, over).order_by(notes.c.at).limit(limit)
    ).subquery()
    gone = delete(notes).where(exists().where(old.c.match_id == notes.c.match_id, old.c.user_id == notes.c.user_id))
    return (await connection.execute(gone)).rowcount


class Notes(Part):
    """The store's door to them."""

    async def own_note(self, match_id: int, user_id: int) -> str:
        """What somebody wrote down for themselves at a match; empty where they did not."""
        return await self._read(lambda connection: note_of(connection, match_id, user_id))

    async def keep_note(self, match_id: int, user_id: int, told: str, *, now: int) -> bool:
        """Keep this in place of what they wrote before; an empty one is none. False where the match does not run."""
        return await self._write(lambda connection: keep_note(connection, match_id, user_id, told, now))
