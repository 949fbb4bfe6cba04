"""What players have decided to do when it is their turn. It is a part of where a match stands: whoever decides on an
act without knowing of one is Stale, though the log of the match says nothing of it.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import upsert
from data.store.connection.store_errors import Stale
from data.store.connection.transactions import Part
from data.store.log import codec, heads
from data.store.log.match_values import Head
from data.store.log.tables import matches, premoves
from engine.table.premove import Premove

_AT: Final = select(premoves.c.user_id, premoves.c.body).where(premoves.c.match_id == bindparam("match"))
_READ: Final = msgspec.json.Decoder(Premove)


async def premoves_at(connection: AsyncConnection, head: Head) -> dict[int, Premove]:
    """Those of a match, by person, with what has become of some."""
    if not head.private:
        return {}
    rows = await connection.execute(_AT, {"match": head.match_id})
    return {row.user_id: _READ.decode(row.body) for row in rows}


async def keep_premoves(connection: AsyncConnection, match_id: int, kept: Mapping[int, Premove | None]) -> None:
    """Keep these of some people, or none, in place of what they had."""
    for user_id, premove in kept.items():
        key: dict[str, Any] = {"match_id": match_id, "user_id": user_id}
        if premove is None:
            await connection.execute(delete(premoves).filter_by(**key))
        else:
            await upsert(connection, premoves, key, {}, {"body": codec.to_text(premove)})


async def drop_premoves(connection: AsyncConnection, match_id: int) -> None:
    """A match is over: nobody's turn comes any more."""
    await connection.execute(delete(premoves).where(premoves.c.match_id == match_id))


async def arm(connection: AsyncConnection, decided_on: Head, user_id: int, premove: Premove | None) -> Head:
    """Let somebody decide beforehand, or no more, at a match that stands as they saw it. Raises Stale."""
    mine = update(matches).where(
        matches.c.match_id == decided_on.match_id, matches.c.seq == decided_on.seq, matches.c.state == "open"
    )
    row = (await connection.execute(mine.values(private=matches.c.private + 1).returning(matches))).first()
    if row is None:
        raise Stale(decided_on.seq)
    await keep_premoves(connection, decided_on.match_id, {user_id: premove})
    return heads.to_head(row)


class Premoves(Part):
    """The store's door to them. That an act plays or drops some is part of its change."""

    async def arm(self, decided_on: Head, user_id: int, premove: Premove | None) -> Head:
        """Keep what somebody has decided to do when it is their turn; None: nothing any more. Raises Stale."""
        return await self._write(lambda connection: arm(connection, decided_on, user_id, premove))
